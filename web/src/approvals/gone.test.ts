import { expect, it } from "vitest";

import type { ApprovalCard, ApprovalFate, Item } from "../state/items";
import type { OpenTurn } from "../state/state";
import { isTold } from "./gone";

const gone = (state: ApprovalFate["state"]) => ({ card: { fate: { state } } as ApprovalCard, turn: 1 });
const open = (id: number) => ({ items: [{ turn: 1 } as Item], turn: { id } as OpenTurn });
const over = (...turns: (number | null)[]) => ({ items: turns.map((turn) => ({ turn }) as Item), turn: null });

it("an answer given elsewhere is told of after its turn has ended, until the next begins", () => {
  expect([open(1), over(1), over(1, null)].map((view) => isTold(gone("decided"), view))).toEqual([true, true, true]);
  expect(isTold(gone("decided"), open(2))).toBe(false);
  // The next may have come and gone between two looks.
  expect(isTold(gone("decided"), over(1, 2))).toBe(false);
});

it("a request that is not needed any more is told of while its turn goes on", () => {
  expect([open(1), over(1), open(2)].map((view) => isTold(gone("void"), view))).toEqual([true, false, false]);
});
