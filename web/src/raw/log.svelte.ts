/** The wire log of one run: its end first, what came before on demand, and on while it grows. */

import { sentence } from "../connection/problem";
import { call } from "../connection/rest";
import { readRecords, type WireLine } from "./wire";

/** So much at once. */
const PART = 512 * 1024;

export class WireLog {
  lines = $state.raw<readonly WireLine[]>([]);
  /** Where the first line that is here begins. */
  from = $state(0);
  /** The end was read once. */
  here = $state(false);
  busy = $state(false);
  trouble = $state<string | null>(null);
  readonly run: string;
  readonly #session: string;
  readonly #stop = new AbortController();
  #to = 0;
  #wanted = 0;
  /** The length up to which was read; less may have come, since the last line may be half a one. */
  #tried = -1;

  constructor(session: string, run: string) {
    this.#session = session;
    this.run = run;
  }

  /**
   * Reads what there is up to this length; the first time the last part of it. Calling it while something
   * is read makes it read on then.
   */
  readOn(length: number): Promise<void> {
    this.#wanted = Math.max(this.#wanted, length);
    return this.#read(async () => {});
  }

  /** Reads the part before what is here. */
  readBack(): Promise<void> {
    return this.#read(async () => {
      for (let size = PART; this.from > 0; size *= 2) {
        const start = Math.max(0, this.from - size);
        const { lines, from } = await this.#part(start, this.from - start, start > 0);
        // One line may be longer than a part.
        if (lines.length === 0 && start > 0) continue;
        this.lines = [...lines, ...this.lines];
        this.from = start > 0 ? from : 0;
        return;
      }
    });
  }

  close(): void {
    this.#stop.abort();
  }

  async #forward(length: number): Promise<void> {
    if (!this.here) this.#to = this.from = Math.max(0, length - PART);
    while (this.#to < length) {
      const { lines, from, to } = await this.#part(this.#to, length - this.#to, !this.here && this.#to > 0);
      if (!this.here) this.from = from;
      this.lines = [...this.lines, ...lines];
      this.here = true;
      if (to === this.#to) break;
      this.#to = to;
    }
    this.here = true;
    this.#tried = length;
  }

  async #part(offset: number, length: number, cut: boolean) {
    const params = { session: this.#session, run: this.run };
    const blob = await call("getWireLog", { params, query: { offset, length }, signal: this.#stop.signal });
    return readRecords(new Uint8Array(await blob.arrayBuffer()), offset, cut);
  }

  async #read(work: () => Promise<void>): Promise<void> {
    if (this.busy || this.#stop.signal.aborted) return;
    this.busy = true;
    this.trouble = null;
    try {
      await work();
      while (this.#tried < this.#wanted) await this.#forward(this.#wanted);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.trouble = sentence(error);
    }
    this.busy = false;
  }
}
