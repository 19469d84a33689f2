/** What the meters show, read from a session's state. Pure. */

import type { ContextReport, ModelShare, Tokens } from "../../api/types";
import type { SocketState } from "../connection/socket";
import type { Item, TurnEndItem } from "../state/items";
import type { ContextUse, RateLimit } from "../state/state";

/** How near to its end something is. */
export type Fill = "calm" | "high" | "full";

/** Above this part one should think of making room. */
const HIGH = 0.7;
const FULL = 0.9;

export function fillOf(part: number): Fill {
  return part >= FULL ? "full" : part >= HIGH ? "high" : "calm";
}

/** 0 to 1. */
export function partOf(context: ContextUse): number {
  return context.window > 0 ? Math.min(1, context.used / context.window) : 0;
}

export function percent(part: number): string {
  const hundred = part * 100;
  return `${hundred > 0 && hundred < 1 ? "<1" : Math.round(hundred)} %`;
}

/** What turns took together. */
export type Taken = { readonly turns: number; readonly tokens: Tokens };

/** The turn that settled last, and what all of them took. Costs are not summed: the session knows them. */
export function turnsOf(items: readonly Item[]): { last: TurnEndItem | null; all: Taken } {
  const tokens = { input: 0, output: 0, cache_creation: 0, cache_read: 0 };
  let last: TurnEndItem | null = null;
  let turns = 0;
  for (const item of items) {
    if (item.kind !== "turn_end") continue;
    last = item;
    turns += 1;
    tokens.input += item.tokens.input;
    tokens.output += item.tokens.output;
    tokens.cache_creation += item.tokens.cache_creation;
    tokens.cache_read += item.tokens.cache_read;
  }
  return { last, all: { turns, tokens } };
}

/** Tokens that were read, from the cache or not. */
export function readTokens(tokens: Tokens | ModelShare): number {
  return tokens.input + tokens.cache_creation + tokens.cache_read;
}

/** Something that fills the context. */
export type Category = { readonly name: string; readonly tokens: number };

/** What fills the context, the largest first. The CLI says it in its own words, so nothing is taken for granted. */
export function categoriesOf(report: ContextReport): { filled: readonly Category[]; spare: readonly Category[] } {
  const filled: Category[] = [];
  const spare: Category[] = [];
  for (const one of report.categories ?? []) {
    if (typeof one !== "object" || one === null) continue;
    const { name, tokens, kind, id, isDeferred } = one as Record<string, unknown>;
    if (typeof name !== "string" || typeof tokens !== "number" || tokens <= 0) continue;
    const isSpare = isDeferred === true || kind === "free" || kind === "buffer" || id === "free_space" || name === "Free space";
    (isSpare ? spare : filled).push({ name, tokens });
  }
  return { filled: filled.toSorted((a, b) => b.tokens - a.tokens), spare };
}

/** How a limit stands, in a few words. */
export function limitState(limit: RateLimit): { words: string; fill: Fill } {
  if (limit.status === "rejected") return { words: "reached", fill: "full" };
  if (limit.utilization !== null) return { words: `${percent(limit.utilization)} used`, fill: limit.status === "allowed_warning" ? "high" : fillOf(limit.utilization) };
  if (limit.status === "allowed_warning") return { words: "near", fill: "high" };
  return { words: "not near", fill: "calm" };
}

export function connectionWords(state: SocketState): string {
  switch (state.kind) {
    case "open":
      return "Connected";
    case "connecting":
      return "Connecting…";
    case "waiting":
      return state.attempts > 1 ? `Not connected, tried ${state.attempts} times` : "Not connected";
    case "closed":
      return "Closed";
  }
}
