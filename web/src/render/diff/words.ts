/** What differs between two versions of a line, word by word. Bounded: long lines are compared from both ends only. */

import type { Mark } from "../code/tokens";

const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
// Cells of the table of common words.
const LARGEST = 60_000;
// With less in common a line is a new one, and marking all of it says nothing.
const LEAST_COMMON = 0.3;

/** The places that differ, on both sides. Empty on both where the lines have too little in common. */
export function wordMarks(before: string, after: string): { readonly before: Mark[]; readonly after: Mark[] } {
  const a: string[] = before.match(WORD) ?? [];
  const b: string[] = after.match(WORD) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const middleA = a.slice(start, a.length - end);
  const middleB = b.slice(start, b.length - end);
  const kept = common(middleA, middleB);
  const keptA = [...Array<boolean>(start).fill(true), ...kept.a, ...Array<boolean>(end).fill(true)];
  const keptB = [...Array<boolean>(start).fill(true), ...kept.b, ...Array<boolean>(end).fill(true)];
  const same = a.reduce((sum, word, i) => sum + (keptA[i] === true && word.trim() !== "" ? word.length : 0), 0);
  const longest = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (same < longest * LEAST_COMMON) return { before: [], after: [] };
  return { before: marksOf(a, keptA), after: marksOf(b, keptB) };
}

/** Which words belong to a longest common sequence. */
function common(a: readonly string[], b: readonly string[]): { a: boolean[]; b: boolean[] } {
  const kept = { a: Array<boolean>(a.length).fill(false), b: Array<boolean>(b.length).fill(false) };
  if (a.length === 0 || b.length === 0 || a.length * b.length > LARGEST) return kept;
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      kept.a[i++] = true;
      kept.b[j++] = true;
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return kept;
}

function marksOf(words: readonly string[], kept: readonly boolean[]): Mark[] {
  const marks: [number, number][] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    const next = at + word.length;
    const last = marks.at(-1);
    if (kept[index] !== true) {
      if (last !== undefined && last[1] === at) last[1] = next;
      else marks.push([at, next]);
    } else if (word.trim() === "" && last !== undefined && last[1] === at && kept[index + 1] === false) {
      // A space between two changed words is part of the change.
      last[1] = next;
    }
    at = next;
  }
  return marks;
}
