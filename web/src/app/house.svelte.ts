/**
 * The client as a whole: who is logged in, how the connection stands, the list, the outbox. There is
 * one per page. Everything it knows comes from the daemon, so several tabs agree.
 */

import type { ServerMessage, SessionRow, WhoAmI } from "../../api/types";
import { forgetKey, keepKey, subprotocols } from "../connection/key";
import { Outbox, type Outgoing } from "../connection/outbox";
import { Refused, Unreachable, sentence } from "../connection/problem";
import { Rereading } from "../connection/rereading";
import { call } from "../connection/rest";
import { browserWorld, type SocketState } from "../connection/socket";
import { Talk } from "../connection/talk";
import { changed, reread, type SessionList } from "../state/list";

/** Whether somebody is logged in. */
export type Access = "unknown" | "in" | "out";

/** Something to be told in passing. */
export type Toast = { readonly id: number; readonly text: string; readonly tone: "info" | "error" };

const PAGE = 200;
const TOAST_MS = 6000;

class House {
  access = $state<Access>("unknown");
  who = $state.raw<WhoAmI | null>(null);
  connection = $state.raw<SocketState>({ kind: "closed" });
  sessions = $state.raw<SessionList>(new Map());
  /** The list has been read once. */
  listed = $state(false);
  /** Why it could not be read. */
  listTrouble = $state<string | null>(null);
  outgoing = $state.raw<readonly Outgoing[]>([]);
  toasts = $state.raw<readonly Toast[]>([]);

  readonly talk: Talk;
  readonly outbox: Outbox;
  #since: Extract<ServerMessage, { type: "sessions" }>["sessions"] | null = null;
  readonly #rereading = new Rereading(() => this.#readOnce());
  #lastToast = 0;
  /** Counts logins: what was refused before one says nothing of it. */
  #stay = 0;

  constructor() {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/ws`;
    const world = browserWorld(address);
    this.talk = new Talk(world, (state) => this.#connected(state));
    this.outbox = new Outbox(sessionStorage, send, (all) => (this.outgoing = all), world.after);
  }

  /** Finds out who is here, and connects. */
  async open(): Promise<void> {
    addEventListener("online", () => this.talk.check());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.access === "in") this.talk.check();
    });
    this.talk.watchList({
      heard: (message) => (message.type === "list_lagged" ? void this.readList() : this.#listChanged(message.sessions)),
    });
    await this.#enter();
  }

  /** Logs in with what stood behind `#` in a login link. */
  async logIn(code: string): Promise<void> {
    const { page_key } = await call("logIn", { body: { code } });
    keepKey(page_key);
    this.#stay += 1;
    await this.#enter();
  }

  async logOut(): Promise<void> {
    await call("logOut", {});
    this.ended();
  }

  /** The login of this browser has ended. */
  ended(): void {
    forgetKey();
    this.#leave();
  }

  /** Reads the list anew. */
  readList(): Promise<void> {
    return this.#rereading.ask();
  }

  /** Done once the list is so. */
  until(isSo: (sessions: SessionList) => boolean): Promise<void> {
    return new Promise((done) => {
      const stop = $effect.root(() => {
        $effect(() => {
          if (!isSo(this.sessions)) return;
          done();
          queueMicrotask(() => stop());
        });
      });
    });
  }

  async #readOnce(): Promise<void> {
    const stay = this.#stay;
    this.#since = {};
    try {
      const rows: SessionRow[] = [];
      let after: string | null = null;
      do {
        const page: { items: SessionRow[]; next: string | null } = await call("listSessions", {
          query: { limit: PAGE, after },
        });
        rows.push(...page.items);
        after = page.next;
      } while (after !== null);
      this.sessions = reread(rows, this.#since);
      this.listed = true;
      this.listTrouble = null;
    } catch (error) {
      if (!this.#isOut(error, stay)) this.listTrouble = sentence(error);
    } finally {
      this.#since = null;
    }
  }

  /** A session that was just made or changed by us: it is listed before the daemon tells everybody. */
  adopt(row: SessionRow): void {
    this.#listChanged({ [row.id]: row });
  }

  forget(session: string): void {
    this.#listChanged({ [session]: null });
  }

  /** Tells something in passing. */
  tell(text: string, tone: Toast["tone"] = "info"): void {
    const id = (this.#lastToast += 1);
    this.toasts = [...this.toasts, { id, text, tone }];
    setTimeout(() => this.dismiss(id), TOAST_MS);
  }

  dismiss(id: number): void {
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }

  /** Does something, and tells if that fails. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    const stay = this.#stay;
    try {
      return await work();
    } catch (error) {
      if (!this.#isOut(error, stay)) this.tell(sentence(error), "error");
      return undefined;
    }
  }

  async #enter(): Promise<void> {
    const stay = this.#stay;
    try {
      this.who = await call("whoAmI", {});
      this.access = "in";
    } catch (error) {
      if (this.#isOut(error, stay)) return;
      // The page may have come from the cache while the daemon is away: it is tried on.
      if (error instanceof Unreachable) this.access = "in";
      else throw error;
    }
    this.talk.connect();
  }

  /** Whether nobody was logged in when this was asked. Then nobody is, unless somebody has logged in since. */
  #isOut(error: unknown, stay: number): boolean {
    const isOut = error instanceof Refused && error.loggedOut;
    if (isOut && stay === this.#stay) this.#leave();
    return isOut;
  }

  #leave(): void {
    this.access = "out";
    this.who = null;
    this.sessions = new Map();
    this.listed = false;
    this.talk.close();
  }

  #connected(state: SocketState): void {
    this.connection = state;
    if (state.kind === "open") void this.outbox.flush();
    // A socket does not say why it was refused.
    if (state.kind === "waiting") void this.#isLoggedIn();
  }

  async #isLoggedIn(): Promise<void> {
    const stay = this.#stay;
    const offered = this.#offers();
    try {
      this.who = await call("whoAmI", {});
      // The daemon has another challenge: the socket was refused for that, and need not wait.
      if (offered !== this.#offers() && this.connection.kind === "waiting") this.talk.check();
    } catch (error) {
      this.#isOut(error, stay);
    }
  }

  #offers(): string {
    return subprotocols("/api/v1/ws").join();
  }

  #listChanged(sessions: Extract<ServerMessage, { type: "sessions" }>["sessions"]): void {
    if (this.#since) Object.assign(this.#since, sessions);
    this.sessions = changed(this.sessions, sessions);
  }
}

async function send(outgoing: Outgoing): Promise<void> {
  const { session, prompt, text, attachments, urgency } = outgoing;
  await call("sendPrompt", { params: { session }, body: { prompt, text, attachments: [...attachments], urgency } });
}

/** The client of this page. */
export const house = new House();
