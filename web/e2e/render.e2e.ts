/**
 * The components in a real browser, under the policy that the host sends with its pages: hostile
 * texts change nothing but text, what is finished is left alone, and everything is accessible.
 */

import { createServer, type Server } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { chromium, type Browser, type Page } from "playwright-core";
import { build } from "vite";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import type { Stage } from "../dev/stage";

declare const stage: Stage;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES: Readonly<Record<string, string>> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

const web = fileURLToPath(new URL("../", import.meta.url));

let out: string;
let server: Server;
let origin: string;
let browser: Browser;
let page: Page;
let trouble: string[];

beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), "pilothouse-render-"));
  await build({
    configFile: false,
    root: web,
    publicDir: false,
    logLevel: "error",
    plugins: [svelte()],
    build: {
      outDir: out,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: [join(web, "dev/stage.html"), join(web, "dev/render.html")] },
    },
  });
  server = createServer((request, response) => {
    const path = join(out, normalize(new URL(request.url ?? "/", "http://x").pathname));
    readFile(path).then(
      (bytes) => response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "text/plain", "content-security-policy": POLICY }).end(bytes),
      () => response.writeHead(path.endsWith("favicon.ico") ? 204 : 404).end(),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await chromium.launch({ executablePath: inject("chromium"), args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  if (out !== undefined) await rm(out, { recursive: true });
});

async function open(path: string): Promise<void> {
  await page?.close();
  page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  trouble = [];
  page.on("dialog", (dialog) => {
    trouble.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => trouble.push(`error ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") trouble.push(`console ${message.text()}`);
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:image/")) trouble.push(`request ${request.url()}`);
  });
  await page.goto(`${origin}${path}`);
}

/** Everything on the stage that is not on the list of what may be there. */
function foreign(): Promise<string[]> {
  return page.evaluate(() => {
    const tags = new Set(
      "A ARTICLE BDI BLOCKQUOTE BR BUTTON CODE DD DEL DETAILS DIALOG DIV DL DT EM FIGCAPTION FIGURE FOOTER H3 H4 H5 H6 HEADER HR IMG KBD LI MAIN OL P PATH PRE SECTION SPAN STRONG SUB SUMMARY SUP SVG TABLE TBODY TD TH THEAD TR UL CIRCLE MARK INS U S B I".split(" "),
    );
    const attributes = new Set(
      "alt aria-label aria-hidden aria-pressed aria-expanded aria-controls class cx cy d data-n decoding disabled focusable height hidden href id loading r rel role scope size src start tabindex target title type viewBox width".split(" "),
    );
    const found: string[] = [];
    for (const element of document.querySelectorAll("main *")) {
      if (!tags.has(element.tagName.toUpperCase())) found.push(`<${element.tagName}>`);
      for (const { name, value } of element.attributes) {
        const isFold = name === "open" && element.tagName === "DETAILS";
        if (!attributes.has(name) && !isFold) found.push(`${element.tagName} ${name}=${value.slice(0, 40)}`);
        if (name === "id" && element.closest(".prose") !== null) found.push(`id ${value}`);
      }
      if (element instanceof HTMLAnchorElement) {
        if (!["http:", "https:", "mailto:"].includes(element.protocol)) found.push(`href ${element.href}`);
        if (element.target !== "_blank" || element.rel !== "noopener noreferrer") found.push(`rel ${element.rel}`);
      }
    }
    if ("hit" in globalThis) found.push("a script has run");
    return found;
  });
}

const base = { key: "k", turn: 1, at: "2026-01-01T00:00:00Z", seq: 1 };
const text = (markdown: string) => ({ item: { ...base, kind: "text", item: 1, text: markdown, open: false, partial: false, uuid: null } });
const call = (payload: unknown, more = {}) => ({
  item: { ...base, kind: "tool", item: 1, toolCallId: "t", toolName: "T", title: "", payload, state: "error", inputSoFar: "", reason: null, endedAt: null, approval: null, children: [], task: null, ...more },
});

const HTML = [
  "<script>hit=1</script>",
  "<img src=x onerror=hit=1>",
  "<svg onload=hit=1><animate onbegin=hit=1 attributeName=x dur=1s></svg>",
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=hit=1&gt;'>",
  "<a href='javascript:hit=1'>x</a> <details open ontoggle=hit=1>",
  "<form action=https://evil.example><input name=attributes autofocus onfocus=hit=1></form>",
  "<kbd onclick=hit=1>k</kbd> <b id=stage>b</b> <u style='position:fixed'>u</u>",
  "<base href=https://evil.example/><meta http-equiv=refresh content=0;url=https://evil.example><link rel=stylesheet href=https://evil.example/a.css>",
  "<noscript><p title='</noscript><img src=x onerror=hit=1>'>",
  "&lt;img src=x onerror=hit=1&gt; &#60;script&#62;hit=1&#60;/script&#62;",
].join("\n\n");

const MARKDOWN = [
  "[a](javascript:hit=1) [b](JAVASCRIPT&colon;hit=1) [c](data:text/html,<script>hit=1</script>) [d](  java\nscript:hit=1)",
  "![p](https://evil.example/track.png) ![q](javascript:hit=1) ![r](data:image/svg+xml,<svg/onload=hit=1>) ![s](/api/v1/x)",
  "<javascript:hit=1> <https://example.com/\"onmouseover=hit=1>",
  "[x][1] [y](https://example.com/?a=\"onclick=hit=1 'title')\n\n[1]: javascript:hit=1 \"onload=hit=1\"",
  "[z](https://example.com \"\\\" onmouseover=hit=1 x=\\\"\")",
  "```js\"onload=hit=1\n</code></pre><script>hit=1</script>\n```",
  "| <img src=x onerror=hit=1> | b |\n|---|---|\n| `<script>hit=1</script>` | [l](javascript:hit=1) |",
  "- <script>hit=1</script>\n  > # <img src=x onerror=hit=1>",
  "`` <script>hit=1</script> ``  user\u202egnp.exe",
].join("\n\n");

describe("nothing in a text becomes more than text", () => {
  beforeEach(() => open("/dev/stage.html"), 60_000);

  const cases: readonly (readonly [string, "ItemView" | "Ansi" | "Code" | "DiffView", Record<string, unknown>])[] = [
    ["HTML in Markdown", "ItemView", text(HTML)],
    ["Markdown", "ItemView", text(MARKDOWN)],
    ["thinking", "ItemView", { item: { ...base, kind: "thinking", item: 1, text: HTML, open: false, partial: false, redacted: false, endedAt: null } }],
    ["a person's message", "ItemView", { item: { ...base, kind: "user", item: 1, text: HTML, attachments: [{ media_type: "<img src=x onerror=hit=1>", size: 1, title: HTML }], origin: { kind: "user" }, prompt: null, state: { kind: "failed", reason: HTML } } }],
    ["a notice", "ItemView", { item: { ...base, kind: "notice", about: "hook", level: "error", text: `${HTML}\n${HTML}` } }],
    ["an error", "ItemView", { item: { ...base, kind: "error", code: HTML, message: HTML } }],
    ["code", "Code", { text: HTML, lang: "html", title: HTML }],
    ["what a program prints", "Ansi", { text: `\u001b]8;;javascript:hit=1\u0007${HTML}\u001b]8;;\u0007\u001b[31m${HTML}`, label: HTML }],
    ["a change", "DiffView", { path: HTML, oldPath: MARKDOWN, change: "renamed", diff: `--- a\n+++ b\n@@ -1 +1 @@\n-${HTML.replaceAll("\n", " ")}\n+${MARKDOWN.replaceAll("\n", " ")}\n`, added: 1, removed: 1 }],
    ["a file that was read", "ItemView", call({ kind: "read_file", file_path: `${HTML}.html`, error: HTML, output: { format: "text", content: HTML, media: [{ media_type: "image/svg+xml", data: "PHN2Zy8+" }, { media_type: "text/html", url: "https://evil.example/x.png" }] } })],
    ["a command", "ItemView", call({ kind: "shell_exec", action: "run", command: HTML, description: HTML, error: HTML, output: { stdout: HTML, stderr: HTML, exit_code: 1, media: [{ media_type: "image/png", url: "https://evil.example/x.png" }] } })],
    ["a search", "ItemView", call({ kind: "code_search", mode: "file_names", pattern: HTML, error: HTML, output: { files: [HTML, MARKDOWN] } })],
    ["the web", "ItemView", call({ kind: "http_request", action: "fetch", method: "GET", url: "javascript:hit=1", prompt: HTML, error: HTML, response: { body: `${HTML}\n\n${MARKDOWN}`, hits: [{ url: "javascript:hit=1", title: HTML, snippet: HTML }] } })],
    ["a subagent", "ItemView", call({ kind: "subagent_task", prompt: HTML, description: HTML, name: HTML, error: HTML, output: { status: "completed", result: `${HTML}\n\n${MARKDOWN}` } })],
    ["to-dos", "ItemView", call({ kind: "manage_todos", operation: "write", items: [{ title: HTML, status: "pending", description: HTML, owner: HTML }] })],
    ["a plan", "ItemView", call({ kind: "plan", action: "exit", plan: `${HTML}\n\n${MARKDOWN}`, file_path: HTML, allowed_prompts: [{ tool: HTML, prompt: HTML }] })],
    ["a question", "ItemView", call({ kind: "question", questions: [{ question: HTML, header: HTML, options: [{ label: HTML, description: HTML }] }], answers: [{ question: HTML, answer: HTML, notes: HTML }], response: HTML })],
    ["another tool", "ItemView", call({ kind: "generic", name: HTML, server: HTML, tool: HTML, input: { [HTML]: HTML, __proto__: 1 }, output: { text: JSON.stringify({ constructor: HTML }) } })],
    ["an unheard-of tool", "ItemView", call({ kind: HTML, a: [HTML] })],
    ["a call that is being written", "ItemView", call(null, { inputSoFar: HTML, toolName: HTML })],
  ];

  test.each(cases)("%s", async (_, name, props) => {
    await page.evaluate(([component, given]) => stage.show(component, given), [name, props] as const);
    // Whatever is folded is looked at, too.
    for (let round = 0; round < 4; round++) {
      await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
        for (const button of document.querySelectorAll<HTMLElement>("main button[aria-expanded=false], main .more:not([disabled])")) button.click();
      });
    }
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await foreign()).toEqual([]);
    expect(trouble).toEqual([]);
    expect(await page.locator("main").textContent()).toContain("hit=1");
  });

  const twice = <T>(one: T): T[] => [one, one, { ...one }];
  test.each([
    ["to-dos", call({ kind: "manage_todos", operation: "write", items: twice({ id: "1", title: "Again", status: "pending" }) })],
    ["files", call({ kind: "code_search", mode: "file_names", pattern: "*", output: { files: ["again.rs", "again.rs", "Again.rs"] } })],
    ["hits", call({ kind: "http_request", action: "search", query: "x", response: { body: "", hits: twice({ url: "https://example.com/", title: "Again" }) } })],
    ["questions", call({ kind: "question", questions: twice({ question: "Again?", header: "Again", options: twice({ label: "Again", description: "" }) }), answers: [] })],
    ["numbers", { item: { ...base, kind: "turn_end", outcome: "done", reason: null, durationMs: 0, durationApiMs: null, requests: null, tokens: { input: 0, output: 0, cache_creation: 0, cache_read: 0 }, costUsd: null, totalCostUsd: null, models: {}, structuredOutput: ["again", "again"], lastMessageUuid: null } }],
  ])("what is there twice is drawn twice: %s", async (_, props) => {
    await page.evaluate((given) => stage.show("ItemView", given), props);
    await page.evaluate(() => {
      for (const button of document.querySelectorAll<HTMLElement>("main button[aria-expanded=false]")) button.click();
    });
    expect((await page.locator("main").innerText()).match(/again/gi)?.length).toBeGreaterThan(1);
    expect(trouble).toEqual([]);
  });

  test("what cannot be seen is named", async () => {
    await page.evaluate((given) => stage.show("ItemView", given), text(MARKDOWN));
    expect(await page.locator(".unseen").allTextContents()).toEqual(["U+202E"]);
    expect(await page.locator("main").textContent()).not.toContain("\u202e");
  });

  test("a picture from elsewhere is a link", async () => {
    await page.evaluate((given) => stage.show("ItemView", given), text("![p](https://evil.example/track.png)"));
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.locator("main a.picture").getAttribute("href")).toBe("https://evil.example/track.png");
  });

  test.each([
    ["a line of a megabyte", "ItemView", text("x".repeat(1_000_000))],
    ["a hundred thousand paragraphs", "ItemView", text("a\n\n".repeat(100_000))],
    ["millions of backticks", "ItemView", text("`".repeat(2_000_000))],
    ["a megabyte of code", "Code", { text: "let a = 1;\n".repeat(100_000), lang: "js" }],
    ["a megabyte of output", "Ansi", { text: "\u001b[31mred\u001b[0m\n".repeat(70_000), label: "output" }],
    ["a change of fifty thousand lines", "DiffView", { path: "a.rs", diff: `@@ -1,0 +1,50000 @@\n${"+let a = 1;\n".repeat(50_000)}`, added: 50_000, removed: 0 }],
    ["a tree of a hundred thousand fields", "ItemView", call({ kind: "generic", name: "x", input: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, i])) })],
  ] as const)("%s is drawn in bounded time and size", async (_, name, props) => {
    const took = await page.evaluate(([component, given]) => stage.show(component, given), [name, props] as const);
    expect(took).toBeLessThan(8_000);
    expect(await page.locator("main *").count()).toBeLessThan(6_000);
    expect(trouble).toEqual([]);
  }, 60_000);
});

