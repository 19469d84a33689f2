/**
 * Changes as rows to draw. Takes hunks as the API has them, or reads them out of a unified diff;
 * total: lines that fit nowhere are kept as notes, and wrong counts are not believed.
 */

import type { PatchHunk } from "../../../api/types";
import type { Mark } from "../code/tokens";
import { wordMarks } from "./words";

/** What a row shows. */
export type RowKind = "same" | "added" | "removed" | "note";

/** A line of one side, or of both. */
export type Row = {
  readonly kind: RowKind;
  readonly text: string;
  /** Its number before and after; none where it is not on that side. */
  readonly before: number | null;
  readonly after: number | null;
  /** What in it differs from its counterpart. */
  readonly marks: readonly Mark[];
};

/** A row of two columns. */
export type Pair = { readonly left: Row | null; readonly right: Row | null };

/** What happened to a file, as a diff tells. */
export type FileHeader = {
  readonly from: string | null;
  readonly to: string | null;
};

// A pair of longer lines is shown without marks.
const LONGEST_MARKED = 2_000;

/** The rows of a hunk, in the order of a unified diff. */
export function rowsOf(hunk: PatchHunk): Row[] {
  const rows: Row[] = [];
  let before = hunk.old_start;
  let after = hunk.new_start;
  let removed: Row[] = [];
  let added: Row[] = [];
  const flush = (): void => {
    rows.push(...marked(removed, added));
    removed = [];
    added = [];
  };
  for (const line of hunk.lines) {
    const text = line.slice(1).replace(/\r$/, "");
    if (line.startsWith("-")) {
      if (added.length > 0) flush();
      removed.push({ kind: "removed", text, before: before++, after: null, marks: [] });
    } else if (line.startsWith("+")) {
      added.push({ kind: "added", text, before: null, after: after++, marks: [] });
    } else if (line.startsWith("\\")) {
      // Belongs to the line above it, on that line's side.
      const note: Row = { kind: "note", text: line.slice(1).trim(), before: null, after: null, marks: [] };
      if (added.length > 0) added.push(note);
      else if (removed.length > 0) removed.push(note);
      else rows.push(note);
    } else {
      flush();
      rows.push({ kind: "same", text, before: before++, after: after++, marks: [] });
    }
  }
  flush();
  return rows;
}

/** Marks what differs within lines that stand for each other. */
function marked(removed: readonly Row[], added: readonly Row[]): Row[] {
  const left = [...removed];
  const right = [...added];
  const isReal = (row: Row | undefined): row is Row => row !== undefined && row.kind !== "note" && row.text.length <= LONGEST_MARKED;
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [a, b] = [left[i], right[i]];
    if (!isReal(a) || !isReal(b)) continue;
    const marks = wordMarks(a.text, b.text);
    left[i] = { ...a, marks: marks.before };
    right[i] = { ...b, marks: marks.after };
  }
  return [...left, ...right];
}

/** The same rows in two columns. */
export function pairsOf(rows: readonly Row[]): Pair[] {
  const pairs: Pair[] = [];
  let left: Row[] = [];
  let right: Row[] = [];
  const flush = (): void => {
    for (let i = 0; i < Math.max(left.length, right.length); i++) pairs.push({ left: left[i] ?? null, right: right[i] ?? null });
    left = [];
    right = [];
  };
  let side: Row[] | null = null;
  for (const row of rows) {
    if (row.kind === "removed") {
      if (right.length > 0) flush();
      left.push(row);
      side = left;
    } else if (row.kind === "added") {
      right.push(row);
      side = right;
    } else if (row.kind === "note" && side !== null && side.length > 0) side.push(row);
    else {
      flush();
      side = null;
      pairs.push({ left: row, right: row });
    }
  }
  flush();
  return pairs;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads a unified diff of one file. */
export function readDiff(diff: string): { readonly header: FileHeader; readonly hunks: PatchHunk[] } {
  const hunks: PatchHunk[] = [];
  let from: string | null = null;
  let to: string | null = null;
  let hunk: PatchHunk | null = null;
  let left = 0;
  let right = 0;
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    if (hunk !== null && (left > 0 || right > 0 || line.startsWith("\\"))) {
      hunk.lines.push(line === "" ? " " : line);
      if (!line.startsWith("+") && !line.startsWith("\\")) left--;
      if (!line.startsWith("-") && !line.startsWith("\\")) right--;
      continue;
    }
    const match = HUNK.exec(line);
    if (match !== null) {
      left = Number(match[2] ?? 1);
      right = Number(match[4] ?? 1);
      hunk = { old_start: Number(match[1]), old_lines: left, new_start: Number(match[3]), new_lines: right, lines: [] };
      hunks.push(hunk);
    } else if (line.startsWith("--- ")) from = pathOf(line.slice(4));
    else if (line.startsWith("+++ ")) to = pathOf(line.slice(4));
    else if (line.startsWith("rename from ")) from = line.slice(12);
    else if (line.startsWith("rename to ")) to = line.slice(10);
  }
  return { header: { from, to }, hunks };
}

function pathOf(written: string): string | null {
  const path = written.replace(/\t.*$/, "").replace(/^[ab]\//, "");
  return path === "/dev/null" ? null : path;
}

/** How many unchanged lines lie between two hunks, where that is known. */
export function gapBefore(hunks: readonly PatchHunk[], index: number): number {
  const hunk = hunks[index];
  const previous = hunks[index - 1];
  if (hunk === undefined || previous === undefined) return 0;
  return Math.max(0, hunk.new_start - (previous.new_start + previous.new_lines));
}
