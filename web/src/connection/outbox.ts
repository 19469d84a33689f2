/**
 * Prompts on their way to the daemon. Kept until their event has come, over breaks of the
 * connection and reloads of the page; each has its id, so one that arrives twice is said once.
 */

import type { AttachmentUse, PromptId, SessionId, Urgency } from "../../api/types";
import { Unreachable, sentence } from "./problem";
import type { World } from "./socket";

/** A prompt that the daemon has not confirmed. */
export type Outgoing = {
  readonly prompt: PromptId;
  readonly session: SessionId;
  readonly text: string;
  readonly attachments: readonly AttachmentUse[];
  readonly urgency: Urgency;
  /** The daemon has it; its event is still to come. */
  readonly taken: boolean;
  /** Why the daemon refused it. */
  readonly failed: string | null;
};

/** How one is sent. Throws `Unreachable` where that can be tried again. */
export type Send = (outgoing: Outgoing) => Promise<void>;

/** Where they are kept. */
export type Shelf = Pick<Storage, "getItem" | "setItem">;

const PLACE = "pilothouse.outbox";
/** Where the daemon did not answer although the connection stands, nobody would say when to try again. */
const RETRY = 3_000;

export class Outbox {
  readonly #shelf: Shelf;
  readonly #send: Send;
  readonly #changed: (all: readonly Outgoing[]) => void;
  #all: readonly Outgoing[];
  readonly #after: World["after"];
  #sending = false;
  #cancel: () => void = () => {};

  constructor(shelf: Shelf, send: Send, changed: (all: readonly Outgoing[]) => void, after: World["after"]) {
    this.#shelf = shelf;
    this.#send = send;
    this.#changed = changed;
    this.#after = after;
    this.#all = read(shelf);
    changed(this.#all);
  }

  add(outgoing: Omit<Outgoing, "failed" | "taken">): void {
    this.#keep([...this.#all, { ...outgoing, taken: false, failed: null }]);
    void this.flush();
  }

  /** Forgets one: its event has come, or nobody wants it any more. */
  forget(prompt: PromptId): void {
    if (this.#all.some((one) => one.prompt === prompt)) {
      this.#keep(this.#all.filter((one) => one.prompt !== prompt));
    }
  }

  /** Sends what is there, in order, until the daemon cannot be reached; then tries again after a while. */
  async flush(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    this.#cancel();
    try {
      const tried = new Set<PromptId>();
      for (;;) {
        const next = this.#all.find((one) => one.failed === null && !one.taken && !tried.has(one.prompt));
        if (!next) return;
        tried.add(next.prompt);
        try {
          await this.#send(next);
          this.#mark(next, { taken: true });
        } catch (error) {
          if (error instanceof Unreachable) {
            this.#cancel = this.#after(RETRY, () => void this.flush());
            return;
          }
          this.#mark(next, { failed: sentence(error) });
        }
      }
    } finally {
      this.#sending = false;
    }
  }

  #mark(which: Outgoing, as: Partial<Outgoing>): void {
    this.#keep(this.#all.map((one) => (one.prompt === which.prompt ? { ...one, ...as } : one)));
  }

  #keep(all: readonly Outgoing[]): void {
    this.#all = all;
    this.#shelf.setItem(PLACE, JSON.stringify(all));
    this.#changed(all);
  }
}

function read(shelf: Shelf): readonly Outgoing[] {
  try {
    const kept: unknown = JSON.parse(shelf.getItem(PLACE) ?? "[]");
    return Array.isArray(kept) ? (kept as Outgoing[]) : [];
  } catch {
    return [];
  }
}