test("what draws a change, and what colours it, is loaded with the first one", async () => {
  await open("/dev/stage.html");
  const later: string[] = [];
  page.on("request", (request) => later.push(request.url()));
  const diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n";
  const change = (path: string) => call({ kind: "modify_file", file_path: path, change: "modified", mutations: [], patch: { diff, lines_added: 1, lines_removed: 1 } }, { state: "complete" });
  await page.evaluate((given) => stage.show("ItemView", given), change("x.rs"));
  await page.getByRole("region", { name: "Change to x.rs" }).locator(".hljs-keyword").first().waitFor();
  expect(later.some((url) => /rust-.*\.js/.test(url))).toBe(true);
  // From then on it is there at once.
  await page.evaluate((given) => stage.show("ItemView", given), change("y.rs"));
  expect(await page.getByRole("region", { name: "Change to y.rs" }).count()).toBe(1);
  expect(trouble).toEqual([]);
}, 60_000);

test("what went wrong is no alert: it would be told whenever it comes into sight", async () => {
  await open("/dev/stage.html");
  await page.evaluate((given) => stage.show("ItemView", given), call({ kind: "shell_exec", action: "run", command: "x", error: "It failed.", output: { stdout: "", stderr: "", exit_code: 1 } }));
  await page.getByText("It failed.").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.evaluate((given) => stage.show("ItemView", given), { item: { ...base, kind: "error", code: null, message: "It broke." } });
  await page.getByText("It broke.").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
}, 60_000);

