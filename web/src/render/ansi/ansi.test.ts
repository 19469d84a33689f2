import { describe, expect, test } from "vitest";
import { isPlain, linesOf, plainText, runsOf } from "./ansi";

const ESC = "\u001b";

test.each([
  ["plain text", "a\nb", [["a\nb", ""]]],
  ["a colour", `${ESC}[31mred${ESC}[0m plain`, [["red", "a-f1"], [" plain", ""]]],
  ["an empty reset", `${ESC}[1mb${ESC}[mc`, [["b", "a-bold"], ["c", ""]]],
  ["several at once", `${ESC}[1;4;32;41mx`, [["x", "a-f2 a-b1 a-bold a-underline"]]],
  ["bright colours", `${ESC}[91;102mx`, [["x", "a-f9 a-b10"]]],
  ["256 colours, by the nearest", `${ESC}[38;5;196mx${ESC}[48;5;16my`, [["x", "a-f9"], ["y", "a-f9 a-b0"]]],
  ["true colours, by the nearest", `${ESC}[38;2;0;200;0mx`, [["x", "a-f2"]]],
  ["true colours with colons", `${ESC}[38:2::255:0:0mx`, [["x", "a-f9"]]],
  ["hidden text is shown", `${ESC}[8msecret`, [["secret", ""]]],
  ["colours go on in the next line", `${ESC}[33ma\nb`, [["a", "a-f3"], ["\n", ""], ["b", "a-f3"]]],
  ["codes that mean nothing", `${ESC}[38;9mx${ESC}[999my`, [["xy", ""]]],
])("%s", (_, text, runs) => {
  expect(runsOf(text).map((run) => [run.text, run.classes])).toEqual(runs);
});

describe("what is not text is not shown, and what is text is", () => {
  test.each([
    ["progress", "10%\r20%\r30%\ndone", "30%\ndone"],
    ["a shorter line over a longer one", "abcdef\rxy", "xycdef"],
    ["a line that is erased first", `abcdef\r${ESC}[Kxy`, "xy"],
    ["the whole line erased", `abc${ESC}[2Kd`, "   d"],
    ["ends of line of Windows", "a\r\nb", "a\nb"],
    ["backspaces", "ab\b\bc", "cb"],
    ["backspaces at the margin", "\b\b\ba", "a"],
    ["moves", `a${ESC}[10;10Hb${ESC}[2Ac${ESC}[2J`, "abc"],
    ["a title", `${ESC}]0;title\u0007text`, "text"],
    ["a link", `${ESC}]8;;https://evil.example${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
    ["the clipboard", `${ESC}]52;c;ZXZpbA==\u0007x`, "x"],
    ["a device string", `${ESC}Pq#0;2;0;0;0${ESC}\\x`, "x"],
    ["character sets", `${ESC}(0x${ESC}(Bz`, "xz"],
    ["a title that never ends hides nothing", `${ESC}]0;${"t".repeat(5000)}`, `0;${"t".repeat(5000)}`],
    ["a title that ends in another line hides nothing", `${ESC}]0;title\ntext\u0007`, "0;title\ntext"],
    ["colours that never end", `a${ESC}[31`, "a"],
    ["an escape at the end", `a${ESC}`, "a"],
    ["8-bit sequences", "\u009b31ma\u009d0;x\u009cb", "ab"],
    ["control characters are drawn", "a\u0000b\u007f", "a␀b␡"],
    ["bells are silent", "a\u0007b", "ab"],
    ["tabs stay", "a\tb", "a\tb"],
  ])("%s", (_, text, shown) => {
    expect(plainText(text)).toBe(shown);
  });
});

test("lines", () => {
  expect(linesOf("a\n\nb\n").map((line) => line.map((run) => run.text).join(""))).toEqual(["a", "", "b"]);
  expect(linesOf("")).toEqual([]);
});

test("text without escapes is known as such", () => {
  expect(isPlain("a\tb\nc")).toBe(true);
  expect(isPlain(`a${ESC}[0m`)).toBe(false);
  expect(isPlain("a\rb")).toBe(false);
});
