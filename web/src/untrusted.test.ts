/** Components show untrusted text with invisible characters named. */

import { render } from "svelte/server";
import type { Component } from "svelte";
import { describe, expect, it, vi } from "vitest";

// `house` reads these globals when it is imported.
vi.hoisted(() => {
  const store = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
  Object.assign(globalThis, { location: new URL("http://127.0.0.1/"), localStorage: store, sessionStorage: store });
});

const ask = (more: object) => ({ armed: true, session: "s", decide: async () => true, titleOf: () => null, contextUsed: null, request: { suggestions: [], policy: null, default_to_no: false, ...more } });
const tool = (payload: object) => ({ kind: "tool", tool_name: BAD, input: {}, payload: { kind: "misc", label: "", ...payload } });

/** Reorders what follows, steers a terminal, and cannot be seen. */
const BAD = "\u202e\u2066\u009b\u200b";
const NAMED = "&lt;U+202E&gt;&lt;U+2066&gt;&lt;U+009B&gt;&lt;U+200B&gt;";
const NOW = "2026-01-01T00:00:00Z";

const modules = import.meta.glob<{ default: Component<Record<string, unknown>> }>("./**/*.svelte");
const rules = [{ toolName: BAD, ruleContent: BAD }];
const row = { id: "l", name: BAD, origin: BAD, created_at: NOW, last_used_at: NOW, expires_at: NOW, is_current: false };
const report = { directory: "/r", root: BAD, digest: "d", standing: "undecided", changed: [BAD], problem: BAD };
const NOTHING = { hooks: [], servers: [], helpers: [], git: [], variables: [], rules: [], plugins: [], skills: [], commands: [], agents: [], instructions: [], settings: [], unclear: [] };
const schema = { properties: { a: { enum: [BAD], title: BAD }, b: { type: "string", description: BAD } } };
const elicitation = { kind: "elicitation", message: BAD, schema, server: BAD, elicitation_id: null };
const turn = { outcome: "failed", reason: BAD, tokens: { input: 0, output: 0, cache_read: 0, cache_creation: 0 }, durationMs: null, requests: null, costUsd: null, structuredOutput: null };
const hit = { title: BAD, url: BAD, snippet: BAD };

/** A component, its props, and how often the output contains the named text. */
const CASES: readonly (readonly [file: string, props: object, times: number])[] = [
  ["approvals/FormAsk", { ask: ask({}), subject: { ...elicitation, url: BAD } }, 5],
  ["approvals/FormAsk", { ask: ask({}), subject: { ...elicitation, url: `https://a.invalid/${BAD}` } }, 4],
  ["approvals/OneQuestion", { question: { question: BAD, header: BAD, options: [{ label: BAD, description: BAD }] }, answer: { chosen: [], isOther: false, other: "" }, numbered: false }, 5],
  ["approvals/Preview", { option: { label: BAD, preview: "x" } }, 1],
  ["approvals/Always", { ask: ask({ suggestions: [{ type: "addRules", rules, behavior: BAD, destination: BAD }] }), busy: false }, 6],
  ["approvals/Always", { ask: ask({ suggestions: [{ type: "addDirectories", directories: [BAD] }, { type: "setMode", mode: BAD }, { type: "odd", what: "\u202e" }] }), busy: false }, 2],
  ["approvals/ToolAsk", { ask: ask({}), subject: tool({}) }, 1],
  ["approvals/DialogAsk", { ask: ask({}), subject: { kind: "dialog", dialog: BAD, content: null } }, 1],
  ["trust/TrustReview", { report: { ...report, brings: { ...NOTHING, instructions: [BAD] } }, session: "s", running: false }, 4],
  ["settings/Login", { row, now: 0 }, 4],
  ["settings/Server", { server: { name: BAD, status: BAD, error: BAD, tools: [{ name: BAD }] }, busy: false }, 5],
  ["settings/Verdicts", { name: "a", isOpen: true, replay: { calls: [{ verdict: "allow", tool_name: BAD, sentence: BAD }], allowed: 1, denied: 0, asked: 0 } }, 2],
  ["sessions/Marked", { text: `${BAD}a${BAD}`, marks: [[11, 12]] }, 2],
  ["render/NoticeLine", { item: { kind: "error", message: "x", code: BAD } }, 1],
  ["render/TurnEnd", { item: turn }, 1],
  ["render/Picture", { media: { media_type: BAD }, alt: BAD }, 1],
  ["render/code/Code", { text: "x", lang: BAD }, 2],
  ["render/tools/WebBody", { web: { action: "search", method: "GET", prompt: BAD, allowed_domains: [BAD], blocked_domains: [BAD], response: { body: "", hits: [hit] } } }, 6],
  ["render/tools/TodoList", { todos: [{ title: BAD, status: "pending", owner: BAD, blocked_by: [BAD], description: BAD }] }, 4],
  ["render/tools/PlanBody", { plan: { action: "exit", allowed_prompts: [{ tool: BAD, prompt: BAD }] } }, 2],
  ["render/tools/QuestionBody", { asked: { questions: [{ question: BAD, options: [] }], answers: [{ question: BAD, answer: BAD, notes: BAD }], response: BAD } }, 4],
  ["render/tools/SearchBody", { search: { mode: "content", ignore: [BAD] } }, 1],
  ["render/tools/ShellBody", { shell: { action: "run", command: "x", output: { stdout: "x", note: BAD, truncated: true, output_file: BAD } }, isRunning: false }, 2],
  ["render/tools/SubagentBody", { agent: { prompt: "x", model: BAD, isolation: BAD }, task: { status: BAD, last_tool: BAD, tool_uses: null, tokens: null, duration_ms: null }, items: [] }, 4],
  ["render/tools/ModifyBody", { change: { file_path: "x", mutations: [{ type: "delete_cell", cell_id: BAD }] } }, 1],
  ["conversation/Strip", { icon: "list", label: BAD, count: "1", children: () => {} }, 1],
  ["conversation/OutgoingPrompt", { outgoing: { text: BAD, attachments: [], failed: BAD } }, 2],
  ["pictures/Slices", { title: "x", slices: [{ name: BAD, cost: 1, read: 1, written: 1 }], measure: "cost", hueOf: () => 0 }, 2],
  ["rewind/Prompts", { points: [{ key: "k", prompt: "p", text: BAD, at: null }], prompt: "p" }, 1],
  ["rewind/WhatChanges", { seen: { kind: "trouble", why: BAD }, waking: false }, 1],
];

describe("names what cannot be seen", () => {
  for (const [at, [file, props, times]] of CASES.entries()) {
    it(`${file} (${at})`, async () => {
      const { default: Shown } = await modules[`./${file}.svelte`]!();
      // Form fields keep the raw value, which is sent back.
      const html = render(Shown, { props: { ...props } }).body.replaceAll(/ (?:value|name)="[^"]*"/g, "");
      // oxlint-disable-next-line no-control-regex
      expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0080-\u009f\u200b]/);
      expect(html.split(NAMED).length - 1 + html.split(NAMED.replaceAll("&gt;", ">")).length - 1, html).toBe(times);
    });
  }
});
