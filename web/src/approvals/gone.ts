/** What stood where requests are shown and was not answered here. Pure. */

import type { TurnId } from "../../api/types";
import type { ApprovalCard } from "../state/items";

/** A request that is gone, and the turn in which that was noticed; none where it had ended by then. */
export type Gone = { readonly card: ApprovalCard; readonly turn: TurnId | null };

/**
 * Whether it is still to be told of. An answer that somebody else gave is, until the next turn begins: its
 * own turn may end in the same moment, and what is taken away then was seen by nobody. One that is not
 * needed any more is of interest only while the turn goes on.
 */
export function isTold({ card, turn: its }: Gone, now: TurnId | null): boolean {
  return card.fate.state === "void" ? now !== null && now === its : now === null || now === its;
}
