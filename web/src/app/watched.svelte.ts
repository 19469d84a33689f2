/** One session that is watched: the reducer's state, fed by the socket, shown by components. */

import type { Order, ServerMessage, SessionId } from "../../api/types";
import { emptySession, reduce, type SessionState, type Update } from "../state/state";
import { house } from "./house.svelte";

export class WatchedSession {
  /** What is shown. While a session is first read, nothing is: half a transcript would jump. */
  state = $state.raw<SessionState>(emptySession(""));
  /** Why it cannot be watched. */
  trouble = $state<string | null>(null);
  readonly id: SessionId;
  #state: SessionState;
  #stop: () => void;

  constructor(id: SessionId) {
    this.id = id;
    this.#state = emptySession(id);
    this.state = this.#state;
    this.#stop = house.talk.watch({
      session: id,
      after: () => this.#state.seq,
      heard: (messages) => this.#heard(messages),
    });
  }

  close(): void {
    this.#stop();
  }

  /** Gives an order; what goes wrong is told. True if it was carried out. */
  async order(command: Order): Promise<boolean> {
    const done = await house.attempt(async () => {
      await house.talk.order(this.id, command);
      return true;
    });
    return done ?? false;
  }

  #heard(messages: readonly ServerMessage[]): void {
    let resubscribe = false;
    for (const message of messages) {
      if (message.type === "unsubscribed") {
        this.trouble = message.problem?.detail ?? null;
        continue;
      }
      const step = reduce(this.#state, message as Update);
      this.#state = step.state;
      resubscribe ||= step.resubscribe !== null;
      if (message.type === "events") {
        for (const event of message.events) {
          if (event.type === "user_message" && event.prompt) house.outbox.forget(event.prompt);
        }
      }
    }
    if (this.#state.loaded) this.state = this.#state;
    if (resubscribe) house.talk.subscribe(this.id);
  }
}
