/** Items of every kind, made up. */

import type { NormalizedPayload, PatchHunk } from "../api/types";
import type { CallState, Item, ToolCallItem } from "../src/state/items";

let number = 0;
const at = "2026-11-16T09:00:00Z";
const base = (): { key: string; turn: number; at: string; seq: number } => ({ key: `i${++number}`, turn: 1, at, seq: number });

function call(payload: NormalizedPayload | null, more: Partial<ToolCallItem> = {}): ToolCallItem {
  const state: CallState = "complete";
  return {
    ...base(),
    kind: "tool",
    item: number,
    toolCallId: `toolu_${number}`,
    toolName: "Tool",
    title: "",
    payload,
    state,
    inputSoFar: "",
    reason: null,
    endedAt: "2026-11-16T09:00:03.200Z",
    approval: null,
    children: [],
    task: null,
    ...more,
  };
}

const text = (markdown: string, open = false): Item => ({ ...base(), kind: "text", item: number, text: markdown, open, partial: false, uuid: null });

const hunks: PatchHunk[] = [
  {
    old_start: 12,
    old_lines: 9,
    new_start: 12,
    new_lines: 11,
    lines: [
      " impl Hub {",
      "     /// Sends an event to everybody who listens.",
      "-    pub fn publish(&self, event: Event) {",
      "-        let _ = self.sender.send(event);",
      "+    pub fn publish(&self, event: Arc<Event>) -> usize {",
      "+        let reached = self.sender.send(event);",
      "+        // Nobody listens: that is no error.",
      "+        reached.unwrap_or(0)",
      "     }",
      " ",
      "     /// Listens from now on.",
      "     pub fn subscribe(&self) -> Receiver {",
    ],
  },
  {
    old_start: 48,
    old_lines: 4,
    new_start: 50,
    new_lines: 3,
    lines: ["     fn drop(&mut self) {", '-        println!("gone");', "         self.closed.store(true, Ordering::Release);", "     }"],
  },
];

const newFile = Array.from({ length: 130 }, (_, i) => (i % 9 === 0 ? `+## Part ${i / 9 + 1}` : `+Line ${i + 1} of a document that was not there before.`));

export const renamed = {
  path: "crates/pilothouse-host/src/hub/fan_out.rs",
  oldPath: "crates/pilothouse-host/src/hub.rs",
  change: "renamed" as const,
  hunks,
  diff: "",
  added: 4,
  removed: 3,
};

const ansi = [
  "\u001b[1m\u001b[32m   Compiling\u001b[0m pilothouse-session v0.1.0",
  "\u001b[1m\u001b[32m    Finished\u001b[0m `test` profile in 12.3s",
  ...Array.from({ length: 30 }, (_, i) => `test session::turn::case_${i + 1} ... \u001b[32mok\u001b[0m`),
  "test session::turn::last_one ... \u001b[31mFAILED\u001b[0m",
  "",
  "test result: \u001b[31mFAILED\u001b[0m. 30 passed; \u001b[1;31m1 failed\u001b[0m; 0 ignored; finished in 0.42s",
].join("\n");

const prose = `## What I found

The reader waits for a person in **one** place, \`approve()\`, and that blocks every other request. Three things follow:

1. The table of approvals must be *beside* the reader, not in it.
2. A cancelled request needs a fate of its own:
   - \`withdrawn\` when the CLI takes it back,
   - \`run_ended\` when its process is gone.
3. ~~Retry~~ nothing by itself; see [the protocol](https://example.com/protocol) for why.

> An answer that comes too late is refused, with the reason.

\`\`\`rust
/// Answers a request once.
pub fn decide(&mut self, id: ApprovalId, decision: Decision) -> Result<(), Refusal> {
    let Some(open) = self.open.remove(&id) else {
        return Err(Refusal::AlreadyAnswered { id });
    };
    self.log.push(format!("{} took {:?}", id, open.since.elapsed()));
    Ok(())
}
\`\`\`

| case | before | after |
|:-----|-------:|------:|
| one approval open | 31 ms | 0.4 ms |
| a hundred open | 2,900 ms | 0.6 ms |

- [x] table moved
- [ ] documents follow

Press <kbd>y</kbd> to accept. Types such as Vec<String> stay readable.`;

