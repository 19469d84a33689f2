/** What one has said before, to say it again. Pure. */

import type { Item } from "../state/items";

/** A text from before, and which it is, counted from the last. */
export type Recalled = { readonly text: string; readonly at: number | null };

/** What a person said in this session, the last first, each once in a row. */
export function said(items: readonly Item[]): string[] {
  const texts: string[] = [];
  for (const item of items) {
    if (item.kind === "user" && item.origin.kind === "user" && item.text && texts.at(-1) !== item.text) texts.push(item.text);
  }
  return texts.toReversed();
}

/**
 * Goes through what was said. Starts only from an empty field, and leaves a text alone that was
 * changed since it was recalled.
 */
export function recall(prompts: readonly string[], from: Recalled, to: "older" | "newer"): Recalled | null {
  const isAt = from.at !== null && prompts[from.at] === from.text;
  if (!isAt && from.text !== "") return null;
  const next = (isAt ? from.at! : -1) + (to === "older" ? 1 : -1);
  if (next < -1 || next >= prompts.length) return null;
  return next === -1 ? { text: "", at: null } : { text: prompts[next]!, at: next };
}
