import { expect, it } from "vitest";

import type { Event } from "../../api/types";
import { daysTo, entriesOf, sumBy } from "./usage";

type Body = { type: Event["type"] } & Record<string, unknown>;

const share = (output: number, cost_usd: number | null) => ({ input: output * 10, output, cache_creation: 0, cache_read: 5, cost_usd, context_window: null });

function events(...those: Body[]): Event[] {
  return those.map((body, at) => ({ session: "s", seq: at + 1, at: new Date(2026, 2, 1, 12, at).toISOString(), turn: 1, parent_tool_call_id: null, ...body }) as unknown as Event);
}

const tokens = { input: 3, output: 2, cache_creation: 1, cache_read: 4 };

it("takes what the counts of a run have grown by, and begins anew with each run", () => {
  const entries = entriesOf(
    events(
      { type: "run_started" },
      { type: "complete", models: { big: share(10, 0.5) }, total_cost_usd: 0.5, tokens },
      { type: "complete", models: { big: share(10, 0.5), small: share(4, 0.1) }, total_cost_usd: 0.6, tokens },
      { type: "run_started" },
      { type: "complete", models: { big: share(1, 0.2) }, total_cost_usd: 0.2, tokens },
    ),
  );
  expect(entries).toEqual([
    { day: "2026-03-01", model: "big", cost: 0.5, read: 105, written: 10 },
    { day: "2026-03-01", model: "small", cost: 0.1, read: 45, written: 4 },
    { day: "2026-03-01", model: "big", cost: 0.2, read: 15, written: 1 },
  ]);
});

it("gives a turn that names no model to the session's", () => {
  const [entry] = entriesOf(events({ type: "model_changed", model: "big" }, { type: "complete", models: {}, total_cost_usd: 0.25, tokens }));
  expect(entry).toEqual({ day: "2026-03-01", model: "big", cost: 0.25, read: 8, written: 2 });
  expect(entriesOf(events({ type: "complete", models: {}, total_cost_usd: null, tokens }))[0]).toMatchObject({ cost: 0, model: "unknown model" });
});

it("sums, the largest first, by what is measured", () => {
  const entries = [
    { day: "d", model: "a", project: "/p", cost: 1, read: 1, written: 1 },
    { day: "d", model: "b", project: "/p", cost: 2, read: 0, written: 1 },
    { day: "e", model: "a", project: "/q", cost: 0.5, read: 1, written: 1 },
  ];
  expect(sumBy(entries, "model", "cost").map((one) => [one.name, one.cost])).toEqual([["b", 2], ["a", 1.5]]);
  expect(sumBy(entries, "model", "tokens")[0]?.name).toBe("a");
  expect(sumBy(entries, "project", "cost")[0]).toEqual({ name: "/p", cost: 3, read: 1, written: 2 });
});

it("counts days over the ends of months", () => {
  expect(daysTo(new Date(2026, 2, 2), 3)).toEqual(["2026-02-28", "2026-03-01", "2026-03-02"]);
});
