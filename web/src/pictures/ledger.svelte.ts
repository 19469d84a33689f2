/**
 * What sessions took, read from their events: one after the other, the latest first, so that a picture
 * fills while it is looked at. What was read stays as long as the page does.
 */

import type { Event, EventPage, SessionRow } from "../../api/types";
import { sentence } from "../connection/problem";
import { call } from "../connection/rest";
import { entriesOf, type Entry } from "./usage";

const PART = 4000;

/** By session, as of an event. */
const kept = new Map<string, { seq: number; entries: readonly Entry[] }>();

export class Ledger {
  /** What is known, by session. */
  known = $state.raw<ReadonlyMap<string, readonly Entry[]>>(new Map());
  /** Sessions that are still to be read. */
  left = $state(0);
  trouble = $state<string | null>(null);
  #stop = new AbortController();

  /** Reads these sessions, and leaves what it was reading before. */
  async read(rows: readonly SessionRow[]): Promise<void> {
    this.close();
    const { signal } = (this.#stop = new AbortController());
    this.trouble = null;
    const known = new Map<string, readonly Entry[]>();
    const missing = rows.filter((row) => {
      const before = kept.get(row.id);
      if (before) known.set(row.id, before.entries);
      return before?.seq !== row.last_seq && row.last_seq > 0;
    });
    this.known = new Map(known);
    this.left = missing.length;
    try {
      for (const row of missing) {
        const entries = entriesOf(await eventsOf(row.id, signal));
        kept.set(row.id, { seq: row.last_seq, entries });
        this.known = new Map(known.set(row.id, entries));
        this.left -= 1;
      }
    } catch (error) {
      if (!signal.aborted) this.trouble = sentence(error);
    }
  }

  close(): void {
    this.#stop.abort();
  }
}

async function eventsOf(session: string, signal: AbortSignal): Promise<Event[]> {
  const events: Event[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const page: EventPage = await call("listEvents", { params: { session }, query: { after, limit: PART }, signal });
    events.push(...page.items);
    after = page.next;
  }
  return events;
}
