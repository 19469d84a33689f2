/** What sessions took, as pictures show it: the daemon has summed it already. Pure. */

import type { Share } from "../../api/types";

/** What is measured. */
export type Measure = "cost" | "tokens";

/** Something and what it took: tokens read, from the cache or not, and written. */
export type Slice = { readonly name: string; readonly cost: number; readonly read: number; readonly written: number };

export function sliceOf(share: Share): Slice {
  return { name: share.name, cost: share.cost_usd, read: share.input + share.cache_creation + share.cache_read, written: share.output };
}

export function amountOf(slice: Slice, measure: Measure): number {
  return measure === "cost" ? slice.cost : slice.read + slice.written;
}

/** The largest first, by what is measured. */
export function largestFirst(shares: readonly Share[], measure: Measure): Slice[] {
  return shares.map(sliceOf).toSorted((a, b) => amountOf(b, measure) - amountOf(a, measure));
}

/** All of them as one. */
export function sumOf(name: string, shares: readonly Share[]): Slice {
  const sum = { name, cost: 0, read: 0, written: 0 };
  for (const { cost, read, written } of shares.map(sliceOf)) {
    sum.cost += cost;
    sum.read += read;
    sum.written += written;
  }
  return sum;
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
