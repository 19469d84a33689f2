/** The events of a session as they are stored, read part by part, and read on when there are more. */

import type { Event, SessionId } from "../../api/types";
import { sentence } from "../connection/problem";
import { call } from "../connection/rest";

/** So many at once: some megabytes. */
const PART = 4000;

export class EventFeed {
  events = $state.raw<readonly Event[]>([]);
  /** Everything there was has been read once. */
  whole = $state(false);
  trouble = $state<string | null>(null);
  readonly #session: SessionId;
  readonly #stop = new AbortController();
  #reading = false;
  #wanted = 0;

  constructor(session: SessionId) {
    this.#session = session;
  }

  /** Reads what is missing up to this number. Calling it while it reads makes it read on. */
  async readTo(seq: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, seq);
    if (this.#reading || this.#stop.signal.aborted) return;
    this.#reading = true;
    this.trouble = null;
    const signal = this.#stop.signal;
    const params = { session: this.#session };
    try {
      const read = [...this.events];
      for (let after = read.at(-1)?.seq ?? 0; after < this.#wanted; ) {
        const { items, next } = await call("listEvents", { params, query: { after, limit: PART }, signal });
        read.push(...items);
        // More may be wanted by now than when this part was asked for. Where there is nothing more, there is an end.
        after = next ?? items.at(-1)?.seq ?? this.#wanted;
      }
      this.events = read;
      this.whole = true;
    } catch (error) {
      if (!signal.aborted) this.trouble = sentence(error);
    }
    this.#reading = false;
  }

  close(): void {
    this.#stop.abort();
  }
}
