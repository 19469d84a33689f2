import { describe, expect, test } from "vitest";
import { gapBefore, pairsOf, readDiff, rowsOf } from "./patch";
import { wordMarks } from "./words";

const hunk = (lines: string[], old_start = 1, new_start = 1) => ({
  old_start,
  new_start,
  old_lines: lines.filter((line) => !line.startsWith("+")).length,
  new_lines: lines.filter((line) => !line.startsWith("-")).length,
  lines,
});

describe("rows", () => {
  test("are numbered on their sides", () => {
    const rows = rowsOf(hunk([" a", "-b", "+c", "+d", " e"], 10, 20));
    expect(rows.map((row) => [row.kind, row.before, row.after, row.text])).toEqual([
      ["same", 10, 20, "a"],
      ["removed", 11, null, "b"],
      ["added", null, 21, "c"],
      ["added", null, 22, "d"],
      ["same", 12, 23, "e"],
    ]);
  });

  test("stand side by side", () => {
    const pairs = pairsOf(rowsOf(hunk([" a", "-b", "-c", "+d", " e", "+f"])));
    expect(pairs.map((pair) => [pair.left?.text ?? null, pair.right?.text ?? null])).toEqual([
      ["a", "a"],
      ["b", "d"],
      ["c", null],
      ["e", "e"],
      [null, "f"],
    ]);
  });

  test("a missing end of line is told on its side", () => {
    const rows = rowsOf(hunk(["-a", "\\ No newline at end of file", "+b"]));
    expect(rows.map((row) => row.kind)).toEqual(["removed", "note", "added"]);
    expect(pairsOf(rows).map((pair) => [pair.left?.kind, pair.right?.kind])).toEqual([
      ["removed", "added"],
      ["note", undefined],
    ]);
  });

  test("lines that begin with nothing known are kept", () => {
    expect(rowsOf(hunk(["", "xyz"])).map((row) => row.text)).toEqual(["", "yz"]);
  });
});

describe("a unified diff", () => {
  test("is read", () => {
    const { header, hunks } = readDiff("--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,3 @@ fn x\n a\n-b\n+c\n+d\n@@ -9 +10 @@\n-e\n+f\n\\ No newline at end of file\n");
    expect(header).toEqual({ from: "x.rs", to: "x.rs" });
    expect(hunks.map((one) => [one.old_start, one.new_start, one.lines])).toEqual([
      [1, 1, [" a", "-b", "+c", "+d"]],
      [9, 10, ["-e", "+f", "\\ No newline at end of file"]],
    ]);
    expect(gapBefore(hunks, 1)).toBe(6);
  });

  test("of a new and of a renamed file", () => {
    expect(readDiff("--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n").header).toEqual({ from: null, to: "n" });
    expect(readDiff("rename from a\nrename to b\n").header).toEqual({ from: "a", to: "b" });
  });

  test("lines that look like headers are lines where lines are due", () => {
    expect(readDiff("--- a\n+++ b\n@@ -1,2 +1,1 @@\n--- x\n-@@ -1 +1 @@\n+++ y\n").hunks[0]?.lines).toEqual(["--- x", "-@@ -1 +1 @@", "+++ y"]);
  });

  test("that is cut or no diff is read as far as it goes", () => {
    expect(readDiff("@@ -1,9 +1,9 @@\n a\n").hunks[0]?.lines).toEqual([" a"]);
    expect(readDiff("no diff at all\n")).toEqual({ header: { from: null, to: null }, hunks: [] });
  });
});

describe("what differs within a line", () => {
  const shown = (before: string, after: string): [string[], string[]] => {
    const marks = wordMarks(before, after);
    return [marks.before.map(([a, b]) => before.slice(a, b)), marks.after.map(([a, b]) => after.slice(a, b))];
  };

  test("is marked word by word", () => {
    expect(shown("let a = old(x);", "let a = new(x);")).toEqual([["old"], ["new"]]);
    expect(shown("f(a, b)", "f(a, b, c)")).toEqual([[], [", c"]]);
  });

  test("is not marked where everything differs", () => {
    expect(shown("one two three", "four five six")).toEqual([[], []]);
  });

  test("is found from both ends of a long line", () => {
    const long = "word ".repeat(4_000);
    expect(shown(`${long}x ${long}`, `${long}y ${long}`)).toEqual([["x"], ["y"]]);
  });
});
