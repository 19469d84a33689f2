// The official TypeScript SDK reading the corpus through query().
//
// usage: node run.mjs SDK_DIR PRINTER   (BENCH_CORPUS names the corpus)
// SDK_DIR holds node_modules; nothing is installed beside this file.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdkDir, printer] = process.argv.slice(2);
const entry = join(sdkDir, "node_modules", "@anthropic-ai", "claude-agent-sdk", "sdk.mjs");
const { query } = await import(pathToFileURL(entry).href);

let messages = 0;
let seconds = 0;
const started = performance.now();
const stream = query({
  prompt: "go",
  options: { pathToClaudeCodeExecutable: printer, includePartialMessages: true },
});
for await (const message of stream) {
  messages += 1;
  if (message.type === "result") seconds = (performance.now() - started) / 1000;
}

const peak = /VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"));
console.log(JSON.stringify({ messages, seconds, peak_rss_kib: Number(peak[1]) }));
