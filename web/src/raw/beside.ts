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
/** A decision is stored before it is written; so much later it is. */
const SOON = 5000;

export function beside(lines: readonly WireLine[], events: readonly Event[]): Beside[] {
  const rows = lines.map((line) => ({ line, events: [] as Event[] }));
  if (rows.length === 0) return rows;
  let low = 0;
  let high = 0;
  for (const event of events) {
    const at = Date.parse(event.at);
    while (high + 1 < lines.length && lines[high + 1]!.at <= at + SLACK) high += 1;
    const name = nameOf(event);
    const until = waits(event) ? Number.POSITIVE_INFINITY : at + SOON;
    const place = name === null ? null : (lastWith(lines, name, low, high) ?? nextWith(lines, name, high + 1, until));
    rows[place ?? high]!.events.push(event);
    if (place === null) low = high;
  }
  return rows;
}

function lastWith(lines: readonly WireLine[], name: string, low: number, high: number): number | null {
  for (let at = high; at >= low; at -= 1) if (lines[at]!.text.includes(name)) return at;
  return null;
}

function nextWith(lines: readonly WireLine[], name: string, from: number, until: number): number | null {
  for (let at = from; at < lines.length && lines[at]!.at <= until; at += 1) if (lines[at]!.text.includes(name)) return at;
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
