import { expect, it } from "vitest";

import { live, log } from "../state/logs.test-support";
import { announcements } from "./announce";

it("tells whole texts, requests and ends, not pieces", () => {
  const lines = log("permission-allow");
  const told = lines.flatMap((_, at) => announcements(live(lines.slice(0, Math.max(1, at))), live(lines.slice(0, at + 1))));
  expect(told).toEqual(["Working.", "Tool: touch made", "Your answer is needed: a request", "So be it.", "Turn done."]);
});

it("tells that a call has failed, and a notice only if it is an error", () => {
  const state = live(log("permission-allow"));
  const call = state.items.find((item) => item.kind === "tool")!;
  const failed = { ...state, seq: state.seq + 1, items: [...state.items.filter((item) => item !== call), { ...call, state: "error" as const, seq: state.seq + 1 }] };
  expect(announcements(state, failed)).toEqual([`Failed: ${call.title}`]);
  const notice = (level: "info" | "error") => ({ key: "n", kind: "notice" as const, turn: null, at: null, seq: state.seq + 1, about: "hook" as const, level, text: "A hook" });
  expect(announcements(state, { ...state, seq: state.seq + 1, items: [...state.items, notice("info")] })).toEqual([]);
  expect(announcements(state, { ...state, seq: state.seq + 1, items: [...state.items, notice("error")] })).toEqual(["A hook"]);
});
