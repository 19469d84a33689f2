/** The lines of the transcript: its items as they are, then what is on its way, then that somebody works. */

import type { Outgoing } from "../connection/outbox";
import type { Item } from "../state/items";
import type { SessionState } from "../state/state";

export type Row =
  | Item
  | { readonly key: string; readonly kind: "outgoing"; readonly outgoing: Outgoing }
  | { readonly key: string; readonly kind: "working" };

const WORKING: Row = { key: "working", kind: "working" };

export function rowsOf(state: SessionState, outgoing: readonly Outgoing[]): readonly Row[] {
  if (outgoing.length === 0 && !isWorking(state)) return state.items;
  const rows: Row[] = [...state.items];
  for (const one of outgoing) rows.push({ key: `o${one.prompt}`, kind: "outgoing", outgoing: one });
  if (isWorking(state)) rows.push(WORKING);
  return rows;
}

/** Something goes on that shows no other sign of it. */
function isWorking(state: SessionState): boolean {
  if (state.status !== "running" && state.status !== "starting") return false;
  return state.open.size === 0;
}
