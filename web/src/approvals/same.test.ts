import { expect, it } from "vitest";

import type { Decision } from "../../api/types";
import { isSame } from "./same";

const allowed: Decision = { kind: "allow", input: null, updates: [] };

it("knows its own answer again", () => {
  expect(isSame({ kind: "allow" }, allowed)).toBe(true);
  expect(isSame({ kind: "allow", input: { command: "ls" } }, allowed)).toBe(false);
  expect(isSame({ kind: "allow", updates: [{ type: "setMode" }] }, allowed)).toBe(false);
  expect(isSame({ kind: "deny", stop: true }, { kind: "deny", message: null, stop: true })).toBe(true);
  expect(isSame({ kind: "deny" }, { kind: "deny", message: null, stop: true })).toBe(false);
  expect(isSame({ kind: "deny" }, allowed)).toBe(false);
  expect(isSame({ kind: "plan", choice: "accept_edits" }, { kind: "plan", choice: "keep_planning", feedback: null, plan: null })).toBe(false);
});
