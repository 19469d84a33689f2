/**
 * A daemon with a data directory of its own and a CLI, the simulated one unless another is given, and
 * browsers that are logged in. Leaves no process and no file behind.
 */

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { inject } from "vitest";

import type { CreateSession, SessionDetail, SessionRow, SessionRowPage } from "../api/types";

/** More than anything here takes. */
const PATIENCE = 60_000;

/** What the daemon starts, and the whole environment that both see. */
export interface Cli {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What is told to the user, and by the browser to its console too. */
const REFUSALS = /ERR_CONNECTION_REFUSED|WebSocket connection|status of (401|403|409|422)/;
const AWAY = new RegExp(`${REFUSALS.source}|net::ERR_(CONNECTION|EMPTY|SOCKET)_`);

/** All that are open. */
export const pages = new Set<Page>();

export class Bed {
  readonly dir: string;
  readonly #cli: Cli;
  address = "";
  #daemon: ChildProcess | null = null;
  #browser: Browser;
  /** What browsers complained about: a page that is right says nothing. */
  readonly complaints: string[] = [];
  /** Connections that broke are no complaint once the daemon was ended under them. */
  #forgiven = REFUSALS;
  /** Paths that were deleted: a page that was just told of a change may still ask for one. */
  readonly #deleted: string[] = [];

  private constructor(dir: string, cli: Cli | undefined, browser: Browser) {
    this.dir = dir;
    const env = { PATH: process.env["PATH"] ?? "", HOME: this.path("home"), SIM_HOLD_DIR: this.path("holds") };
    this.#cli = cli ?? { program: join(inject("bin"), "sim"), env };
    this.#browser = browser;
  }

  static async open(cli?: Cli): Promise<Bed> {
    const dir = mkdtempSync(join(tmpdir(), "pilothouse-e2e-"));
    for (const name of ["home", "holds", "work"]) mkdirSync(join(dir, name));
    const args = ["--no-sandbox", "--disable-dev-shm-usage"];
    const browser = await chromium.launch({ executablePath: inject("chromium"), args });
    const bed = new Bed(dir, cli, browser);
    await bed.start();
    return bed;
  }

  /** Starts the daemon; again at the same address, if it was started before. */
  async start(): Promise<void> {
    const listen = this.address ? new URL(this.address).host : "127.0.0.1:0";
    const daemon = spawn(join(inject("bin"), "pilothouse-daemon"), [this.path("data"), this.#cli.program, listen], {
      env: { ...this.#cli.env, PILOTHOUSE_WEB: inject("web") },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#daemon = daemon;
    for await (const line of createInterface(daemon.stdout)) {
      const address = /^listening on (.*)$/.exec(line)?.[1];
      if (!address) continue;
      this.address = `http://${address}`;
      return;
    }
    throw new Error("the daemon ended before it listened");
  }

  /** Ends the daemon; its runs go on. */
  async stop(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = null;
    if (!daemon) return;
    this.#forgiven = AWAY;
    const ended = new Promise((done) => daemon.once("exit", done));
    daemon.kill("SIGTERM");
    await ended;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    if (!this.#daemon) await this.start();
    const { items } = await this.api<SessionRowPage>("GET", "/sessions?limit=200");
    for (const row of items) await this.api("DELETE", `/sessions/${row.id}`);
    await this.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.dir, name);
  }

  /** The API with the token, for what is not under test. */
  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const token = readFileSync(this.path("data/token"), "utf8").trim();
    if (method === "DELETE") this.#deleted.push(path);
    const response = await fetch(`${this.address}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }

  session(more: Partial<CreateSession> = {}): Promise<SessionRow> {
    return this.api("POST", "/sessions", { cwd: this.path("work"), ...more });
  }

  async say(session: string, text: string): Promise<void> {
    await this.api("POST", `/sessions/${session}/prompts`, { text });
  }

  /** Waits until a session rests, and allows whatever it asks meanwhile. */
  async rest(session: string): Promise<void> {
    await until(async () => {
      const { status, approvals } = await this.api<SessionDetail>("GET", `/sessions/${session}`);
      for (const { approval } of approvals) await this.api("POST", `/sessions/${session}/approvals/${approval}/decision`, { kind: "allow" });
      return status === "idle";
    }, "the turn to end");
  }

  /** A browser window that is not logged in. */
  async stranger(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    return this.tab(context);
  }

  /** One more tab of the same browser. */
  async tab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    pages.add(page);
    page.on("close", () => pages.delete(page));
    page.on("request", (request) => {
      if (request.method() === "DELETE") this.#deleted.push(new URL(request.url()).pathname);
    });
    page.on("pageerror", (error) => this.complaints.push(error.stack ?? `${error}`));
    page.on("console", (message) => {
      if (message.type() !== "error") return;
      const { url } = message.location();
      if (this.#forgiven.test(message.text())) return;
      // By its path, or named in a query.
      const isDeleted = (path: string) => url.includes(path) || url.includes(path.replace(/.*\/sessions\//, "session="));
      if (message.text().includes("status of 404") && this.#deleted.some(isDeleted)) return;
      this.complaints.push(`${message.text()} (${url})`);
    });
    return page;
  }

  /** A path that logs a browser in, once. */
  async link(): Promise<string> {
    const { path } = await this.api<{ path: string }>("POST", "/login/links", { name: "e2e" });
    return this.address + path;
  }

  /** A browser window that is logged in. */
  async browser(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.stranger(options);
    await page.goto(await this.link());
    await page.waitForURL(`${this.address}/`);
    return page;
  }

  /** Lets the simulated CLI go on. */
  release(name: string): void {
    writeFileSync(join(this.path("holds"), name), "");
  }

  /** Waits until the simulated CLI waits. */
  async held(name: string): Promise<void> {
    const mark = join(this.path("holds"), `${name}.held`);
    await until(() => existsSync(mark), `the CLI to come to ${name}`);
  }

  /** Writes a file that no session sees. */
  put(name: string, lines: readonly string[]): void {
    writeFileSync(this.path(name), lines.join("\n"));
  }

  /** Writes a file where sessions work. */
  write(name: string, text: string): void {
    writeFileSync(join(this.path("work"), name), text);
  }
}

/** Waits for something that tells nobody when it comes true. */
export async function until(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const late = Date.now() + PATIENCE;
  while (!(await check())) {
    if (Date.now() > late) throw new Error(`waited in vain for ${what}`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** A prompt with what the model answers to it. */
export function script(...lines: string[]): string {
  return ["Go on.", "#script", ...lines, "#end"].join("\n");
}
