import { expect, it } from "vitest";

import { daysTo, largestFirst, sumOf } from "./usage";

const share = (name: string, cost_usd: number, output: number) => ({ name, cost_usd, output, input: 1, cache_creation: 2, cache_read: 3 });

it("puts the largest first, by what is measured", () => {
  const shares = [share("dear", 2, 1), share("talkative", 1, 100)];
  expect(largestFirst(shares, "cost").map((slice) => slice.name)).toEqual(["dear", "talkative"]);
  expect(largestFirst(shares, "tokens")[0]).toEqual({ name: "talkative", cost: 1, read: 6, written: 100 });
  expect(sumOf("both", shares)).toEqual({ name: "both", cost: 3, read: 12, written: 101 });
});

it("counts days over the ends of months", () => {
  expect(daysTo(new Date(2026, 2, 2), 3)).toEqual(["2026-02-28", "2026-03-01", "2026-03-02"]);
});
