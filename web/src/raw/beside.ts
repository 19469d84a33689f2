/**
 * Which events stand beside which line. Pure.
 *
 * Events do not say which line they came from. One that carries the name of something (a call, a
 * message, a prompt) stands beside the line that has that name; any other beside the last line that was
 * there when it was told.
 */

import type { Event } from "../../api/types";
import type { WireLine } from "./wire";

/** A line and the events that came of it. */
export type Beside = { readonly line: WireLine; readonly events: readonly Event[] };

/** Clocks of two processes are the same clock, read at slightly different times. */
const SLACK = 2;
/** An event comes of one of so many last lines. */
const BACK = 400;
/** A decision is stored before it is written; so much later it is. */
const SOON = 5000;

/** With `cut`, there are lines before these, and events that belong to them. */
export function beside(lines: readonly WireLine[], events: readonly Event[], cut: boolean): Beside[] {
  const rows = lines.map((line) => ({ line, events: [] as Event[] }));
  if (rows.length === 0) return rows;
  let high = 0;
  for (const event of events) {
    const at = Date.parse(event.at);
    if (cut && at < lines[0]!.at) continue;
    while (high + 1 < lines.length && lines[high + 1]!.at <= at + SLACK) high += 1;
    const place = placeOf(rows, event, Math.max(0, high - BACK), high);
    rows[place ?? high]!.events.push(event);
  }
  return rows;
}

/** The line that an event is about, among those that were there, else among those that came soon after. */
function placeOf(rows: readonly Beside[], event: Event, low: number, high: number): number | null {
  if (event.type === "unknown") {
    // Each line that nobody understands is told of once, in their order.
    return find(rows, low, high, ({ line, events }) => line.type === event.what && !events.some((one) => one.type === "unknown"));
  }
  const name = nameOf(event);
  if (name === null) return null;
  const has = ({ line }: Beside) => line.text.includes(name);
  // Every line names the conversation; the first with a new one changed it.
  if (event.type === "conversation_changed") return find(rows, low, high, has);
  const until = waits(event) ? Number.POSITIVE_INFINITY : Date.parse(event.at) + SOON;
  for (let at = high; at >= low; at -= 1) if (has(rows[at]!)) return at;
  for (let at = high + 1; at < rows.length && rows[at]!.line.at <= until; at += 1) if (has(rows[at]!)) return at;
  return null;
}

function find(rows: readonly Beside[], low: number, high: number, fits: (row: Beside) => boolean): number | null {
  for (let at = low; at <= high; at += 1) if (fits(rows[at]!)) return at;
  return null;
}

/** A prompt is written when it is its turn. */
function waits(event: Event): boolean {
  return event.type === "user_message" || event.type === "prompt_updated";
}

function nameOf(event: Event): string | null {
  switch (event.type) {
    case "tool_call":
    case "tool_update":
    case "file_updated":
      return event.tool_call_id;
    case "approval_requested":
    case "approval_resolved":
      return event.tool_call_id;
    case "message":
      return event.uuid;
    case "user_message":
    case "prompt_updated":
      return event.prompt;
    case "task_started":
    case "task_updated":
    case "task_ended":
      return event.task_id;
    case "conversation_changed":
      return event.cli_session;
    case "complete":
      return '"type":"result"';
    default:
      return null;
  }
}

/** The events of one run: with what it was started for, which came before its start, until the run after it. */
export function ofRun(events: readonly Event[], run: string): readonly Event[] {
  const start = events.findIndex((event) => event.type === "run_started" && event.run === run);
  if (start < 0) return [];
  const from = afterEnd(events, start);
  const next = events.findIndex((event, at) => at > start && event.type === "run_started");
  return events.slice(from, next < 0 ? undefined : Math.max(start, afterEnd(events, next)));
}

/** The place after the run that ended last before this place. */
function afterEnd(events: readonly Event[], place: number): number {
  const before = events.slice(0, place);
  const ended = before.findLastIndex((event) => event.type === "run_ended");
  const started = before.findLastIndex((event) => event.type === "run_started");
  return started > ended ? place : ended + 1;
}

/** What is wanted of the rows. */
export type Wanted = { readonly words: string; readonly source: WireLine["source"] | "all" | "unknown" };

export function fits({ line, events }: Beside, wanted: Wanted): boolean {
  const isUnknown = events.some((event) => event.type === "unknown");
  if (wanted.source === "unknown" ? !isUnknown : wanted.source !== "all" && line.source !== wanted.source) return false;
  const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (word: string) =>
    line.text.toLowerCase().includes(word) || (line.type?.toLowerCase().includes(word) ?? false) || events.some((event) => event.type.includes(word) || word === `#${event.seq}`);
  return words.every(has);
}