export const items: Item[] = [
  { ...base(), kind: "user", item: 1, text: "Why does the daemon stall while an approval is open?\nLook at crates/pilothouse-host first.", attachments: [{ digest: null, media_type: "image/png", size: 48_213, title: null }, { digest: null, media_type: "application/pdf", size: 1_204_000, title: "trace.pdf" }], origin: { kind: "user" }, prompt: null, state: null },
  { ...base(), kind: "thinking", item: 2, text: "The runner owns the loop.\n\nIf `approve()` is awaited there, everything behind it waits.", open: false, partial: false, redacted: false, endedAt: "2026-11-16T09:00:07Z" },
  { ...base(), kind: "thinking", item: 3, text: "Next I should see who holds the lock while the table is read", open: true, partial: false, redacted: false, endedAt: null },
  { ...base(), kind: "thinking", item: 3, text: "", open: false, partial: false, redacted: true, endedAt: null },
  text(prose),
  call({ kind: "read_file", file_path: "/home/ada/src/pilothouse/crates/pilothouse-host/src/runner/loop.rs", offset: 40, limit: 60, output: { format: "text", content: 'fn main() {\n    println!("hello");\n}', start_line: 40, line_count: 60, total_lines: 412 } }),
  call({ kind: "code_search", mode: "content", query: "fn approve\\(", path: "crates", output: { content: "crates/host/src/runner.rs:88:    async fn approve(&mut self) {\ncrates/host/src/runner.rs:141:fn approve(", match_count: 2, file_count: 1 } }),
  call({ kind: "code_search", mode: "file_names", pattern: "**/*.rs", output: { files: Array.from({ length: 34 }, (_, i) => `crates/pilothouse-host/src/part_${i}.rs`), file_count: 34 } }, { endedAt: at }),
  call({ kind: "modify_file", file_path: "crates/pilothouse-host/src/hub.rs", change: "modified", mutations: [{ type: "edit" }], patch: { diff: "", hunks, lines_added: 4, lines_removed: 3 } }),
  call({ kind: "modify_file", file_path: "docs/APPROVALS.md", change: "created", mutations: [{ type: "write" }], patch: { diff: "", hunks: [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: newFile.length, lines: newFile }], lines_added: newFile.length, lines_removed: 0 } }, { endedAt: at }),
  call({ kind: "shell_exec", action: "run", command: "cargo nextest run -p pilothouse-session", description: "Runs the session's tests", output: { stdout: ansi, stderr: "warning: unused import: `std::fmt`\n", exit_code: 101 } }, { endedAt: "2026-11-16T09:01:12Z" }),
  call({ kind: "shell_exec", action: "run", command: "npm run build && npm run e2e -- --grep approvals", output: null }, { state: "running", at: new Date(Date.now() - 14_000).toISOString(), endedAt: null }),
  call({ kind: "shell_exec", action: "run", command: "git push --force origin main", output: null }, { state: "waiting", endedAt: null }),
  call({ kind: "shell_exec", action: "run", command: "rm -rf build", output: null }, { state: "cancelled", reason: "Denied: keep the build for now." }),
  call({ kind: "http_request", action: "search", method: "GET", query: "tokio broadcast lagged receiver", response: { body: "", hits: [{ url: "https://docs.rs/tokio", title: "tokio::sync::broadcast", snippet: "A receiver that lags is told how many it missed." }] } }),
  call({ kind: "http_request", action: "fetch", method: "GET", url: "https://docs.rs/tokio/latest/tokio/sync/broadcast/", prompt: "What happens on lag?", response: { body: "A receiver gets `Lagged(n)`.", status: 200, page_bytes: 48_112 } }),
  call(
    { kind: "subagent_task", description: "Look for other places that wait", prompt: "Look through crates/ for awaits on people.", subagent_type: "Explore" },
    {
      state: "running",
      endedAt: null,
      at: new Date(Date.now() - 64_000).toISOString(),
      task: { background: false, description: "", duration_ms: 64_000, kind: "local_agent", last_tool: "Grep", status: "running", subagent_type: "Explore", summary: null, task_id: "t1", tokens: 18_240, tool_call_id: null, tool_uses: 7 },
      children: [
        call({ kind: "code_search", mode: "files_with_matches", query: "\\.await", path: "crates", output: { files: ["crates/a.rs"], file_count: 1 } }, { endedAt: at }),
        call({ kind: "read_file", file_path: "crates/a.rs", output: { format: "text", content: "…", line_count: 120 } }, { endedAt: at }),
        text("Two places wait, both behind a timer."),
      ],
    },
  ),
  call({ kind: "manage_todos", operation: "write", items: [{ title: "Move the table", status: "completed" }, { title: "Test cancels", active_form: "Testing cancels", status: "in_progress" }, { title: "Write it down", status: "pending", id: "3", blocked_by: ["2"] }] }, { endedAt: at }),
  call({ kind: "create_task", title: "Measure again", description: "With a hundred approvals open", task_id: "4" }, { endedAt: at }),
  call({ kind: "plan", action: "exit", plan: "# Move approvals out of the reader\n\n1. A table beside the loop\n2. `decide` answers from there\n\nNothing else changes." }, { endedAt: at }),
  call({ kind: "question", questions: [{ header: "Store", question: "Where should the table live?", options: [{ label: "In memory", description: "lost on restart" }, { label: "In the store", description: "survives" }] }], answers: [{ question: "Where should the table live?", answer: "In the store", notes: "but keep it small" }] }, { endedAt: at }),
  call({ kind: "generic", name: "mcp__issues__create", server: "issues", tool: "create", input: { title: "Approvals stall", labels: ["bug", "host"], body: "x".repeat(900), meta: { priority: 2, draft: false, owner: null } }, output: { text: '{"id": 41, "url": "https://example.com/41"}' } }, { endedAt: at }),
  call({ kind: "misc", name: "Skill", label: "Use skill", details: "review", input: {}, output: { text: "Loaded." } }, { endedAt: at }),
  call({ kind: "read_file", file_path: "secrets.env", error: "File does not exist. Did you mean `secrets.env.example`?" }, { state: "error" }),
  call(null, { toolName: "Write", state: "writing", inputSoFar: '{"file_path": "docs/A.md", "content": "# A\\n\\nThis is being wri', endedAt: null, at: new Date().toISOString() }),
  call({ kind: "shell_exec", action: "run", command: "npm run dev", background: true, task_id: "b1", output: { stdout: "", status: "running" } }, { state: "detached", endedAt: null }),
  call({ kind: "telepathy", thoughts: ["one", "two"] } as unknown as NormalizedPayload, { title: "reads minds", endedAt: at }),
  { ...base(), kind: "user", item: 9, text: "/review crates/pilothouse-host --deep", attachments: [], origin: { kind: "user" }, prompt: null, state: { kind: "queued" } },
  { ...base(), kind: "user", item: 9, text: "Background command npm run dev has ended with exit code 0.", attachments: [], origin: { kind: "cli", source: "task-notification" }, prompt: null, state: null },
  { ...base(), kind: "notice", about: "retry", level: "info", text: "The API is overloaded; trying again in 4 s (2 of 10)." },
  { ...base(), kind: "notice", about: "hook", level: "warning", text: "PreToolUse hook refused the command.\nline two of what it said, which is long enough to be folded away from the first" },
  { ...base(), kind: "rate_limit", limit: "five_hour", status: "allowed_warning", resetsAt: 1_794_834_000, utilization: 0.91 },
  { ...base(), kind: "compacted", before: 168_400, after: 21_900, trigger: "auto" },
  { ...base(), kind: "error", code: "invalid_request_error", message: "The image is too large: at most 5 MB." },
  { ...base(), kind: "run_ended", exit: { code: null, signal: 9 }, meaning: { kind: "in_doubt", tool_call_ids: ["x"] }, stderrTail: "Killed\n" },
  text("Invisible things are named: user\u202Egnp.exe and a half-written **bold with `co", true),
  { ...base(), kind: "turn_end", outcome: "done", reason: null, durationMs: 84_200, durationApiMs: 61_000, requests: 6, tokens: { input: 320, output: 2_140, cache_creation: 4_100, cache_read: 81_000 }, costUsd: 0.187, totalCostUsd: 1.42, models: {}, structuredOutput: null, lastMessageUuid: null },
  { ...base(), kind: "turn_end", outcome: "failed", reason: "error_max_turns", durationMs: 4_200, durationApiMs: null, requests: 1, tokens: { input: 0, output: 0, cache_creation: 0, cache_read: 0 }, costUsd: null, totalCostUsd: null, models: {}, structuredOutput: null, lastMessageUuid: null },
];
