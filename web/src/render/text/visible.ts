/**
 * Characters that change how other text reads, or carry text, without being seen. They are never
 * dropped silently and never obeyed: `reveal` cuts a text into what can be shown as it is and
 * what must be named instead.
 */

/** A piece of text; one that is `hidden` holds the name of a character in place of it. */
export type Piece = { readonly text: string; readonly hidden: boolean };

/**
 * Where a text stands. In prose, marks and joiners have honest uses (Arabic, emoji); in code and
 * in what programs print they have none.
 */
export type Place = "prose" | "code";

// Embeddings, overrides and isolates reorder what follows; tags are invisible ASCII; a tag after
// a black flag is part of an honest emoji.
const PROSE = /[\u202a-\u202e\u2066-\u2069]|(?<!\u{1f3f4}[\u{e0000}-\u{e007f}]*)[\u{e0000}-\u{e007f}]/gu;
const CODE =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/gu;
// Almost every text has none of them: one look without the costly lookbehind.
const ANY = /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\udb40[\udc00-\udc7f]/;

// For titles and names. The same set as `crates/pilothouse-host/src/visible.rs`, both tested against
// `unseen.json`. Joiners are not in it: Persian and emoji need them.
const UNSEEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/gu;

/** A title or a name with everything named that is not shown as itself, but for line ends and tabs. */
export function named(text: string): string {
  return text.replace(UNSEEN, (character) => (character === "\n" || character === "\t" ? character : `<${nameOf(character)}>`));
}

/** How a character that cannot be seen is written. */
export function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Cuts a text into what can be shown and what must be named. Pieces joined tell the whole text. */
export function reveal(text: string, place: Place): Piece[] {
  if (!ANY.test(text)) return text === "" ? [] : [{ text, hidden: false }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(place === "prose" ? PROSE : CODE)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), hidden: false });
    pieces.push({ text: nameOf(match[0]), hidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hidden: false });
  return pieces;
}

/** Whether there is anything in a text that would have to be named. */
export function hidesSomething(text: string): boolean {
  return ANY.test(text);
}

/** Appends a text to an element, naming what cannot be seen. */
export function appendVisible(to: Node, text: string, place: Place): void {
  for (const piece of reveal(text, place)) {
    if (!piece.hidden) {
      to.appendChild(document.createTextNode(piece.text));
      continue;
    }
    const label = document.createElement("span");
    label.className = "unseen";
    label.title = "A character that cannot be seen";
    label.textContent = piece.text;
    to.appendChild(label);
  }
}