test("a change can be copied and seen side by side where nothing hovers", async () => {
  const context = await browser.newContext({ viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true });
  const tablet = await context.newPage();
  await tablet.goto(`${origin}/dev/stage.html`);
  const diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n";
  await tablet.evaluate((given) => stage.show("DiffView", given), { path: "x.rs", diff, added: 1, removed: 1, headless: true });
  const change = tablet.getByRole("region", { name: "Change to x.rs" });
  const tools = change.locator(".headless .tool");
  expect(await tools.count()).toBeGreaterThan(1);
  for (const tool of await tools.all()) {
    expect(await tool.isVisible()).toBe(true);
    expect(await tool.evaluate((element) => getComputedStyle(element).opacity)).toBe("1");
  }
  await tools.first().tap();
  await tablet.screenshot({ path: join(web, "e2e/shots/change-tablet.png") });
  await context.close();
}, 60_000);

test("a long table is drawn in pieces", async () => {
  await open("/dev/stage.html");
  const rows = Array.from({ length: 1000 }, (_, at) => `| ${at} | case_${at} | measured **twice** | fine |`);
  await page.evaluate(([component, given]) => stage.show(component, given), ["ItemView", text(`| n | name | how | so |\n|---|---|---|---|\n${rows.join("\n")}\n`)] as const);
  expect(await page.locator("tbody tr").count()).toBe(100);
  await page.getByRole("button", { name: "900 more rows · show" }).click();
  expect(await page.locator("tbody tr").count()).toBe(400);
  await page.getByRole("button", { name: "600 more rows · show" }).click();
  expect(await page.locator("tbody tr").count()).toBe(1000);
  expect(await page.getByRole("button", { name: /more rows/ }).count()).toBe(0);
}, 60_000);

