import { readdirSync, readFileSync } from "node:fs";
import { Lexer } from "marked";
import { describe, expect, test } from "vitest";
import { Splitter } from "./blocks";
import { partsOf, type Part } from "./lex";

const root = new URL("../../../../", import.meta.url);
const documents = [
  "README.md",
  ...readdirSync(new URL("docs/", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
].map((path) => [path, readFileSync(new URL(path, root), "utf8").slice(0, 40_000)] as const);

const tricky = [
  ["a list across blank lines", "Intro:\n- a\n\n- b\n\n  more of b\n\n      code of b\n\nAfter.\n"],
  ["numbers", "1. one\n\n2. two\n   ```js\n   a\n\n   b\n   ```\n3. three\n\nEnd"],
  ["a fence in a paragraph", "Text\n```\na\n\nb\n```\nText again\n\n~~~md\n```\n~~~\n"],
  ["headings without blank lines", "# A\ntext\n## B\n- x\n# C\n\n\nSet\n===\n\nText\n---\nmore"],
  ["quotes", "> a\n> b\n\n> c\n>\n> - d\n> - e\n\nf"],
  ["tables", "a\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n| c |\n|---|\n| 3 |\n"],
  ["rules and underlines", "a\n\n---\n\n* * *\n\nb\n- - -\n"],
  ["an unclosed fence", "a\n\n```rust\nfn main() {\n\n}\n"],
  ["fences of several lengths", "````\n```\nx\n```\n````\n\n``` not a fence ``` here\n\ny"],
  ["indented code", "a\n\n    code\n\n    more\n\nb"],
  ["a long list", `${"- entry with some words in it\n  - and one below\n".repeat(300)}\nEnd`],
  ["a long list with blank lines", "1. entry with some words in it\n\n   and more\n\n".repeat(200)],
  ["carriage returns", "a\r\n\r\n- b\r\n- c\r\n\r\nd\r\n"],
] as const;

const shape = (parts: readonly { type: string; raw: string }[]): string[] =>
  parts
    // A long list is drawn as several: what counts are its items.
    .flatMap((part) => (part.type === "list" ? ((part as { items?: { type: string; raw: string }[] }).items ?? []) : [part]))
    .filter((part) => part.type !== "space" && part.type !== "def")
    .map((part) => `${part.type === "fenced" ? "code" : part.type} ${part.raw.trim()}`);

function inPieces(text: string, step: number): { ids: Map<string, string>; parts: Part[] } {
  const splitter = new Splitter();
  const ids = new Map<string, string>();
  for (let end = step; end < text.length; end += step) {
    for (const block of splitter.split(text.slice(0, end), true)) {
      if (!block.finished) continue;
      const before = ids.get(block.id);
      // Asked hundreds of thousands of times, so only what is wrong is told at length.
      if (before !== undefined && before !== block.source) expect(before).toBe(block.source);
      ids.set(block.id, block.source);
    }
  }
  const blocks = splitter.split(text, false);
  for (const [id, source] of ids) {
    if (!id.endsWith("'") && !blocks.some((block) => block.id.startsWith(`${id}'`))) expect(blocks.find((block) => block.id === id)?.source).toBe(source);
  }
  return { ids, parts: blocks.flatMap((block) => partsOf(block)) };
}

describe("a text that is split while it grows reads like the whole", () => {
  test.each([...documents, ...tricky])("%s", (_, text) => {
    const whole = shape(new Lexer({ gfm: true }).lex(text));
    for (const step of [1, 7, 64]) {
      if (step === 1 && text.length > 4_000) continue;
      expect(shape(inPieces(text, step).parts)).toEqual(whole);
    }
  });
});

test("finished blocks stay the same objects", () => {
  const splitter = new Splitter();
  const first = splitter.split("one\n\ntwo\n\nthree\nfo", true);
  const second = splitter.split("one\n\ntwo\n\nthree\nfour and more", true);
  expect(second[0]).toBe(first[0]);
  expect(second[1]).toBe(first[1]);
  expect(second.at(-1)?.finished).toBe(false);
});

test("a text that did not just grow is split anew", () => {
  const splitter = new Splitter();
  splitter.split("one\n\ntwo\n\nthree\n", true);
  expect(splitter.split("other\n\ntext\n", false).map((block) => block.source)).toEqual(["other\n\n", "text\n"]);
});

test("an address that comes later reaches the blocks that wait for it, and only those", () => {
  const splitter = new Splitter();
  const before = splitter.split("see [there][x]\n\nplain\n\n", true);
  const after = splitter.split("see [there][x]\n\nplain\n\n[x]: https://example.com\n", false);
  expect(after[0]?.id).not.toBe(before[0]?.id);
  expect(after[1]?.id).toBe(before[1]?.id);
  expect(JSON.stringify(partsOf(after[0] ?? expect.fail()))).toContain("https://example.com");
});

test("labels of addresses cannot reach into objects", () => {
  const splitter = new Splitter();
  const blocks = splitter.split("[a][__proto__] [b][constructor]\n\n[__proto__]: https://example.com\n", false);
  expect(() => blocks.flatMap((block) => partsOf(block))).not.toThrow();
  expect(({} as Record<string, unknown>)["href"]).toBeUndefined();
});
