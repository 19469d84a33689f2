/** What a half-written prompt asks for: a command, a file, or nothing. Pure. */

import type { CommandOffer } from "../../api/types";

/** The word that is being completed, and where it stands. */
export type Wanted =
  | { readonly kind: "command"; readonly word: string; readonly from: number; readonly to: number }
  | { readonly kind: "file"; readonly word: string; readonly from: number; readonly to: number };

/** What stands before the caret: `/word` at the very beginning, or `@word` after a space. */
export function wanted(text: string, caret: number): Wanted | null {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { kind: "command", word: command[1]!, from: 0, to: caret };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (file) return { kind: "file", word: file[1]!, from: caret - file[1]!.length - 1, to: caret };
  return null;
}

/** The commands that fit, the best first: those that begin so, then those that have the letters. */
export function fitting(commands: readonly CommandOffer[], word: string): readonly CommandOffer[] {
  const letters = word.toLowerCase();
  const rank = (command: CommandOffer) => {
    const name = command.name.toLowerCase();
    if (name.startsWith(letters)) return 0;
    if (name.split(/[:_-]/).some((part) => part.startsWith(letters))) return 1;
    return name.includes(letters) ? 2 : 3;
  };
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((one) => one.rank < 3)
    .toSorted((a, b) => a.rank - b.rank || a.command.name.localeCompare(b.command.name))
    .map((one) => one.command);
}

/** Puts something in the place of a word. */
export function completed(text: string, want: Wanted, by: string): { text: string; caret: number } {
  const rest = text.slice(want.to);
  const space = by.endsWith("/") || rest.startsWith(" ") ? "" : " ";
  const start = text.slice(0, want.from) + by + space;
  return { text: start + rest, caret: start.length };
}