describe("while a text grows", () => {
  beforeEach(() => open("/dev/stage.html"), 60_000);

  test("what is finished is not touched", async () => {
    const changes = await page.evaluate(async () => {
      const grow = await stage.begin();
      const beginning = "# Title\n\nA paragraph with **bold**.\n\n- a\n- b\n\n```js\nlet a = 1;\n```\n\nNext line\n";
      grow(beginning, true);
      const finished = [...document.querySelectorAll(".prose > *")].slice(0, -1);
      let count = 0;
      const observer = new MutationObserver((records) => (count += records.length));
      for (const element of finished) observer.observe(element, { subtree: true, childList: true, characterData: true, attributes: true });
      let whole = beginning;
      for (const word of "goes on and **on** with `code` and\n\nanother\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".split(/(?<= )/)) grow((whole += word), true);
      grow(whole, false);
      count += observer.takeRecords().length;
      return { count, finished: finished.length, still: finished.every((element) => element.isConnected), table: document.querySelectorAll(".prose table").length };
    });
    // The highlighter may arrive meanwhile and colour the code, once.
    expect(changes).toMatchObject({ finished: 4, still: true, table: 1 });
    expect(changes.count).toBeLessThanOrEqual(2);
  });

  test("half of a mark is never seen", async () => {
    const seen = await page.evaluate(async () => {
      const grow = await stage.begin();
      const whole = "Some **bold** and `code` and [a link](https://example.com) end";
      const texts: string[] = [];
      for (let end = 1; end < whole.length; end++) {
        grow(whole.slice(0, end), true);
        texts.push(document.querySelector(".prose")?.textContent ?? "");
      }
      return texts.filter((shown) => /[*`(]/.test(shown));
    });
    expect(seen).toEqual([]);
  });
});

test("code is copied as it is written", async () => {
  await open("/dev/stage.html");
  const code = "fn main() {\n\n    let a = 1;\n}\n\n// end";
  const copied = await page.evaluate(async (source) => {
    await stage.show("Code", { text: source, lang: "rust" });
    getSelection()?.selectAllChildren(document.querySelector("pre code") ?? document.body);
    return getSelection()?.toString();
  }, code);
  expect(copied).toBe(code);
}, 60_000);

describe("the gallery", () => {
  test.each(["light", "dark"])("is accessible, %s", async (theme) => {
    await open(`/dev/render.html?theme=${theme}`);
    await page.waitForSelector("article");
    await page.evaluate(await readFile(join(web, "node_modules/axe-core/axe.min.js"), "utf8"));
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(context: string, options: object): Promise<{ violations: { id: string; impact: string; nodes: { target: string[]; failureSummary: string }[] }[] }> } };
      const result = await axe.run("main", { rules: { "landmark-unique": { enabled: true } } });
      return result.violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join("\n")}`);
    });
    expect(violations.filter((violation) => /^(?:serious|critical)/.test(violation))).toEqual([]);
    expect(trouble).toEqual([]);
  }, 90_000);

  test("does not scroll sideways on a phone", async () => {
    await open("/dev/render.html");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.waitForSelector("article");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  }, 60_000);
});
