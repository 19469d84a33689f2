/**
 * Which events stand beside which line. Pure.
 *
 * An event says of which record of the log it came. One that came from elsewhere, such as a prompt or
 * an answer, stands beside the line to the CLI that has its name, else beside the last line there was.
 */

import type { Event } from "../../api/types";
import type { WireLine } from "./wire";

/** A line and the events that came of it. */
export type Beside = { readonly line: WireLine; readonly events: readonly Event[] };

type Row = { readonly line: WireLine; readonly events: Event[] };

/** With `cut`, there are lines before these, and events that belong to them. */
export function beside(lines: readonly WireLine[], events: readonly Event[], cut: boolean): Beside[] {
  const rows: Row[] = lines.map((line) => ({ line, events: [] }));
  const places = new Map(rows.map((row) => [row.line.offset, row]));
  const sent = rows.filter((row) => row.line.source === "in");
  let last = cut ? undefined : rows[0];
  for (const event of events) {
    if (event.wire == null) {
      (lineWith(sent, nameOf(event)) ?? last)?.events.push(event);
      continue;
    }
    const place = places.get(event.wire);
    place?.events.push(event);
    last = place ?? last;
  }
  return rows;
}

function lineWith(sent: readonly Row[], name: string | null): Row | undefined {
  return name === null ? undefined : sent.find((row) => row.line.text.includes(name));
}

/** What the CLI is told of with its name. */
function nameOf(event: Event): string | null {
  switch (event.type) {
    case "approval_resolved":
      return event.tool_call_id;
    case "user_message":
    case "prompt_updated":
      return event.prompt;
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
