/**
 * How fast the built client is in Chromium: `npm run bench` prints one table. It is no test: a machine
 * that does other things makes everything slower, so look at the ratio too.
 *
 * The data comes from a stand-in for the daemon on loopback (`host.mjs`). It is local when the last page
 * of it has arrived and been parsed: the message that says so is delivered after the client has taken in
 * all pages before it. The time from the first page is told as well. Painted is when the last words are
 * within the window and a frame with them has been drawn.
 */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

import { entryOf } from "../build/entry.mjs";
import { StandIn } from "./host.mjs";
import { observeFrames, observePaint } from "./observe.mjs";
import { LAST_WORDS, STREAMED, Transcript } from "./transcript.mjs";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 7);
/** Milliseconds of streaming. */
const STREAM_MS = Number(process.env["BENCH_STREAM_MS"] ?? 12_000);
/** The daemon sends pieces at most this often. */
const EVERY_MS = 33;
/** More than a model writes. */
const CHARACTERS = 24;
const SIZES = [1000, 10_000];
const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const web = join(import.meta.dirname, "..");
const dist = process.env["PILOTHOUSE_E2E_WEB"] ?? build();
const executablePath = process.env["CHROMIUM"] ?? BROWSERS.find((path) => existsSync(path));
if (!executablePath) throw new Error("there is no Chromium: install it (apt-get install chromium) or name it in CHROMIUM");

function build() {
  const out = join(web, "node_modules/.bench/dist");
  execFileSync("npm", ["run", "-s", "build"], { cwd: web, stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, PILOTHOUSE_WEB_OUT: out } });
  return out;
}

const host = new StandIn(dist);
await host.listen();
const sessions = SIZES.map((size, at) => {
  const transcript = new Transcript(`0190a000-0000-7000-8000-00000000010${at}`);
  transcript.fill(size);
  host.add(transcript, `${size} items`);
  return { size, transcript };
});
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

/** @param {string} session */
async function open(session) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block" });
  const page = await context.newPage();
  await page.addInitScript(observePaint, LAST_WORDS);
  await page.goto(`${host.address}/s/${session}`);
  const seen = await page.waitForFunction(() => globalThis.painted, null, { timeout: 60_000 });
  const painted = /** @type {NonNullable<typeof globalThis.painted>} */ (await seen.jsonValue());
  return { page, painted, close: () => context.close() };
}

/** @type {[string, string, string][]} */
const table = [];
/** @type {Map<number, { local: number[], whole: number[] }>} */
const times = new Map(SIZES.map((size) => [size, { local: [], whole: [] }]));
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const { size, transcript } of sessions) {
    const { painted, close } = await open(transcript.session);
    await close();
    // The first round only warms up.
    if (round === 0) continue;
    times.get(size)?.local.push(painted.painted - painted.last);
    times.get(size)?.whole.push(painted.painted - painted.first);
  }
}
const [few, many] = SIZES.map((size) => times.get(size));
if (few && many) {
  for (const [name, pick, goals] of /** @type {const} */ ([
    ["painted after the data is local (arrived, parsed)", "local", ["≤ 300 ms", "≤ 2"]],
    ["painted after the first of it arrived", "whole", ["", ""]],
  ])) {
    table.push([`${name}, 1,000 items`, spread(few[pick]), ""]);
    table.push([`${name}, 10,000 items`, spread(many[pick]), goals[0]]);
    table.push(["  ratio", (median(many[pick]) / median(few[pick])).toFixed(2), goals[1]]);
  }
}

await stream();
table.push(["entry JS with the conversation, gzip", `${(entryOf(dist).bytes / 1024).toFixed(1)} KiB`, "≤ 150 KiB"]);
await browser.close();
host.close();
table.push([`load of the machine (${cpus().length} cores)`, (loadavg()[0] ?? 0).toFixed(1), ""]);
print();

/** Streams text, calls and ends of turns into the longest transcript, and watches the frames. */
async function stream() {
  const { transcript } = /** @type {(typeof sessions)[0]} */ (sessions.at(-1));
  const { page, close } = await open(transcript.session);
  const session = transcript.session;
  const flush = () => host.say([{ type: "events", session, events: transcript.take() }]);
  await page.evaluate(observeFrames);
  const end = performance.now() + STREAM_MS;
  let next = performance.now();
  while (performance.now() < end) {
    transcript.begin();
    transcript.think();
    flush();
    const item = transcript.nextItem();
    for (let at = 0; at < STREAMED.length && performance.now() < end; at += CHARACTERS) {
      next += EVERY_MS;
      await new Promise((done) => setTimeout(done, next - performance.now()));
      const text = STREAMED.slice(at, at + CHARACTERS);
      host.say([{ type: "deltas", session, deltas: [{ type: "message_chunk", item, offset: Buffer.byteLength(STREAMED.slice(0, at)), text }] }]);
    }
    transcript.say(STREAMED, item);
    transcript.tools();
    transcript.end();
    flush();
  }
  const { gaps, tasks } = await page.evaluate(() => globalThis.frames_seen());
  await close();
  gaps.sort((a, b) => a - b);
  const over = gaps.filter((gap) => gap > 20).length / gaps.length;
  table.push([`streaming at 10,000 items, ${gaps.length} frames: p50`, `${at(gaps, 0.5).toFixed(1)} ms`, ""]);
  table.push(["  p99", `${at(gaps, 0.99).toFixed(1)} ms`, "≤ 25 ms"]);
  table.push(["  over 20 ms", `${(100 * over).toFixed(1)} %`, "≤ 5 %"]);
  table.push(["  tasks over 50 ms", String(tasks), ""]);
}

/** @param {readonly number[]} sorted @param {number} part */
function at(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** @param {readonly number[]} numbers */
function median(numbers) {
  return at(numbers.toSorted((a, b) => a - b), 0.5);
}

/** @param {readonly number[]} numbers */
function spread(numbers) {
  return `${median(numbers).toFixed(0)} ms (${Math.min(...numbers).toFixed(0)}–${Math.max(...numbers).toFixed(0)})`;
}

function print() {
  const wide = Math.max(...table.map(([what]) => what.length));
  for (const [what, measured, goal] of table) console.log(`${what.padEnd(wide)}  ${measured.padStart(20)}  ${goal}`);
}
