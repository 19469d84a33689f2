/** Finds calls and requests in a transcript, also within subagents. Pure. */

import type { ApprovalId } from "../../api/types";
import type { ApprovalCard, Item, ToolCallItem } from "../state/items";

/** The first thing that fits, the latest first: what is looked for is mostly new. */
function find<T>(items: readonly Item[], fits: (item: Item) => T | null): T | null {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at]!;
    const found = fits(item) ?? (item.kind === "tool" ? find(item.children, fits) : null);
    if (found !== null) return found;
  }
  return null;
}

/** A call by its id. */
export function callOf(items: readonly Item[], toolCallId: string): ToolCallItem | null {
  return find(items, (item) => (item.kind === "tool" && item.toolCallId === toolCallId ? item : null));
}

/** A request as it stands. */
export function cardOf(items: readonly Item[], approval: ApprovalId): ApprovalCard | null {
  return find(items, (item) => {
    const card = item.kind === "tool" ? item.approval : item.kind === "approval" ? item.card : null;
    return card?.approval === approval ? card : null;
  });
}
