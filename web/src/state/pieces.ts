/**
 * Half-written items: pieces as they come, and what is open according to the daemon.
 *
 * Pieces say where they begin, in bytes of UTF-8, so one that came twice is known, and one that is
 * missing too.
 */

import type { Delta, DeltaKind, OpenItem } from "../../api/types";
import type { Draft } from "./draft";
import type { Item, ToolCallItem } from "./items";

/** Adds a piece. False where something before it is missing. */
export function grow(draft: Draft, delta: Delta): boolean {
  const known = draft.opened(delta.item);
  if (!known) {
    // One of an item that is whole already comes late.
    if (draft.findItem(delta.item)) return true;
    if (delta.offset > 0) return false;
    draft.append(begun(delta.type, { ...delta, turn: draft.now.turn?.id ?? null, tool_name: null }), null);
    draft.grew(delta.item, utf8Length(delta.text));
    return true;
  }
  if (delta.offset > known.bytes) return false;
  const news = delta.offset === known.bytes ? delta.text : afterBytes(delta.text, known.bytes - delta.offset);
  const found = news === "" ? null : draft.findItem(delta.item);
  if (!found) return true;
  draft.replace(found.path, longer(found.item, news));
  draft.grew(delta.item, known.bytes + utf8Length(news));
  return true;
}

/** Makes the open items those that the daemon says are open. */
export function settleOpen(draft: Draft, open: readonly OpenItem[]): void {
  const told = new Set(open.map((item) => item.item));
  for (const item of draft.openItems()) {
    if (told.has(item)) continue;
    const found = draft.findItem(item);
    if (found) draft.remove(found.path);
    draft.closed(item);
  }
  for (const item of open) {
    const bytes = utf8Length(item.text);
    if (draft.opened(item.item)?.bytes === bytes) continue;
    const found = draft.findItem(item.item);
    const whole = begun(item.type, item);
    if (found) draft.replace(found.path, { ...whole, at: found.item.at });
    else draft.append(whole, item.parent_tool_call_id);
    draft.grew(item.item, bytes);
  }
}

function begun(kind: DeltaKind, of: Pick<OpenItem, "item" | "text" | "turn" | "tool_name">): Item {
  const base = { key: `i${of.item}`, item: of.item, turn: of.turn, at: null, seq: null };
  switch (kind) {
    case "message_chunk":
      return { ...base, kind: "text", text: of.text, open: true, partial: false, uuid: null };
    case "reasoning_chunk":
      return { ...base, kind: "thinking", text: of.text, open: true, partial: false, redacted: false, endedAt: null };
    case "tool_input_chunk":
      return { ...unmade, ...base, kind: "tool", toolName: of.tool_name, inputSoFar: of.text };
  }
}

/** A call whose input is still being written. */
const unmade: Omit<ToolCallItem, "key" | "item" | "turn" | "at" | "seq"> = {
  kind: "tool",
  toolCallId: null,
  toolName: null,
  title: "",
  payload: null,
  state: "writing",
  inputSoFar: "",
  reason: null,
  endedAt: null,
  approval: null,
  children: [],
  task: null,
};

function longer(item: Item, news: string): Item {
  if (item.kind === "tool") return { ...item, inputSoFar: item.inputSoFar + news };
  if (item.kind === "text" || item.kind === "thinking") return { ...item, text: item.text + news };
  return item;
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** What is left of a text after its first bytes. */
function afterBytes(text: string, bytes: number): string {
  const encoded = encoder.encode(text);
  return bytes >= encoded.length ? "" : new TextDecoder().decode(encoded.subarray(bytes));
}
