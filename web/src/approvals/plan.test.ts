import { expect, it } from "vitest";

import { choiceOf, choicesFor } from "./plan";

const key = (key: string, shiftKey = false) => ({ key, shiftKey });

it("has a key for each choice, and one more for the first", () => {
  const choices = choicesFor(true, 7);
  const by = (...keys: ReturnType<typeof key>[]) => keys.map((one) => choiceOf(one, choices, false));
  expect(by(key("1"), key("4"), key("5"), key("0"), key("Tab", true), key("Tab"))).toEqual(["clear_context", "keep_planning", null, null, "clear_context", null]);
});

it("has no key for a yes where a no is better", () => {
  const choices = choicesFor(true, null);
  expect(["1", "2", "3", "4"].map((one) => choiceOf(key(one), choices, true))).toEqual([null, null, null, "keep_planning"]);
  expect(choiceOf(key("Tab", true), choices, true)).toBeNull();
});
