import { expect, it } from "vitest";

import type { Event } from "../../api/types";
import { eventsOf, live, log } from "../state/logs.test-support";
import { exactly, placeOf } from "./place";
import type { Row } from "./rows";

/** Where an event of a log leads to, when the whole log is there. */
function leadsTo(name: string, pick: (event: Event) => boolean): Row | undefined {
  const lines = log(name);
  const rows = live(lines).items;
  return rows[placeOf(rows, eventsOf(lines).find(pick)!)];
}

it("a call is found by its beginning, though it ended after others", () => {
  const calls = eventsOf(log("permission-parallel")).filter((event) => event.type === "tool_call");
  expect(calls.length).toBeGreaterThan(1);
  for (const call of calls) {
    expect(leadsTo("permission-parallel", (event) => event.seq === call.seq)).toMatchObject({ kind: "tool", toolCallId: call.tool_call_id });
  }
});

it("what was said during a turn is found where it was heard", () => {
  const state = live(log("queued"));
  const said = eventsOf(log("queued")).filter((event) => event.type === "user_message");
  const late = said.find((event) => exactly(state.items, event.seq) < 0)!;
  expect(leadsTo("queued", (event) => event.seq === late.seq)).toMatchObject({ kind: "user", text: late.text });
});

it("what a subagent did is in the call that started it", () => {
  const inner = eventsOf(log("subagent-background")).find((event) => (event.type === "message" || event.type === "tool_call") && event.parent_tool_call_id !== null)!;
  expect(leadsTo("subagent-background", (event) => event.seq === inner.seq)).toMatchObject({ kind: "tool", toolCallId: inner.parent_tool_call_id });
});

it("an event of no item leads to what came next", () => {
  expect(leadsTo("hello", (event) => event.type === "turn_started")?.kind).toMatch(/text|thinking/);
});
