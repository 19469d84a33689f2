import { describe, expect, it } from "vitest";

import type { Event } from "../../api/types";
import { eventsOf, log as recorded } from "../state/logs.test-support";
import { longest, sharesOf, timelineOf } from "./spans";

type Body = { type: Event["type"] } & Record<string, unknown>;

/** Events at so many seconds. */
function events(...those: [number, Body][]): Event[] {
  return those.map(([second, body], at) => ({ session: "s", seq: at + 1, at: new Date(second * 1000).toISOString(), turn: 1, parent_tool_call_id: null, ...body }) as unknown as Event);
}

const begun: [number, Body][] = [
  [9, { type: "user_message", text: "Please", item: 1 }],
  [10, { type: "turn_started", autonomous: false }],
];
const call = (id: string, title = id): Body => ({ type: "tool_call", tool_call_id: id, title });
const ended = (id: string, status = "complete"): Body => ({ type: "tool_update", tool_call_id: id, status });

describe("the time of a turn", () => {
  it("is the model's, the tools' and yours, and nothing is counted twice", () => {
    const log = events(
      ...begun,
      [13, call("a")],
      [13, { type: "approval_requested", approval: 1 }],
      [20, { type: "approval_resolved", approval: 1 }],
      [21, call("b")],
      [24, ended("a")],
      [26, ended("b")],
      [30, { type: "complete" }],
      [90, { type: "session_status", status: "idle" }],
    );
    const { turns, calls } = timelineOf(log, 1_000_000);
    expect(sharesOf(turns)).toEqual({ model: 3000 + 4000, tool: 6000, you: 7000 });
    expect(turns[0]).toMatchObject({ prompt: "Please", from: 10_000, to: 30_000, open: false });
    expect(turns[0]?.spans.map((span) => span.use)).toEqual(["model", "you", "tool", "model"]);
    expect(calls.map((one) => [one.id, one.ms])).toEqual([["a", 4000], ["b", 5000]]);
  });

  it("goes on until now while it is open", () => {
    const { turns } = timelineOf(events(...begun), 25_000);
    expect(turns[0]).toMatchObject({ open: true, to: 25_000 });
    expect(sharesOf(turns).model).toBe(15_000);
  });

  it("does not wait for what went into the background, nor for a run that has ended", () => {
    const detached = events(...begun, [12, call("a")], [14, ended("a", "detached")], [20, { type: "complete" }]);
    expect(sharesOf(timelineOf(detached, 0).turns)).toEqual({ model: 8000, tool: 2000, you: 0 });
    const died = events(...begun, [12, { type: "approval_requested", approval: 1 }], [15, { type: "run_ended" }], [99, { type: "session_status" }]);
    expect(sharesOf(timelineOf(died, 0).turns)).toEqual({ model: 2000, tool: 0, you: 3000 });
  });
});

it("finds the calls that took longest", () => {
  const log = events(...begun, [10, call("a", "test")], [14, ended("a")], [14, call("b", "read")], [15, ended("b")], [15, call("c", "test")], [17, ended("c")]);
  expect(longest(timelineOf(log, 0).calls, 1)).toEqual([{ title: "test", ms: 6000, times: 2, seq: 3 }]);
});

it("fills every turn of a recorded conversation without gaps", () => {
  const { turns } = timelineOf(eventsOf(recorded("permission-allow")), 0);
  expect(turns.length).toBeGreaterThan(0);
  for (const turn of turns) {
    const all = turn.spans.reduce((sum, span) => sum + span.to - span.from, 0);
    expect(all).toBe(turn.to - turn.from);
  }
});
