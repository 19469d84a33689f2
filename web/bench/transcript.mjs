/**
 * Events of a session as long as one likes: turns of eight items, as a session of coding has them.
 * Writes what the daemon would send; the client cannot tell the difference.
 */

/** @typedef {import("../api/types").Event} Event */
/** @typedef {import("../api/types").Delta} Delta */

/** Items of a turn. */
const PER_TURN = 8;

/** What stands at the very end, so that it is known when it is painted. */
export const LAST_WORDS = "These are the last words of the transcript.";

const PROSE =
  "The parser keeps what it cannot name, so a line of a newer version is shown and never lost. " +
  "Only the **reader** decides where a line ends; `codec` sees whole lines.\n\n" +
  "- a torn line waits for its rest\n- a line that is too long is cut, and said so\n- an empty one is nothing\n\n";

const CODE =
  "```rust\nfn frame(buffer: &mut Vec<u8>) -> Option<Vec<u8>> {\n    let end = buffer.iter().position(|byte| *byte == b'\\n')?;\n    Some(buffer.drain(..=end).collect())\n}\n```\n\n";

const TABLE = "| case | before | after |\n|---|---:|---:|\n| whole | 12 | 12 |\n| torn | 7 | 9 |\n\n";

/** What the model writes while it is watched. */
export const STREAMED = (PROSE + CODE + PROSE + TABLE).repeat(3);

export class Transcript {
  /** @type {Event[]} */
  #events = [];
  #seq = 0;
  #item = 0;
  #turn = 0;
  #run = "0190a000-0000-7000-8000-000000000001";

  /** @param {string} session */
  constructor(session) {
    this.session = session;
    this.#add({ type: "run_started", run: this.#run, origin: { kind: "new" }, pid: null });
    this.#add({ type: "session_status", status: "ready" });
  }

  get seq() {
    return this.#seq;
  }

  /** The events that were added since the last call. */
  take() {
    return this.#events.splice(0);
  }

  /** @param {Record<string, unknown>} what */
  #add(what) {
    this.#seq += 1;
    const at = new Date(Date.UTC(2026, 0, 1) + this.#seq * 700).toISOString();
    const turn = this.#turn || null;
    this.#events.push(/** @type {Event} */ ({ session: this.session, seq: this.#seq, at, turn, parent_tool_call_id: null, ...what }));
  }

  nextItem() {
    return (this.#item += 1);
  }

  begin() {
    this.#add({ type: "user_message", item: this.nextItem(), text: `Please look at case ${this.#turn + 1} of the parser.`, attachments: [], origin: { kind: "user" }, prompt: null });
    this.#turn += 1;
    this.#add({ type: "turn_started", autonomous: false });
    this.#add({ type: "session_status", status: "running" });
  }

  /** @param {string} text @param {number} [item] */
  say(text, item = this.nextItem()) {
    this.#add({ type: "message", item, text, uuid: `m${item}` });
  }

  think() {
    this.#add({ type: "reasoning", item: this.nextItem(), text: `Case ${this.#turn} may be about torn lines. ${PROSE}` });
  }

  /** @param {string} tool_name @param {string} title @param {Record<string, unknown>} payload @param {Record<string, unknown>} outcome */
  call(tool_name, title, payload, outcome) {
    const item = this.nextItem();
    const tool_call_id = `toolu_${item}`;
    this.#add({ type: "tool_call", item, tool_call_id, tool_name, title, payload });
    this.#add({ type: "tool_update", item, tool_call_id, status: "complete", reason: null, payload: { ...payload, ...outcome } });
  }

  tools() {
    const file_path = `/project/src/case_${this.#turn}.rs`;
    const content = Array.from({ length: 24 }, (_, at) => `    let line_${at} = read(${at});`).join("\n");
    this.call("Read", `Read ${file_path}`, { kind: "read_file", file_path }, { output: { format: "text", content, line_count: 24, start_line: 1, total_lines: 24 } });
    const lines = [" fn frame() {", "-    read(0)", "+    read(1)", " }"];
    const diff = `--- a${file_path}\n+++ b${file_path}\n@@ -1,3 +1,3 @@\n${lines.join("\n")}\n`;
    const patch = { diff, hunks: [{ lines, old_start: 1, old_lines: 3, new_start: 1, new_lines: 3 }], lines_added: 1, lines_removed: 1, located: true };
    const mutations = [{ type: "edit", old_content: "    read(0)", new_content: "    read(1)" }];
    this.call("Edit", `Edit ${file_path}`, { kind: "modify_file", file_path, mutations, patch }, { change: "modified" });
    const stdout = Array.from({ length: 16 }, (_, at) => `test case_${at} ... \u001b[32mok\u001b[0m`).join("\n");
    this.call("Bash", "Run the tests", { kind: "shell_exec", action: "run", command: "cargo test parser", description: "Run the tests" }, { output: { exit_code: 0, stdout, stderr: "" } });
  }

  end() {
    const tokens = { input: 12, output: 640, cache_creation: 900, cache_read: 41_000 };
    this.#add({ type: "context_window", used: 42_552, window: 200_000 });
    this.#add({
      type: "complete",
      outcome: "done",
      reason: null,
      duration_ms: 9000,
      duration_api_ms: 7000,
      num_turns: 4,
      tokens,
      total_cost_usd: this.#turn * 0.04,
      models: {},
      structured_output: null,
      last_message_uuid: `m${this.#item}`,
      denied_tool_call_ids: [],
      prompts: [],
      queued_turns: null,
    });
    this.#add({ type: "session_status", status: "idle" });
    this.#item += 1;
  }

  /** @param {string} [words] */
  turn(words = "") {
    this.begin();
    this.think();
    this.say(PROSE);
    this.tools();
    this.say(PROSE + CODE + TABLE + words);
    this.end();
  }

  /** @param {number} items */
  fill(items) {
    const turns = items / PER_TURN;
    for (let turn = 1; turn <= turns; turn += 1) this.turn(turn === turns ? LAST_WORDS : "");
  }
}
