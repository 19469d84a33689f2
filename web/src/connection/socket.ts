/**
 * A socket that comes back. Knows connecting, waiting between attempts and noticing silence; knows
 * nothing of what is said.
 */

import { subprotocols } from "./key";

/** How a connection stands. */
export type SocketState =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  /** Tries again at `retryAt` (milliseconds since 1970). */
  | { readonly kind: "waiting"; readonly retryAt: number; readonly attempts: number }
  | { readonly kind: "closed" };

/** What the world is to a socket; replaced in tests. */
export type World = {
  open(): WebSocket;
  now(): number;
  random(): number;
  after(ms: number, then: () => void): () => void;
};

/** Who uses it. */
export type SocketUser = {
  /** It can be spoken into; everything that was said before is gone. */
  opened(): void;
  heard(text: string): void;
  changed(state: SocketState): void;
  /** What to say to find out whether somebody is there. Anything heard is an answer. */
  ping(): string;
};

const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;
/** The daemon says something, or answers a ping, at least this often. */
const QUIET = 20_000;
const PATIENCE = 8_000;

/** The world of a browser. */
export function browserWorld(address: string): World {
  return {
    open: () => new WebSocket(address, subprotocols(new URL(address).pathname)),
    now: () => Date.now(),
    random: () => Math.random(),
    after: (ms, then) => {
      const timer = setTimeout(then, ms);
      return () => clearTimeout(timer);
    },
  };
}

export class Socket {
  readonly #world: World;
  readonly #user: SocketUser;
  #socket: WebSocket | null = null;
  #state: SocketState = { kind: "closed" };
  #attempts = 0;
  #cancel: () => void = () => {};

  constructor(world: World, user: SocketUser) {
    this.#world = world;
    this.#user = user;
  }

  get state(): SocketState {
    return this.#state;
  }

  /** Connects now, also where the next attempt would be later. */
  connect(): void {
    if (this.#state.kind === "open" || this.#state.kind === "connecting") return;
    this.#cancel();
    this.#become({ kind: "connecting" });
    const socket = this.#world.open();
    this.#socket = socket;
    // A browser gives up on a host that does not answer only after minutes.
    this.#cancel = this.#world.after(PATIENCE, () => this.#lost(socket));
    socket.onopen = () => {
      if (this.#socket !== socket) return;
      this.#attempts = 0;
      this.#become({ kind: "open" });
      this.#listen();
      this.#user.opened();
    };
    socket.onmessage = (message) => {
      if (this.#socket !== socket) return;
      this.#listen();
      this.#user.heard(String(message.data));
    };
    socket.onclose = () => this.#lost(socket);
  }

  /** Says something. False where nobody listens. */
  say(text: string): boolean {
    if (this.#state.kind !== "open") return false;
    this.#socket?.send(text);
    return true;
  }

  /** Asks now whether somebody is there: after a sleep, or when the network has changed. */
  check(): void {
    if (this.#state.kind === "waiting") this.connect();
    if (this.#state.kind === "open") this.#ask();
  }

  /** Goes away until `connect`. */
  close(): void {
    this.#cancel();
    this.#drop();
    this.#attempts = 0;
    this.#become({ kind: "closed" });
  }

  #listen(): void {
    this.#cancel();
    this.#cancel = this.#world.after(QUIET, () => this.#ask());
  }

  #ask(): void {
    const socket = this.#socket;
    this.#cancel();
    this.#cancel = this.#world.after(PATIENCE, () => socket && this.#lost(socket));
    this.say(this.#user.ping());
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#cancel();
    this.#drop();
    this.#attempts += 1;
    const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (this.#attempts - 1));
    const wait = longest * (0.5 + this.#world.random() / 2);
    this.#become({ kind: "waiting", retryAt: this.#world.now() + wait, attempts: this.#attempts });
    this.#cancel = this.#world.after(wait, () => this.connect());
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #become(state: SocketState): void {
    this.#state = state;
    this.#user.changed(state);
  }
}
