/** What it costs to draw a message of 50 KB that arrives in pieces: `measure()` in the console. */

import { flushSync, mount, unmount } from "svelte";
import Growing from "./Growing.svelte";
import "../src/style/tokens.css";
import "../src/style/base.css";
import "./gallery.css";

const PARTS = [
  "## Part %\n\n",
  "A paragraph with **bold words**, `code`, a [link](https://example.com/%) and enough text to wrap over two or three lines of the page, because that is what answers look like when they explain something at length.\n\n",
  "- first entry with `code`\n- second entry, *stressed*\n  - one below it\n- third entry\n\n",
  "```rust\nfn part_%(input: &str) -> Result<usize, Error> {\n    let count = input.lines().filter(|line| !line.is_empty()).count();\n    Ok(count + %)\n}\n```\n\n",
  "| name | value |\n|---|---:|\n| a | % |\n| b | 2 |\n\n",
];

const mixed = (length: number): string => {
  let text = "";
  for (let i = 0; text.length < length; i++) text += (PARTS[i % PARTS.length] ?? "").replaceAll("%", String(i));
  return text.slice(0, length);
};

const TEXTS: Readonly<Record<string, string>> = {
  mixed: mixed(50_000),
  "one list": Array.from({ length: 700 }, (_, i) => `- entry ${i} with \`code\`, **bold** and some more words to read`).join("\n").slice(0, 50_000),
  "one fence": `\`\`\`ts\n${"export const value = compute(1, 'two');\n".repeat(1_300)}`.slice(0, 50_000),
  "one table": `| a | b | c |\n|---|---|---|\n${"| one | two words | `three` |\n".repeat(1_700)}`.slice(0, 50_000),
};

type Cost = { readonly deltas: number; readonly p50: number; readonly p99: number; readonly max: number; readonly total: number };

async function stream(text: string, step: number): Promise<Cost> {
  const stage = document.getElementById("stage");
  if (stage === null) throw new Error("There is no stage.");
  const growing = mount(Growing, { target: stage });
  const costs: number[] = [];
  for (let end = step; end <= text.length; end += step) {
    const start = performance.now();
    flushSync(() => growing.grow(text.slice(0, end), end < text.length));
    // Layout belongs to the cost: it is what the next frame waits for.
    void stage.offsetHeight;
    costs.push(performance.now() - start);
    if (costs.length % 20 === 0) await new Promise(requestAnimationFrame);
  }
  await unmount(growing);
  const sorted = costs.toSorted((a, b) => a - b);
  const at = (share: number): number => Number((sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2));
  return { deltas: costs.length, p50: at(0.5), p99: at(0.99), max: at(1), total: Math.round(costs.reduce((a, b) => a + b, 0)) };
}

async function measure(only?: string): Promise<Record<string, Cost>> {
  const result: Record<string, Cost> = {};
  for (const [name, text] of Object.entries(TEXTS)) if (only === undefined || only === name) result[name] = await stream(text, 40);
  return result;
}

Object.assign(globalThis, { measure });
