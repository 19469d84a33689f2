import { describe, expect, test } from "vitest";
import type { Approval } from "../../../api/types";
import { question, subjectLine } from "../../approvals/words";
import { titleOf } from "../../state/list";
import { describe as describeCall } from "../tools/describe";
import { bytes, count, dollars, duration, oneLine, plural, splitPath } from "../format";
import { foldEnd, foldStart, countLines } from "./fold";
import unseen from "./unseen.json";
import { named, reveal } from "./visible";

const read = (text: string, place: "prose" | "code"): string => reveal(text, place).map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text)).join("");

describe("characters that cannot be seen", () => {
  test("that reorder text are named everywhere", () => {
    expect(read("user\u202egnp.exe", "prose")).toBe("user[U+202E]gnp.exe");
    expect(read("\u2066a\u2069", "prose")).toBe("[U+2066]a[U+2069]");
  });

  test("that carry text are named", () => {
    expect(read("a\u{e0041}b", "prose")).toBe("a[U+E0041]b");
  });

  test("that belong to writing and emoji stay in prose, and are named in code", () => {
    const family = "👨\u200d👩";
    expect(read(family, "prose")).toBe(family);
    expect(read("a\u200bb", "prose")).toBe("a\u200bb");
    expect(read("a\u200bb\ufeff", "code")).toBe("a[U+200B]b[U+FEFF]");
    const england = "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
    expect(read(england, "prose")).toBe(england);
  });

  test("are named in titles and names, the same as in the terminal", () => {
    expect(named("a\u001b]0;t\u0007\u009b2J\u202eb\u{e0041}")).toBe("a<U+001B>]0;t<U+0007><U+009B>2J<U+202E>b<U+E0041>");
    expect(named("größe 漢字 👩\u200d🚒\n")).toBe("größe 漢字 👩\u200d🚒\n");
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const isListed = unseen.some(([first, last]) => first! <= code && code <= last!) && code !== 9 && code !== 10;
      const text = String.fromCodePoint(code);
      if ((named(text) !== text) !== isListed) expect.fail(`U+${code.toString(16)}`);
    }
  });

  test("are named in the title of a session, of a call and of a request", () => {
    expect(titleOf({ title: "a\u202eb", cwd: "/" })).toBe("a<U+202E>b");
    expect(describeCall({ payload: null, toolName: "T", title: "a\u202eb", state: "running" }).subject).toBe("a<U+202E>b");
    const subject = { kind: "elicitation", server: "s\u202e", message: "m\u009b" } as Approval["subject"];
    expect(question({ subject } as Approval)).toBe("s<U+202E> asks");
    expect(subjectLine({ subject } as Approval)).toBe("m<U+009B>");
  });

  test("plain text is one piece", () => {
    expect(reveal("plain", "code")).toEqual([{ text: "plain", hidden: false }]);
    expect(reveal("", "code")).toEqual([]);
  });
});

describe("folding", () => {
  const bounds = { lines: 2, width: 5 };
  test("from the end", () => {
    expect(foldEnd("a\nb\nc\nd\n", bounds)).toEqual({ text: "a\nb", hiddenLines: 2, cutLines: 0, lines: 4 });
    expect(foldEnd("abcdefgh", bounds)).toEqual({ text: "abcde…", hiddenLines: 0, cutLines: 1, lines: 1 });
    expect(foldEnd("", bounds)).toEqual({ text: "", hiddenLines: 0, cutLines: 0, lines: 0 });
  });

  test("from the start", () => {
    expect(foldStart("a\nb\nc\nd\n", bounds)).toEqual({ text: "c\nd", hiddenLines: 2, cutLines: 0, lines: 4 });
    expect(foldStart("\na", bounds)).toEqual({ text: "\na", hiddenLines: 0, cutLines: 0, lines: 2 });
    expect(foldStart("a", bounds).text).toBe("a");
  });

  test("does not cut a character in two", () => {
    expect(foldEnd("abcd😀ef", bounds).text).toBe("abcd…");
  });

  test("counts lines", () => {
    expect(["", "a", "a\n", "a\nb", "\n\n"].map(countLines)).toEqual([0, 1, 1, 2, 2]);
  });
});

test("numbers read well", () => {
  expect([0, 840, 3_210, 59_970, 65_000, 3_599_999, 7_380_000].map(duration)).toEqual(["0 ms", "840 ms", "3.2 s", "1 m 00 s", "1 m 05 s", "1 h 00 m", "2 h 03 m"]);
  expect([0, 1023, 1024, 4_300_000].map(bytes)).toEqual(["0 B", "1023 B", "1 KiB", "4.1 MiB"]);
  expect([950, 12_400, 1_200_000].map(count)).toEqual(["950", "12.4k", "1.2M"]);
  expect([0, 0.00423, 1.266].map(dollars)).toEqual(["$0", "$0.0042", "$1.27"]);
  expect([plural(1, "line"), plural(1200, "line")]).toEqual(["1 line", "1,200 lines"]);
  expect(splitPath("/a/b/c.rs")).toEqual({ directory: "/a/b/", name: "c.rs" });
  expect(oneLine("a\n b", 10)).toBe("a b");
});
