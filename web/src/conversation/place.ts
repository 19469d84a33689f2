/** Which row of the transcript an event is about. Pure. */

import type { Event } from "../../api/types";
import type { Item } from "../state/items";
import type { Row } from "./rows";

/**
 * The place of the row that an event made or changed. An item knows only its last event, so the event
 * itself must be known, too; one that is about no item leads to what came next.
 */
export function placeOf(rows: readonly Row[], event: Event): number {
  const names = namesOf(event);
  const named = rows.findIndex((row) => isItem(row) && has(row, names));
  return named >= 0 ? named : next(rows, event.seq);
}

/** The first row of which something was told then or later. */
export function next(rows: readonly Row[], seq: number): number {
  return rows.findIndex((row) => isItem(row) && (row.seq ?? 0) >= seq);
}

/** The row that only this event tells of, where that is certain. */
export function exactly(rows: readonly Row[], seq: number): number {
  return rows.findIndex((row) => isItem(row) && row.seq === seq);
}

type Names = { readonly key: string; readonly call: string | null; readonly prompt: string | null; readonly approval: number | null };

function namesOf(event: Event): Names {
  const isInItem = event.type === "user_message" || event.type === "message" || event.type === "reasoning" || event.type === "tool_call";
  const isOfCall = event.type === "tool_update" || event.type === "approval_requested" || event.type === "approval_resolved";
  const isAnswer = event.type === "approval_requested" || event.type === "approval_resolved" || event.type === "permission_cancelled";
  return {
    key: isInItem ? `i${event.item}` : `e${event.seq}`,
    call: isOfCall ? event.tool_call_id : null,
    prompt: event.type === "prompt_updated" ? event.prompt : null,
    approval: isAnswer ? event.approval : null,
  };
}

function has(item: Item, names: Names): boolean {
  if (item.key === names.key) return true;
  if (item.kind === "user") return names.prompt !== null && item.prompt === names.prompt;
  if (item.kind === "approval") return item.card.approval === names.approval;
  if (item.kind !== "tool") return false;
  return (names.call !== null && item.toolCallId === names.call) || item.children.some((inner) => has(inner, names));
}

function isItem(row: Row): row is Item {
  return row.kind !== "outgoing" && row.kind !== "working";
}
