// The usual uses of the official TypeScript SDK, one for each run.
//
// usage: node usual.mjs SDK_DIR SIM USE      (USE: an entry of uses.json as JSON)
//
// Prints what the SDK told us as one JSON object. The working directory is the project.

import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdkDir, sim, useText] = process.argv.slice(2);
const modules = join(sdkDir, "node_modules");
const load = (path) => import(pathToFileURL(path).href);
const { query, tool, createSdkMcpServer } = await load(join(modules, "@anthropic-ai/claude-agent-sdk/sdk.mjs"));
const { z } = await load(createRequire(join(modules, "x.js")).resolve("zod"));

const use = JSON.parse(useText);
const prompts = use.prompts.map((prompt) => prompt.replaceAll("$CWD", process.cwd()));
const seen = { results: [], subtypes: [], texts: [], asked: [], hooked: [], added: [], deltas: "", servers: [] };
const sessions = new Set();

function note(message) {
  if (message.type === "assistant" && message.parent_tool_use_id === null) {
    for (const block of message.message.content) if (block.type === "text") seen.texts.push(block.text);
  } else if (message.type === "stream_event") {
    seen.deltas += message.event.delta?.text ?? "";
  } else if (message.type === "result") {
    seen.results.push(message.result ?? null);
    seen.subtypes.push(message.subtype);
    sessions.add(message.session_id);
  }
}

async function hook(event) {
  seen.hooked.push(`${event.hook_event_name} ${event.tool_name}`);
  if (event.hook_event_name === "PreToolUse" && event.tool_input.command.includes("forbidden")) {
    const decision = { hookEventName: "PreToolUse", permissionDecision: "deny" };
    return { hookSpecificOutput: { ...decision, permissionDecisionReason: "forbidden" } };
  }
  return {};
}

function options(more = {}) {
  const chosen = {
    pathToClaudeCodeExecutable: sim,
    cwd: process.cwd(),
    permissionMode: "default",
    includePartialMessages: true,
    ...more,
  };
  if (use.answer) {
    chosen.canUseTool = async (name, input) => {
      seen.asked.push(name);
      return use.answer === "allow"
        ? { behavior: "allow", updatedInput: input }
        : { behavior: "deny", message: "not today" };
    };
  }
  if (use.hooks) {
    const matchers = [{ matcher: "Bash", hooks: [hook] }];
    chosen.hooks = { PreToolUse: matchers, PostToolUse: matchers };
  }
  if (use.mcp) {
    const add = tool("add", "Adds two numbers", { a: z.number(), b: z.number() }, async ({ a, b }) => {
      seen.added.push([a, b]);
      return { content: [{ type: "text", text: String(a + b) }] };
    });
    chosen.mcpServers = { calc: createSdkMcpServer({ name: "calc", tools: [add] }) };
  }
  return chosen;
}

// A prompt when the turn before it is over.
function conversationWith(next) {
  const user = (content) => ({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
  return (async function* () {
    for (const prompt of prompts) {
      yield user(prompt);
      await next.wait();
    }
  })();
}

function bell() {
  let ring = () => {};
  let rung = new Promise((done) => (ring = done));
  return {
    ring: () => ring(),
    wait: async () => {
      await rung;
      rung = new Promise((done) => (ring = done));
    },
  };
}

async function oneShot() {
  for await (const message of query({ prompt: prompts[0], options: options() })) note(message);
}

async function conversation() {
  const next = bell();
  const stream = query({ prompt: conversationWith(next), options: options() });
  if (use.mode) await stream.setPermissionMode(use.mode);
  for await (const message of stream) {
    note(message);
    if (message.type !== "result") continue;
    if (use.mcp) seen.servers = (await stream.mcpServerStatus()).map((server) => `${server.name} ${server.status}`);
    next.ring();
  }
}

async function interrupt() {
  const next = bell();
  let interrupted = false;
  const stream = query({ prompt: conversationWith(next), options: options() });
  for await (const message of stream) {
    note(message);
    if (!interrupted && seen.deltas === "This much") {
      interrupted = true;
      await stream.interrupt();
    }
    if (message.type === "result") next.ring();
  }
}

async function resume() {
  await oneShot();
  const [session] = sessions;
  for await (const message of query({ prompt: prompts[1], options: options({ resume: session }) })) note(message);
}

const run = { "one-shot": oneShot, conversation, interrupt, resume };
await run[use.name]();
seen.sessions = sessions.size;
seen.files = readdirSync(".").sort();
console.log(JSON.stringify(seen));
