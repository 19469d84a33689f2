// A minimal host: one session of the official TypeScript SDK, relayed to everybody who connects.
//
// usage: node host.mjs MODULES GENERATOR
// MODULES holds node_modules; nothing is installed beside this file. What a client sends is the
// session's next prompt. Writes `listening on ADDRESS` when the session can be spoken to.

import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, generator] = process.argv.slice(2);
const packages = join(modules, "node_modules");
const sdk = join(packages, "@anthropic-ai", "claude-agent-sdk", "sdk.mjs");
const { query } = await import(pathToFileURL(sdk).href);
const { WebSocketServer } = createRequire(join(modules, "package.json"))("ws");

const waiting = [];
let wake = () => {};

async function* prompts() {
  for (;;) {
    while (waiting.length > 0) {
      const content = waiting.shift();
      yield {
        type: "user",
        message: { role: "user", content },
        parent_tool_use_id: null,
        session_id: "",
      };
    }
    await new Promise((resolve) => (wake = resolve));
  }
}

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
const isListening = new Promise((resolve) => server.on("listening", resolve));
server.on("connection", (socket) => {
  socket.on("message", (data) => {
    waiting.push(String(data));
    wake();
  });
});

const stream = query({
  prompt: prompts(),
  options: { pathToClaudeCodeExecutable: generator, includePartialMessages: true },
});
Promise.all([isListening, stream.supportedCommands()]).then(() =>
  console.log(`listening on 127.0.0.1:${server.address().port}`),
);
for await (const message of stream) {
  // Once for all of them.
  const line = Buffer.from(JSON.stringify(message));
  for (const socket of server.clients) socket.send(line, { binary: false });
}
