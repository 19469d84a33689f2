/**
 * Measures transcripts in Chromium and compares with what was promised. `npm run bench`.
 * Medians of several runs; frames are those of one long run.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { chromium } from "playwright-core";
import { build, preview } from "vite";

const RUNS = 5;
const STREAM_MS = 10_000;

const root = import.meta.dirname;
const outDir = join(root, "../node_modules/.bench");
const input = join(root, "bench.html");
const config = { root, configFile: /** @type {const} */ (false), plugins: [svelte()], logLevel: /** @type {const} */ ("warn") };
await build({ ...config, build: { outDir, emptyOutDir: true, rollupOptions: { input } } });
const server = await preview({ ...config, build: { outDir }, preview: { host: "127.0.0.1", port: 0 } });
const executablePath = process.env["CHROMIUM"] ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path)) ?? "";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${server.resolvedUrls?.local[0]}bench.html`);
  await page.waitForFunction("globalThis.bench");
  /** @param {number} items */
  const paint = async (items) => {
    const times = [];
    for (let run = 0; run < RUNS; run += 1) {
      times.push(/** @type {{ ms: number }} */ (await page.evaluate(`bench.paint(${items})`)).ms);
    }
    return times.toSorted((a, b) => a - b)[RUNS >> 1] ?? NaN;
  };
  await paint(100);
  const small = await paint(1_000);
  const large = await paint(10_000);
  const frames = /** @type {number[]} */ (await page.evaluate(`bench.stream(10000, ${STREAM_MS})`)).toSorted((a, b) => a - b);
  const p99 = frames[Math.floor(frames.length * 0.99)] ?? NaN;
  const slow = frames.filter((ms) => ms > 20).length / frames.length;
  const goals = [
    ["paint of 1,000 items", `${small.toFixed(0)} ms`, "", true],
    ["paint of 10,000 items", `${large.toFixed(0)} ms`, "≤ 300 ms", large <= 300],
    ["10,000 against 1,000", `${(large / small).toFixed(2)}×`, "≤ 2×", large <= 2 * small],
    [`frames while streaming (${frames.length}), p99`, `${p99.toFixed(1)} ms`, "≤ 25 ms", p99 <= 25],
    ["frames over 20 ms", `${(slow * 100).toFixed(1)} %`, "≤ 5 %", slow <= 0.05],
  ];
  console.log("| what | measured | goal | |\n|---|---|---|---|");
  for (const [what, measured, goal, met] of goals) console.log(`| ${what} | ${measured} | ${goal} | ${met ? "" : "missed"} |`);
  if (goals.some(([, , , met]) => !met)) process.exitCode = 1;
} finally {
  await browser.close();
  await server.close();
}
