/** Claude Code itself in a throw-away home, with a model on loopback that is told what to answer. */

import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inject } from "vitest";

import type { Cli } from "./bed";

interface Place extends Cli {
  readonly home: string;
  readonly cwd: string;
}

/** What the model was asked. */
export interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

export class RealCli {
  readonly place: Place;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(process: ChildProcess, lines: AsyncIterator<string>, place: Place) {
    this.#process = process;
    this.#lines = lines;
    this.place = place;
  }

  /** Opens the newest version, or another one of the test bed. */
  static async open(...version: [] | [string]): Promise<RealCli> {
    const process = spawn(join(inject("bin"), "real-cli"), version, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface(process.stdout)[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done) throw new Error("there is no CLI: see above");
    return new RealCli(process, lines, JSON.parse(first.value) as Place);
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.#process.once("exit", done));
    this.#process.stdin?.end();
    await ended;
  }

  /** Lets an answer of the model go on. */
  release = (name: string) => this.#order(`release ${name}`);
  /** Waits until an answer of the model has come so far. */
  held = (name: string) => this.#order(`held ${name}`);
  /** Waits until nobody listens to an answer any more. */
  abandoned = (name: string) => this.#order(`abandoned ${name}`);
  /** What the model was asked last. */
  asked = async () => (await this.#order("asked")) as Asked;

  /** Makes the project a hostile repository. */
  plant = () => this.#order("plant");
  /** Which programs of the repository ran, and how many requests it diverted. */
  ran = async () => (await this.#order("ran")) as { readonly programs: readonly string[]; readonly diverted: number };

  path(name: string): string {
    return join(this.place.cwd, name);
  }

  /** A file of the project, if it is there. */
  read(name: string): string | null {
    try {
      return readFileSync(this.path(name), "utf8");
    } catch {
      return null;
    }
  }

  async #order(order: string): Promise<unknown> {
    this.#process.stdin?.write(`${order}\n`);
    const line = await this.#lines.next();
    if (line.done) throw new Error(`the scripted model ended at ${order}`);
    const reply = JSON.parse(line.value) as { ok?: unknown; error?: string };
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.ok;
  }
}
