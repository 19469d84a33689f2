/** An MCP server whose only tool asks the user something and says what it was told. */

const { createInterface } = require("node:readline");

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const properties = { colour: { type: "string", title: "Colour", enum: ["red", "blue"] }, amount: { type: "integer" } };
/** @type {unknown} */
let call;

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") {
    const serverInfo = { name: "asker", version: "1.0.0" };
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") {
    send({ id, result: { tools: [{ name: "ask", description: "asks the user", inputSchema: { type: "object" } }] } });
  } else if (method === "tools/call") {
    call = id;
    const message = "Which colour, and how much of it?";
    send({ id: "question", method: "elicitation/create", params: { message, requestedSchema: { type: "object", properties, required: ["colour"] } } });
  } else if (id === "question") {
    const { colour, amount } = result.content ?? {};
    send({ id: call, result: { content: [{ type: "text", text: `colour=${colour} amount=${amount}` }] } });
  }
});
