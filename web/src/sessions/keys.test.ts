import { expect, it } from "vitest";

import { opensNew } from "./keys";

const key = (key: string, code: string, more = {}) => ({ altKey: true, ctrlKey: false, metaKey: false, shiftKey: false, key, code, ...more });

it("opens a new session by the letter, or by the place of a key that is an accent", () => {
  expect(opensNew(key("n", "KeyN"))).toBe(true);
  // Dvorak has the letter elsewhere.
  expect(opensNew(key("n", "KeyL"))).toBe(true);
  expect(opensNew(key("b", "KeyN"))).toBe(false);
  // Option and N on a Mac.
  expect(opensNew(key("Dead", "KeyN"))).toBe(true);
  expect(opensNew(key("˜", "KeyN"))).toBe(true);
  expect(opensNew(key("n", "KeyN", { altKey: false }))).toBe(false);
  // AltGr is Ctrl and Alt on some systems.
  expect(opensNew(key("ñ", "KeyN", { ctrlKey: true }))).toBe(false);
});
