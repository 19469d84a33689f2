import { expect, it } from "vitest";

import type { Event } from "../../api/types";
import { emptySession, reduce, type SessionState } from "./state";

/** What is told of limits, one after the other: their names and how they stand. */
function told(...limits: readonly (readonly [limit: string, status: string, resets?: number])[]): SessionState {
  const events = limits.map(([limit, status, resets = 2e9], at) => ({
    type: "rate_limit",
    session: "s",
    seq: at + 1,
    at: "2026-03-01T00:00:00Z",
    turn: null,
    parent_tool_call_id: null,
    limit,
    status,
    resets_at: resets,
    utilization: null,
  }));
  return reduce(emptySession("s"), { type: "events", session: "s", events: events as unknown as Event[] }).state;
}

const notices = (state: SessionState) => state.items.map((item) => (item.kind === "rate_limit" ? `${item.limit} ${item.status}` : item.kind));

it("the limit that presses most is shown, whatever is told of others", () => {
  const near = told(["five_hour", "allowed_warning"], ["seven_day", "allowed"]);
  expect(near.rateLimit).toMatchObject({ limit: "five_hour", status: "allowed_warning" });
  expect(told(["five_hour", "allowed_warning"], ["seven_day", "rejected"]).rateLimit?.limit).toBe("seven_day");
  expect(told(["five_hour", "allowed_warning"], ["five_hour", "allowed"]).rateLimit?.status).toBe("allowed");
  // What is over presses nobody.
  expect(told(["five_hour", "rejected", 1], ["seven_day", "allowed"]).rateLimit?.limit).toBe("seven_day");
});

it("each change of each limit is told once, though they are told in turns", () => {
  const turns = told(["five_hour", "allowed_warning"], ["seven_day", "allowed_warning"], ["five_hour", "allowed_warning"], ["seven_day", "allowed_warning"]);
  expect(notices(turns)).toEqual(["five_hour allowed_warning", "seven_day allowed_warning"]);
  expect(notices(told(["five_hour", "allowed_warning"], ["five_hour", "rejected"], ["five_hour", "rejected"]))).toEqual(["five_hour allowed_warning", "five_hour rejected"]);
  // Another five hours, or near again after it was not.
  expect(notices(told(["five_hour", "rejected"], ["five_hour", "rejected", 3e9]))).toHaveLength(2);
  expect(notices(told(["five_hour", "allowed_warning"], ["five_hour", "allowed"], ["five_hour", "allowed_warning"]))).toHaveLength(2);
});
