/** The lines of the transcript: its items, then what is on its way, then that somebody works. */

import type { Outgoing } from "../connection/outbox";
import type { Item } from "../state/items";
import type { SessionState } from "../state/state";

export type Row =
  | { readonly key: string; readonly kind: "item"; readonly item: Item }
  | { readonly key: string; readonly kind: "outgoing"; readonly outgoing: Outgoing }
  | { readonly key: string; readonly kind: "working" };

/** One row for each item, the same as long as the item is. */
const known = new WeakMap<Item, Row>();

function rowOf(item: Item): Row {
  const before = known.get(item);
  if (before) return before;
  const row: Row = { key: item.key, kind: "item", item };
  known.set(item, row);
  return row;
}

const WORKING: Row = { key: "working", kind: "working" };

export function rowsOf(state: SessionState, outgoing: readonly Outgoing[]): readonly Row[] {
  const rows = state.items.map(rowOf);
  for (const one of outgoing) rows.push({ key: `o${one.prompt}`, kind: "outgoing", outgoing: one });
  if (isWorking(state)) rows.push(WORKING);
  return rows;
}

/** Something goes on that shows no other sign of it. */
function isWorking(state: SessionState): boolean {
  if (state.status !== "running" && state.status !== "starting") return false;
  return state.open.size === 0;
}
