/** What stood where requests are shown and was not answered here. Pure. */

import type { TurnId } from "../../api/types";
import type { ApprovalCard } from "../state/items";
import type { SessionState } from "../state/state";

/** A request that is gone, and the latest turn at that time. */
export type Gone = { readonly card: ApprovalCard; readonly turn: TurnId | null };

type View = Pick<SessionState, "items" | "turn">;

/** The latest turn, whether it goes on or not: a whole turn may come and go between two looks. */
export function latestTurn({ items, turn }: View): TurnId | null {
  return turn?.id ?? items.findLast((item) => item.turn !== null)?.turn ?? null;
}

/**
 * Whether it is still to be told of. An answer that somebody else gave is, until the next turn begins: its
 * own turn may end in the same moment, and what is taken away then was seen by nobody. One that is not
 * needed any more is of interest only while the turn goes on.
 */
export function isTold({ card, turn }: Gone, view: View): boolean {
  return turn === latestTurn(view) && (card.fate.state !== "void" || view.turn !== null);
}
