import { describe, expect, it } from "vitest";

import { beginAt, hear } from "./dictation";
import { filesAgain, keep, read, type Shelf } from "./kept";
import { meansFiles, wishOf } from "./keys";
import { BUDGETS, budgetName } from "./thinking";

function shelf(): Shelf & { all: Map<string, string> } {
  const all = new Map<string, string>();
  return { all, getItem: (name) => all.get(name) ?? null, setItem: (name, value) => void all.set(name, value), removeItem: (name) => void all.delete(name) };
}

describe("a draft", () => {
  const file = { use: { digest: "d1", as: "block" as const }, name: "a.png", size: 3, isPicture: true };

  it("is kept with its files, for each session, and leaves nothing behind", () => {
    const here = shelf();
    keep(here, "a", { text: "half", files: [file] });
    expect(read(here, "a")).toEqual({ text: "half", files: [file] });
    expect(read(here, "b")).toEqual({ text: "", files: [] });
    keep(here, "a", { text: "", files: [] });
    expect(here.all.size).toBe(0);
  });

  it("has no files where something else stands", () => {
    const here = shelf();
    for (const odd of ["{", "7", "[1,{}]", '[{"use":null}]']) {
      here.setItem("pilothouse.draft-files.a", odd);
      expect(read(here, "a").files).toEqual([]);
    }
  });

  it("gets back what came with a prompt, if the daemon has it", () => {
    const said = [
      { digest: "d1", media_type: "image/png", size: 3, title: "a.png" },
      { digest: "d2", media_type: "text/csv", size: 4, title: null },
      { digest: null, media_type: "image/png", size: 5, title: "gone.png" },
    ];
    expect(filesAgain(said)).toEqual([file, { use: { digest: "d2", as: "path" }, name: "File 2", size: 4, isPicture: false }]);
  });
});

describe("what is spoken", () => {
  it("takes the place of what was heard before, at the caret", () => {
    const first = hear("Please now", beginAt("Please now", 6), "look", 6);
    expect(first.text).toBe("Please look now");
    expect(hear(first.text, first.spoken, "look at it", first.caret)).toMatchObject({ text: "Please look at it now", caret: 17 });
  });

  it("leaves alone what is written meanwhile", () => {
    const { text, spoken } = hear("", beginAt("", 0), "look", 0);
    expect(hear(`First: ${text}!`, spoken, "look here", 0).text).toBe("First: look here!");
    const changed = hear("lock", spoken, "look here", 4);
    expect(changed.text).toBe("lock here");
    expect(hear(changed.text, changed.spoken, "look here now", changed.caret).text).toBe("lock here now");
  });
});

describe("keys", () => {
  const key = (name: string, more = {}) => ({ key: name, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more });
  const here = { hasKeys: true, isPassing: false };

  it("Shift+Tab changes the mode, but not for who walks through the page", () => {
    expect(wishOf(key("Tab", { shiftKey: true }), here)).toBe("next mode");
    expect(wishOf(key("Tab", { shiftKey: true }), { ...here, isPassing: true })).toBe("leave alone");
    expect(wishOf(key("Tab"), here)).toBe("leave alone");
  });

  it("Enter sends where there are keys, with Ctrl at once", () => {
    expect(wishOf(key("Enter"), here)).toBe("send");
    expect(wishOf(key("Enter", { shiftKey: true }), here)).toBe("leave alone");
    expect(wishOf(key("Enter"), { ...here, hasKeys: false })).toBe("leave alone");
    expect(wishOf(key("Enter", { ctrlKey: true }), here)).toBe("send now");
  });

  it("a text is pasted as one, though a picture of it comes along", () => {
    expect(meansFiles("a\tb", ["image.png"])).toBe(false);
    expect(meansFiles("", ["image.png"])).toBe(true);
    expect(meansFiles("list.txt\nother.txt", ["list.txt", "other.txt"])).toBe(true);
    expect(meansFiles("file:///home/me/a%20b.txt", ["a b.txt"])).toBe(true);
    expect(meansFiles("text", [])).toBe(false);
  });
});

it("thinking has a name, whatever the limit", () => {
  expect(budgetName(null)).toBe("Thinks");
  expect(budgetName({ effort: null, max_tokens: 0 })).toBe("No thinking");
  expect(budgetName({ effort: null, max_tokens: 10_000 })).toBe("Thinks up to 10k");
  expect(budgetName({ effort: null, max_tokens: 1_234 })).toBe("Thinks up to 1.2k");
  expect(new Set(BUDGETS.map((one) => one.maxTokens)).size).toBe(BUDGETS.length);
});
