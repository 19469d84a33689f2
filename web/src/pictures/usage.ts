/**
 * What sessions took, by day, project and model. Pure.
 *
 * The CLI counts per run and from its start, so what a turn took of a model is what the run's count has
 * grown by.
 */

import type { Event, ModelShare } from "../../api/types";

/** What one turn took of one model. */
export type Entry = {
  /** `2026-03-01`, where the reader is. */
  readonly day: string;
  readonly model: string;
  readonly cost: number;
  /** Tokens read, from the cache or not, and written. */
  readonly read: number;
  readonly written: number;
};

const NOBODY: ModelShare = { input: 0, output: 0, cache_creation: 0, cache_read: 0, cost_usd: 0, context_window: null };

/** What a session's turns took. */
export function entriesOf(events: readonly Event[]): Entry[] {
  const entries: Entry[] = [];
  let models: Readonly<Record<string, ModelShare>> = {};
  let total = 0;
  let model = "unknown model";
  for (const event of events) {
    if (event.type === "run_started") [models, total] = [{}, 0];
    if (event.type === "model_changed") model = event.model;
    if (event.type !== "complete") continue;
    const day = dayOf(new Date(event.at));
    const cost = Math.max(0, (event.total_cost_usd ?? total) - total);
    total = event.total_cost_usd ?? total;
    const names = Object.keys(event.models);
    if (names.length === 0) {
      const { input, output, cache_creation, cache_read } = event.tokens;
      entries.push({ day, model, cost, read: input + cache_creation + cache_read, written: output });
      continue;
    }
    for (const name of names) {
      const [now, before] = [event.models[name]!, models[name] ?? NOBODY];
      const grown = (part: "input" | "output" | "cache_creation" | "cache_read") => Math.max(0, now[part] - before[part]);
      const entry: Entry = {
        day,
        model: name,
        cost: Math.max(0, (now.cost_usd ?? 0) - (before.cost_usd ?? 0)),
        read: grown("input") + grown("cache_creation") + grown("cache_read"),
        written: grown("output"),
      };
      if (entry.cost + entry.read + entry.written > 0) entries.push(entry);
    }
    models = event.models;
  }
  return entries;
}

/** The day of a moment, where the reader is. */
export function dayOf(date: Date): string {
  const pad = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** The days up to and with this one, oldest first. */
export function daysTo(end: Date, count: number): string[] {
  return Array.from({ length: count }, (_, at) => dayOf(new Date(end.getFullYear(), end.getMonth(), end.getDate() - count + 1 + at)));
}

/** What is measured. */
export type Measure = "cost" | "tokens";

export function amountOf(entry: Pick<Entry, "cost" | "read" | "written">, measure: Measure): number {
  return measure === "cost" ? entry.cost : entry.read + entry.written;
}

/** An entry and where it was worked. */
export type Placed = Entry & { readonly project: string };

/** Something and what it took. */
export type Slice = { readonly name: string; readonly cost: number; readonly read: number; readonly written: number };

/** Sums entries by what they have in common, the largest first. */
export function sumBy(entries: readonly Placed[], by: "day" | "model" | "project", measure: Measure): Slice[] {
  const sums = new Map<string, Slice>();
  for (const entry of entries) {
    const name = entry[by];
    const { cost, read, written } = sums.get(name) ?? { cost: 0, read: 0, written: 0 };
    sums.set(name, { name, cost: cost + entry.cost, read: read + entry.read, written: written + entry.written });
  }
  return [...sums.values()].toSorted((a, b) => amountOf(b, measure) - amountOf(a, measure));
}
