/** A world in which time stands still until somebody moves it, and sockets do as they are told. */

import type { ClientMessage, ServerMessage } from "../../api/types";
import type { World } from "./socket";

export class FakeSocket {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly said: ClientMessage[] = [];
  closed = false;

  send(text: string): void {
    this.said.push(JSON.parse(text) as ClientMessage);
  }

  close(): void {
    this.closed = true;
  }

  /** The other side speaks. */
  tell(...messages: ServerMessage[]): void {
    this.onmessage?.({ data: JSON.stringify(messages) });
  }
}

export class FakeWorld implements World {
  readonly sockets: FakeSocket[] = [];
  time = 0;
  #timers: { at: number; run: () => void }[] = [];

  open(): WebSocket {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket as unknown as WebSocket;
  }

  get socket(): FakeSocket {
    return this.sockets.at(-1)!;
  }

  now(): number {
    return this.time;
  }

  random(): number {
    return 1;
  }

  after(ms: number, then: () => void): () => void {
    const timer = { at: this.time + ms, run: then };
    this.#timers.push(timer);
    return () => (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  /** Lets time pass. */
  pass(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }
}
