/** A long conversation, made up: what a day of work looks like, told as events. */

import type { Event, NormalizedPayload } from "../api/types";

const SESSION = "00000000-0000-7000-8000-000000000000";
const PROSE =
  "The parser takes the line apart in **one pass**. Where a field is not of the expected kind, the cursor goes back.\n\n" +
  "- the first case is `Unknown`\n- the second keeps its raw text\n\n```rust\nfn take(&mut self) -> Option<u8> {\n    let byte = self.rest.first()?;\n    Some(*byte)\n}\n```\n\n" +
  "| case | before | after |\n|---|---|---|\n| plain | 1.25 µs | 0.65 µs |\n";

type Body = Event extends infer E ? (E extends Event ? Omit<E, "session" | "seq" | "at" | "turn" | "parent_tool_call_id"> : never) : never;

/** Events that make about `items` things in a transcript. */
export function conversation(items: number): Event[] {
  const events: Event[] = [];
  let item = 0;
  let turn = 0;
  const tell = (body: Body) => {
    const at = new Date(1_800_000_000_000 + events.length * 500).toISOString();
    events.push({ session: SESSION, seq: events.length + 1, at, turn: turn || null, parent_tool_call_id: null, ...body } as Event);
  };
  const call = (tool: string, title: string, payload: NormalizedPayload, result: NormalizedPayload) => {
    item += 1;
    tell({ type: "tool_call", item, payload, title, tool_call_id: `call${item}`, tool_name: tool });
    tell({ type: "tool_update", item, payload: result, reason: null, status: "complete", tool_call_id: `call${item}` });
  };
  while (item + turn < items) {
    item += 1;
    tell({ type: "user_message", item, prompt: null, text: `Please look at case ${item}.`, attachments: [], origin: { kind: "user" } });
    turn += 1;
    tell({ type: "turn_started", autonomous: false });
    for (let step = 0; step < 4; step += 1) {
      item += 1;
      tell({ type: "message", item, text: `${item}. ${PROSE}`, uuid: `m${item}` });
      const path = `/srv/app/src/case${item}.rs`;
      const read: NormalizedPayload = { kind: "read_file", file_path: path };
      call("Read", path, read, { ...read, output: { format: "text", content: "let a = 1;\n".repeat(30), line_count: 30 } });
      const run: NormalizedPayload = { kind: "shell_exec", action: "run", command: "cargo test" };
      call("Bash", "cargo test", run, { ...run, output: { stdout: "test result: ok. 12 passed\n".repeat(8), exit_code: 0 } });
    }
    tell({
      type: "complete",
      denied_tool_call_ids: [],
      duration_api_ms: 1000,
      duration_ms: 2000,
      last_message_uuid: null,
      models: {},
      num_turns: 5,
      outcome: "done",
      prompts: [],
      queued_turns: 0,
      reason: null,
      structured_output: null,
      tokens: { cache_creation: 0, cache_read: 0, input: 10, output: 10 },
      total_cost_usd: turn / 100,
    });
  }
  return events;
}

export { PROSE, SESSION };
