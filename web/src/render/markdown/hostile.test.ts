/**
 * Texts made to hang, to overflow or to be misread. The bounds are far above what was measured
 * (about a second for the worst), so that a busy machine does not fail and a quadratic text does.
 */

import { Lexer } from "marked";
import { expect, test } from "vitest";
import { runsOf } from "../ansi/ansi";
import { wordMarks } from "../diff/words";
import { rowsOf } from "../diff/patch";
import { safeAddress } from "./address";
import { Splitter } from "./blocks";
import { partsOf } from "./lex";
import { mend } from "./mend";

const BOUND_MS = 10_000;

const lines = (line: string, length: number): string => `${line}\n`.repeat(Math.floor(length / (line.length + 1)));

const TEXTS: readonly (readonly [string, string])[] = [
  ["a line of a megabyte", "x".repeat(1_000_000)],
  ["a line of words", "word ".repeat(200_000)],
  ["millions of backticks", "`".repeat(2_000_000)],
  ["backticks of many lengths", Array.from({ length: 1_200 }, (_, i) => "`".repeat(i)).join(" ")],
  ["lines of backticks", lines("`a ``b ```c", 1_000_000)],
  ["deep quotes", ">".repeat(100_000)],
  ["deep quotes with spaces", "> ".repeat(5_000)],
  ["deep lists", "- ".repeat(5_000)],
  ["a staircase of lists", Array.from({ length: 1_500 }, (_, i) => `${" ".repeat(i * 2)}- x`).join("\n")],
  ["a staircase of quotes", Array.from({ length: 1_000 }, (_, i) => `${">".repeat(i)} x`).join("\n")],
  ["quotes and lists mixed", "> - ".repeat(3_000)],
  ["open brackets", "[".repeat(500_000)],
  ["open brackets in lines", lines("[".repeat(70), 500_000)],
  ["half links", lines("[a](b", 500_000)],
  ["half pictures in one paragraph", lines("![a][b ![", 22_000)],
  ["nested brackets", `${"[".repeat(3_000)}a${"](b)".repeat(3_000)}`],
  ["open emphasis", lines("*a **b _c __d ~~e", 500_000)],
  ["emphasis that nests", `${"*a ".repeat(2_500)}${" b*".repeat(2_500)}`],
  ["stars", "*".repeat(500_000)],
  ["stars in lines", lines("*".repeat(60), 22_000)],
  ["underscores between letters", lines("a_".repeat(40), 22_000)],
  ["open angle brackets", lines("<a <b <c", 22_000)],
  ["half comments", lines("<!-- a <!--", 100_000)],
  ["half declarations", lines("<?x <![CDATA[ <!A", 22_000)],
  ["many ampersands", "&#".repeat(4_000)],
  ["a wide table", `|${"a|".repeat(2_000)}\n|${"-|".repeat(2_000)}\n|${"b|".repeat(2_000)}`],
  ["a table with many pipes in a row", `|a|\n|-|\n${lines(`|${"|".repeat(400)}`, 100_000)}`],
  ["many definitions", Array.from({ length: 5_000 }, (_, i) => `[l${i}]: https://example.com/${i}`).join("\n")],
  ["definitions that are used before", `${"[a] ".repeat(1_500)}\n\n${Array.from({ length: 2_000 }, (_, i) => `[l${i}]: https://example.com`).join("\n\n")}`],
  ["many short blocks", "a\n\n".repeat(30_000)],
  ["many fences", "```\n".repeat(50_001)],
  ["an unclosed fence of a megabyte", `\`\`\`js\n${lines("let a = 1;", 1_000_000)}`],
  ["blank lines", "\n".repeat(1_000_000)],
  ["spaces", " ".repeat(1_000_000)],
  ["spaces before a letter", `${" ".repeat(500_000)}x`],
  ["spaces before and after marks", `**a${" ".repeat(15_000)}b`],
  ["tabs and a letter", lines(`${"\t".repeat(50)}x`, 100_000)],
  ["addresses", lines("https://a.b/".repeat(6), 22_000)],
  ["mail addresses that are none", lines(`${"a.".repeat(30)}@`, 22_000)],
  ["at signs", lines("a@".repeat(35), 22_000)],
  ["www", lines("www.".repeat(18), 22_000)],
  ["underlines of headings", lines("a\n=", 200_000)],
  ["numbers of items", lines("1. 2. 3. 4. 5.", 200_000)],
  ["lone halves of characters", "\ud83d".repeat(7_000)],
  ["NUL", "\u0000".repeat(7_000)],
];

test.each(TEXTS)("%s is drawn in bounded time, and no character is lost", (_, text) => {
  const start = performance.now();
  const splitter = new Splitter();
  const blocks = splitter.split(text, false);
  for (const block of blocks) partsOf(block);
  mend(text);
  expect(performance.now() - start).toBeLessThan(BOUND_MS);
  expect(blocks.map((block) => block.source).join("").replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
}, 60_000);

test("a hostile text that arrives in pieces costs a bounded time each", () => {
  for (const [name, text] of TEXTS) {
    const splitter = new Splitter();
    const part = text.slice(0, 100_000);
    let worst = 0;
    for (let end = 20_000; end <= part.length; end += 20_000) {
      const start = performance.now();
      for (const block of splitter.split(part.slice(0, end), true)) if (!block.finished) partsOf({ ...block, source: mend(block.source) });
      worst = Math.max(worst, performance.now() - start);
    }
    expect(worst, name).toBeLessThan(BOUND_MS);
  }
}, 120_000);

test.each([
  ["javascript:alert(1)", null],
  ["JaVaScRiPt:alert(1)", null],
  ["java\tscript:alert(1)", null],
  [" javascript:alert(1)", null],
  ["\u0001javascript:alert(1)", null],
  ["data:text/html,<script>alert(1)</script>", null],
  ["data:image/svg+xml;base64,AAAA", null],
  ["vbscript:x", null],
  ["file:///etc/passwd", null],
  ["blob:https://example.com/1", null],
  ["//example.com", null],
  ["/api/v1/sessions", null],
  ["?a=b", null],
  ["#top", null],
  ["https://", null],
  ["https://example.com/a b", "https://example.com/a%20b"],
  ["HTTPS://EXAMPLE.com", "https://example.com/"],
  ["https://user:pass@example.com/", "https://user:pass@example.com/"],
  ["mailto:a@example.com", "mailto:a@example.com"],
])("the address %j leads to %j", (href, to) => {
  expect(safeAddress(href)).toBe(to);
});

test("what a program prints is read in bounded time", () => {
  const esc = "\u001b";
  for (const text of [
    `${esc}[`.repeat(200_000),
    `${esc}]`.repeat(200_000),
    `${esc}[38;5;`.repeat(50_000),
    `${esc}[31m${esc}[0m`.repeat(50_000),
    `${esc}[${"1;".repeat(200_000)}m`,
    "a\r".repeat(300_000),
    `${"x".repeat(2_000)}\r`.repeat(200),
    "\b".repeat(500_000),
    `${esc}[1K`.repeat(100_000),
    `${esc}P${"x".repeat(4_000)}`.repeat(100),
  ]) {
    const start = performance.now();
    runsOf(text);
    expect(performance.now() - start, JSON.stringify(text.slice(0, 20))).toBeLessThan(BOUND_MS);
  }
});

test("changes are read in bounded time", () => {
  const start = performance.now();
  wordMarks("a ".repeat(50_000), "b ".repeat(50_000));
  rowsOf({ old_start: 1, new_start: 1, old_lines: 0, new_lines: 0, lines: [...Array<string>(2_000).fill(`-${"a b ".repeat(100)}`), ...Array<string>(2_000).fill(`+${"b a ".repeat(100)}`)] });
  expect(performance.now() - start).toBeLessThan(BOUND_MS);
});

test("the bounds of the lexer are needed", () => {
  // If this fails, Marked has become linear here and the bounds can be widened.
  expect(() => new Lexer().lex(">".repeat(20_000))).toThrow();
});
