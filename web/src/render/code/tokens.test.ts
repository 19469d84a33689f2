import { beforeAll, expect, test } from "vitest";
import { colour, isColourable, prepare } from "./highlight";
import { languageNamed, languageOf } from "./languages";
import { linesOfHighlighted, markLine, plainLines } from "./tokens";

beforeAll(async () => {
  expect(await Promise.all([prepare("rust"), prepare("xml"), prepare("javascript")])).toEqual([true, true, true]);
});

const textOf = (lines: readonly (readonly { text: string }[])[]): string => lines.map((line) => line.map((token) => token.text).join("")).join("\n");

test("colouring changes no character", () => {
  const source = 'fn main() {\n\tlet s = "<b>&amp;\\"</b>"; /* a\nb */ // é 😀\n}\n\n';
  const lines = colour(source, "rust");
  expect(textOf(lines)).toBe(source);
  expect(lines.flat().some((token) => token.class.includes("hljs-keyword"))).toBe(true);
});

test("what spans lines is coloured in each", () => {
  const lines = colour("/* a\nb */", "rust");
  expect(lines.map((line) => line[0]?.class)).toEqual(["hljs-comment", "hljs-comment"]);
});

test("markup in code is text", () => {
  const source = '<img src=x onerror="alert(1)"><script>alert("&lt;")</script>';
  expect(textOf(colour(source, "xml"))).toBe(source);
  expect(textOf(colour(source, null))).toBe(source);
});

test("HTML that no highlighter writes is text", () => {
  expect(textOf(linesOfHighlighted('<img src=x onerror=alert(1)><span class="hljs-x">a</span>'))).toBe("<img src=x onerror=alert(1)>a");
});

test("marks cut tokens", () => {
  const line = [
    { text: "let ", class: "k" },
    { text: "name", class: "" },
  ];
  expect(markLine(line, [[2, 6]], "m")).toEqual([
    { text: "le", class: "k" },
    { text: "t ", class: "k m" },
    { text: "na", class: "m" },
    { text: "me", class: "" },
  ]);
  expect(markLine(line, [[0, 8]], "m").map((token) => token.class)).toEqual(["k m", "m"]);
  expect(markLine(line, [], "m")).toBe(line);
});

test("what is too large stays plain", () => {
  expect(isColourable("a\n".repeat(90_000))).toBe(true);
  expect(isColourable("a\n".repeat(110_000))).toBe(false);
  expect(isColourable(`x\n${"a".repeat(6_000)}`)).toBe(false);
  expect(plainLines("a\n\nb")).toHaveLength(3);
});

test("languages are known by names and by files", () => {
  expect(languageNamed("TS")).toBe("typescript");
  expect(languageNamed("brainfuck")).toBeNull();
  expect(languageNamed("__proto__")).toBeNull();
  expect(languageOf("/a/b/Main.rs")).toBe("rust");
  expect(languageOf("Dockerfile")).toBe("dockerfile");
  expect(languageOf("a.b/noending")).toBeNull();
});
