import { describe, expect, it } from "vitest";

import type { TurnEndItem } from "../state/items";
import { limitNames } from "../render/limits";
import { categoriesOf, fillOf, limitState, partOf, percent, turnsOf } from "./readings";

const turn = (input: number, output: number): TurnEndItem => ({
  key: `e${input}`,
  kind: "turn_end",
  turn: 1,
  at: null,
  seq: 1,
  outcome: "done",
  reason: null,
  durationMs: null,
  durationApiMs: null,
  requests: null,
  tokens: { input, output, cache_creation: 1, cache_read: 2 },
  costUsd: null,
  totalCostUsd: null,
  models: {},
  structuredOutput: null,
  lastMessageUuid: null,
});

describe("context", () => {
  it("has a part between none and all of it", () => {
    expect(partOf({ used: 50, window: 200 })).toBe(0.25);
    expect(partOf({ used: 300, window: 200 })).toBe(1);
    expect(partOf({ used: 1, window: 0 })).toBe(0);
    expect([0, 0.001, 0.254, 1].map(percent)).toEqual(["0 %", "<1 %", "25 %", "100 %"]);
    expect([0.69, 0.7, 0.95].map(fillOf)).toEqual(["calm", "high", "full"]);
  });

  it("is told by what fills it, whatever else the CLI says", () => {
    const categories = [
      { name: "Messages", tokens: 10, kind: "used" },
      { name: "System tools", tokens: 90, kind: "used" },
      { name: "MCP tools", tokens: 30, isDeferred: true },
      { name: "Free space", tokens: 70, kind: "free" },
      { name: "Nothing", tokens: 0 },
      { name: 7, tokens: 7 },
      "word",
      null,
    ];
    const { filled, spare } = categoriesOf({ categories });
    expect(filled.map((one) => one.name)).toEqual(["System tools", "Messages"]);
    expect(spare.map((one) => one.name)).toEqual(["MCP tools", "Free space"]);
    expect(categoriesOf({})).toEqual({ filled: [], spare: [] });
  });
});

it("sums the tokens of turns and knows the last", () => {
  const { last, all } = turnsOf([turn(1, 10), turn(2, 20)]);
  expect(last?.tokens.input).toBe(2);
  expect(all).toEqual({ turns: 2, tokens: { input: 3, output: 30, cache_creation: 2, cache_read: 4 } });
  expect(turnsOf([]).last).toBeNull();
});

it("says how a limit stands", () => {
  const limit = { limit: "five_hour", status: "allowed", resetsAt: null, utilization: 0.2 };
  expect(limitNames("five_hour")).toEqual({ short: "Five hours", name: "five-hour limit" });
  expect(limitNames("a_new_one").short).toBe("a new one");
  expect(limitNames("constructor").short).toBe("constructor");
  expect(limitState(limit)).toEqual({ words: "20 % used", fill: "calm" });
  expect(limitState({ ...limit, status: "allowed_warning", utilization: 0.5 }).fill).toBe("high");
  expect(limitState({ ...limit, status: "rejected" })).toEqual({ words: "reached", fill: "full" });
});
