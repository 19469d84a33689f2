import { describe, expect, it } from "vitest";

import type { Item } from "../state/items";
import { recall, said } from "./history";
import { completed, fitting, wanted } from "./words";

describe("completion", () => {
  it("wants a command only at the very beginning", () => {
    expect(wanted("/com", 4)).toMatchObject({ kind: "command", word: "com" });
    expect(wanted("/compact keep", 13)).toBeNull();
    expect(wanted("see /com", 8)).toBeNull();
  });

  it("wants a file after @, but not in an address", () => {
    expect(wanted("look at @src/ma", 15)).toEqual({ kind: "file", word: "src/ma", from: 8, to: 15 });
    expect(wanted("@", 1)).toMatchObject({ kind: "file", word: "" });
    expect(wanted("me@example", 10)).toBeNull();
    expect(wanted("@a b", 4)).toBeNull();
  });

  it("puts what was chosen in place, and goes on within a directory", () => {
    const text = "look at @sr now";
    const want = wanted(text, 11)!;
    expect(completed(text, want, "@src/main.rs")).toEqual({ text: "look at @src/main.rs now", caret: 20 });
    expect(completed("@sr", wanted("@sr", 3)!, "@src/")).toEqual({ text: "@src/", caret: 5 });
    expect(completed("/co", wanted("/co", 3)!, "/compact")).toEqual({ text: "/compact ", caret: 9 });
  });

  it("has commands first that begin so", () => {
    const commands = ["recompact", "plugin:compact", "compact", "clear"].map((name) => ({ name, description: "", argument_hint: "" }));
    expect(fitting(commands, "Com").map((one) => one.name)).toEqual(["compact", "plugin:compact", "recompact"]);
    expect(fitting(commands, "")).toHaveLength(4);
  });
});

describe("what was said before", () => {
  const prompts = ["third", "second", "first"];

  it("comes back from the last, and ends with an empty field", () => {
    const third = recall(prompts, { text: "", at: null }, "older")!;
    expect(third).toEqual({ text: "third", at: 0 });
    const second = recall(prompts, third, "older")!;
    expect(second.text).toBe("second");
    expect(recall(prompts, third, "newer")).toEqual({ text: "", at: null });
    expect(recall(prompts, { text: "first", at: 2 }, "older")).toBeNull();
    expect(recall(prompts, { text: "", at: null }, "newer")).toBeNull();
  });

  it("does not take the place of what was written or changed", () => {
    expect(recall(prompts, { text: "half", at: null }, "older")).toBeNull();
    expect(recall(prompts, { text: "third!", at: 0 }, "older")).toBeNull();
  });

  it("is what people said, each once in a row", () => {
    const user = (text: string, kind: "user" | "host") => ({ kind: "user", text, origin: { kind } }) as Item;
    expect(said([user("a", "user"), user("a", "user"), user("x", "host"), user("b", "user")])).toEqual(["b", "a"]);
  });
});
