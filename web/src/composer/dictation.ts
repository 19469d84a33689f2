/** Where spoken words stand in a text, while they are still heard otherwise and somebody writes beside them. Pure. */

/** What was heard so far, as it stands in the text, and where. */
export type Spoken = { readonly at: number; readonly heard: string };

/** Begins at the caret. */
export function beginAt(text: string, caret: number): Spoken {
  return { at: Math.min(caret, text.length), heard: "" };
}

/**
 * Puts what is heard now in the place of what was heard before. Where somebody has changed that, it is
 * theirs: only what has come since is added, at the caret.
 */
export function hear(text: string, spoken: Spoken, words: string, caret: number): { text: string; caret: number; spoken: Spoken } {
  const place = placeOf(text, spoken);
  if (place === null) {
    const more = words.slice(common(words, spoken.heard));
    const at = Math.min(caret, text.length);
    return { text: text.slice(0, at) + more + text.slice(at), caret: at + more.length, spoken: { at: spoken.at, heard: words } };
  }
  const before = text.slice(0, place);
  const heard = (before === "" || /\s$/.test(before) ? "" : " ") + words.trimStart();
  const after = text.slice(place + spoken.heard.length);
  return { text: before + heard + after, caret: place + heard.length, spoken: { at: place, heard } };
}

/** Where the words stand that were heard, or null if they do not any more. */
function placeOf(text: string, { at, heard }: Spoken): number | null {
  if (heard === "") return Math.min(at, text.length);
  if (text.startsWith(heard, at)) return at;
  const found = text.indexOf(heard);
  return found < 0 ? null : found;
}

/** How much of two texts is the same at their beginning. */
function common(a: string, b: string): number {
  const other = b.trimStart();
  let length = 0;
  while (length < a.length && a[length] === other[length]) length += 1;
  return length;
}
