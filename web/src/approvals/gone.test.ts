import { expect, it } from "vitest";

import type { ApprovalCard, ApprovalFate } from "../state/items";
import { isTold } from "./gone";

const gone = (state: ApprovalFate["state"], turn: number | null) => ({ card: { fate: { state } } as ApprovalCard, turn });

it("an answer given elsewhere is told of after its turn has ended, until the next begins", () => {
  expect([1, null, 2].map((now) => isTold(gone("decided", 1), now))).toEqual([true, true, false]);
  // The answer and the end of the turn may come at once.
  expect([null, 2].map((now) => isTold(gone("decided", null), now))).toEqual([true, false]);
});

it("a request that is not needed any more is told of while its turn goes on", () => {
  expect([1, null, 2].map((now) => isTold(gone("void", 1), now))).toEqual([true, false, false]);
  expect(isTold(gone("void", null), null)).toBe(false);
});
