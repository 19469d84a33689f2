/**
 * What is said over the one socket: which sessions are watched, which commands wait for an answer.
 * Survives the socket: after a break everything that is watched is subscribed anew, from where it was.
 */

import type { ClientMessage, Order, ServerMessage, SessionId } from "../../api/types";
import { Refused, Unreachable } from "./problem";
import { Socket, type SocketState, type World } from "./socket";

/** Somebody who watches a session. */
export type Watcher = {
  readonly session: SessionId;
  /** The number of the last event that is here. */
  after(): number;
  /** What was said of it: everything of one message at once. */
  heard(messages: readonly ServerMessage[]): void;
};

/** Somebody who watches the list. It is to be read when `list_lagged` comes, which is the first to come. */
export type ListWatcher = {
  heard(message: Extract<ServerMessage, { type: "sessions" | "list_lagged" }>): void;
};

type Waiting = {
  readonly message: ClientMessage;
  readonly again: boolean;
  /** It was said at least once. */
  said: boolean;
  /** And once more to another socket. */
  repeated: boolean;
  done(result: unknown): void;
  failed(error: Error): void;
};

/** Orders that mean the same when they are given twice. */
function canBeGivenTwice(order: Order): boolean {
  switch (order.do) {
    case "prompt":
      return typeof order.key === "string";
    case "set_mode":
    case "set_model":
    case "set_thinking":
    case "set_effort":
    case "decide":
      return true;
    case "cancel_prompt":
    case "send_now":
    case "interrupt":
    case "start":
    case "stop":
      return false;
  }
}

export class Talk {
  readonly #socket: Socket;
  readonly #watchers = new Map<SessionId, Watcher>();
  readonly #waiting = new Map<number, Waiting>();
  #list: ListWatcher | null = null;
  #lastId = 0;

  constructor(world: World, changed: (state: SocketState) => void) {
    this.#socket = new Socket(world, {
      opened: () => this.#opened(),
      heard: (text) => this.#heard(JSON.parse(text) as ServerMessage[]),
      changed,
      ping: () => JSON.stringify({ op: "ping", id: this.#nextId() } satisfies ClientMessage),
    });
  }

  connect(): void {
    this.#socket.connect();
  }

  check(): void {
    this.#socket.check();
  }

  /** Ends the connection and all that waits for an answer. */
  close(): void {
    this.#socket.close();
    this.#giveUp(() => true);
  }

  /** Watches a session. Call what comes back to stop. */
  watch(watcher: Watcher): () => void {
    this.#watchers.set(watcher.session, watcher);
    this.subscribe(watcher.session);
    return () => {
      if (this.#watchers.get(watcher.session) !== watcher) return;
      this.#watchers.delete(watcher.session);
      this.#say({ op: "unsubscribe", session: watcher.session });
    };
  }

  /** Subscribes anew to a session that is watched, from where it is. */
  subscribe(session: SessionId): void {
    const watcher = this.#watchers.get(session);
    if (watcher) this.#say({ op: "subscribe", session, after: watcher.after() });
  }

  watchList(watcher: ListWatcher): () => void {
    this.#list = watcher;
    this.#say({ op: "watch_list" });
    return () => {
      if (this.#list !== watcher) return;
      this.#list = null;
      this.#say({ op: "unwatch_list" });
    };
  }

  /**
   * Gives an order. Throws `Refused`, or `Unreachable` where the connection broke before the answer and
   * the order must not be given twice.
   */
  order(session: SessionId, command: Order): Promise<unknown> {
    const message: ClientMessage = { op: "command", id: this.#nextId(), session, command };
    const again = canBeGivenTwice(command);
    return new Promise((done, failed) => {
      const isSaid = this.#say(message);
      if (!isSaid && !again) return failed(new Unreachable());
      this.#waiting.set(message.id, { message, again, said: isSaid, repeated: false, done, failed });
    });
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #say(message: ClientMessage): boolean {
    return this.#socket.say(JSON.stringify(message));
  }

  #opened(): void {
    this.#giveUp((waiting) => !waiting.again);
    if (this.#list) this.#say({ op: "watch_list" });
    for (const session of this.#watchers.keys()) this.subscribe(session);
    for (const waiting of this.#waiting.values()) {
      waiting.repeated = waiting.said;
      waiting.said = this.#say(waiting.message);
    }
  }

  #giveUp(fits: (waiting: Waiting) => boolean): void {
    for (const [id, waiting] of this.#waiting) {
      if (!fits(waiting)) continue;
      this.#waiting.delete(id);
      waiting.failed(new Unreachable());
    }
  }

  #heard(messages: readonly ServerMessage[]): void {
    const bySession = new Map<SessionId, ServerMessage[]>();
    for (const message of messages) {
      if (message.type === "reply") this.#answered(message);
      else if (message.type === "sessions" || message.type === "list_lagged") this.#list?.heard(message);
      else if ("session" in message) {
        const those = bySession.get(message.session);
        if (those) those.push(message);
        else bySession.set(message.session, [message]);
      }
    }
    for (const [session, those] of bySession) this.#watchers.get(session)?.heard(those);
  }

  #answered(reply: Extract<ServerMessage, { type: "reply" }>): void {
    const waiting = reply.id === null ? undefined : this.#waiting.get(reply.id);
    if (!waiting) return;
    this.#waiting.delete(reply.id!);
    if (reply.problem) waiting.failed(new Refused(reply.problem, waiting.repeated));
    else waiting.done(reply.result);
  }
}
