/** Recorded conversations as the daemon tells of them, and the ways in which a network mangles that. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Delta, Event, OpenItem } from "../../api/types";
import { emptySession, reduce, type SessionState, type Update } from "./state";

/** A line of a log. */
export type Line = { event: Event } | { delta: Delta };

const directory = join(import.meta.dirname, "../../fixtures/logs");

/** The names of all logs. */
export const names: readonly string[] = readdirSync(directory).map((file) => file.replace(".jsonl", ""));

/** A log by its name. */
export function log(name: string): Line[] {
  const text = readFileSync(join(directory, `${name}.jsonl`), "utf8");
  return text.trim().split("\n").map((line) => JSON.parse(line) as Line);
}

export function eventsOf(lines: readonly Line[]): Event[] {
  return lines.flatMap((line) => ("event" in line ? [line.event] : []));
}

/** A line as a message of the daemon. */
export function message(line: Line, session: string): Update {
  return "event" in line
    ? { type: "events", session, events: [line.event] }
    : { type: "deltas", session, deltas: [line.delta] };
}

/** A session of which nothing is known. */
export function nobody(lines: readonly Line[]): SessionState {
  return emptySession(eventsOf(lines)[0]!.session);
}

/** Everything, one by one, as it happened. */
export function live(lines: readonly Line[]): SessionState {
  return lines.reduce((state, line) => {
    const step = reduce(state, message(line, state.id));
    if (step.resubscribe !== null) throw new Error(`asked for ${step.resubscribe} without need`);
    return step.state;
  }, nobody(lines));
}

/** A daemon that has shown the first lines of a log. */
export class Daemon {
  readonly #lines: readonly Line[];
  readonly #session: string;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
    this.#session = eventsOf(lines)[0]!.session;
  }

  /** What a subscription hears before anything new happens. */
  answer(after: number, shown: number): Update[] {
    const lines = this.#lines.slice(0, shown);
    const events = eventsOf(lines);
    const news = events.filter((event) => event.seq > after);
    const told: Update[] = news.length > 0 ? [{ type: "events", session: this.#session, events: news }] : [];
    return [...told, { type: "live", session: this.#session, seq: events.length, open_items: openItems(lines) }];
  }
}

/** What has begun and not ended. */
function openItems(lines: readonly Line[]): OpenItem[] {
  const open = new Map<number, OpenItem>();
  for (const line of lines) {
    if ("event" in line) {
      const event = line.event;
      if ("item" in event) open.delete(event.item);
      if (event.type === "retracted") for (const item of event.items) open.delete(item);
      continue;
    }
    const { item, text, type } = line.delta;
    const before = open.get(item)?.text ?? "";
    open.set(item, { item, type, text: before + text, turn: null, parent_tool_call_id: null, tool_name: null });
  }
  return [...open.values()];
}

/** The same numbers for everybody: a small generator with a seed. */
export function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
