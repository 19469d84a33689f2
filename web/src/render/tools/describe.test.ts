import { describe as group, expect, test } from "vitest";
import type { NormalizedPayload } from "../../../api/types";
import type { CallState, Item } from "../../state/items";
import { noticeOf, type Noticed } from "../notices";
import { commandOf } from "../user";
import { describe, errorOf, inputLine, isOpenAtFirst } from "./describe";

const line = (payload: unknown, state: CallState = "complete", title = ""): string => {
  const { verb, subject, remarks } = describe({ payload: payload as NormalizedPayload | null, toolName: "Tool", title, state });
  return [verb, subject, ...remarks.map((remark) => `[${remark.text}]`)].join(" ");
};

group("a call in one line", () => {
  test.each([
    ["Read a/b.rs:10–29 [20 lines]", { kind: "read_file", file_path: "a/b.rs", offset: 10, limit: 20, output: { format: "text", line_count: 20 } }],
    ["Read x.pdf pages 1-5 [5 pages]", { kind: "read_file", file_path: "x.pdf", pages: "1-5", output: { format: "pdf", page_count: 5 } }],
    ["Edit a.rs [+2] [−1] [changed by you]", { kind: "modify_file", file_path: "a.rs", mutations: [{ type: "edit" }], user_modified: true, patch: { diff: "", lines_added: 2, lines_removed: 1 } }],
    ["Create a.rs [+2]", { kind: "modify_file", file_path: "a.rs", change: "created", mutations: [{ type: "write" }], patch: { diff: "", lines_added: 2, lines_removed: 0 } }],
    ["Run cargo test && echo ok [exit 101]", { kind: "shell_exec", action: "run", command: "cargo test &&\n  echo ok", output: { exit_code: 101 } }],
    ["Run true", { kind: "shell_exec", action: "run", command: "true", output: { exit_code: 0 } }],
    ["Run a [no sandbox] [background]", { kind: "shell_exec", action: "run", command: "a", background: true, unsandboxed: true }],
    ["Stop b1", { kind: "shell_exec", action: "stop", task_id: "b1" }],
    ["Search fn x  in src *.rs [3 matches] [2 files]", { kind: "code_search", mode: "content", query: "fn x", path: "src", glob: "*.rs", output: { match_count: 3, file_count: 2 } }],
    ["List src", { kind: "code_search", mode: "directory", path: "src" }],
    ["Fetch https://a.b/ [404]", { kind: "http_request", action: "fetch", method: "GET", url: "https://a.b/", response: { body: "", status: 404 } }],
    ["Search the web q [1 result]", { kind: "http_request", action: "search", method: "GET", query: "q", response: { body: "", hits: [{ url: "u" }] } }],
    ["Explore look [7 tool uses] [12.3k tokens]", { kind: "subagent_task", prompt: "p", description: "look", subagent_type: "Explore", output: { status: "completed", tool_uses: 7, total_tokens: 12_340 } }],
    ["Add to-do t", { kind: "create_task", title: "t" }],
    ["To-dos doing b [1 of 2]", { kind: "manage_todos", operation: "write", items: [{ title: "a", status: "completed" }, { title: "b", active_form: "doing b", status: "in_progress" }] }],
    ["Change to-do #3 → in progress", { kind: "manage_todos", operation: "update", change: { id: "3", status: "in_progress" } }],
    ["Plan Do it [edited by you]", { kind: "plan", action: "exit", plan: "# Do it\n\nnow", edited: true }],
    ["2 questions Store", { kind: "question", questions: [{ header: "Store", question: "Where?" }, { question: "When?" }] }],
    ["create title: x, n: 2 [issues]", { kind: "generic", name: "mcp__issues__create", server: "issues", tool: "create", input: { title: "x", n: 2, deep: {} } }],
    ["Use skill review", { kind: "misc", name: "Skill", label: "Use skill", details: "review", input: {} }],
    ["telepathy ", { kind: "telepathy" }],
    ["Tool ", null],
  ])("%s", (expected, payload) => {
    expect(line(payload)).toBe(expected);
  });

  test("what goes on in the background says so once", () => {
    expect(line({ kind: "shell_exec", action: "run", command: "a", background: true, output: { status: "running" } }, "detached")).toBe("Run a");
  });

  test("is bounded", () => {
    expect(line({ kind: "shell_exec", action: "run", command: "x".repeat(1_000_000) }).length).toBeLessThan(200);
    expect(inputLine({ a: "x".repeat(1_000_000), b: ["y"] }).length).toBeLessThan(200);
    expect(inputLine(undefined)).toBe("");
  });
});

test("what people want to see is open at first", () => {
  const isOpen = (kind: string, state: CallState): boolean => isOpenAtFirst({ payload: { kind } as unknown as NormalizedPayload, state });
  expect(isOpen("read_file", "complete")).toBe(false);
  expect(isOpen("read_file", "error")).toBe(true);
  expect(isOpen("modify_file", "complete")).toBe(true);
  expect(isOpen("subagent_task", "running")).toBe(true);
  expect(isOpen("subagent_task", "complete")).toBe(false);
});

test("why a call went wrong", () => {
  expect(errorOf({ payload: null, reason: "denied" })).toBe("denied");
  expect(errorOf({ payload: { kind: "plan", action: "exit", error: "no" }, reason: null })).toBe("no");
  expect(errorOf({ payload: null, reason: null })).toBeNull();
});

group("notices", () => {
  const of = (item: Partial<Item>) => noticeOf({ key: "k", turn: null, at: null, seq: null, ...item } as Noticed);

  test("a retry is quiet, a warning is not", () => {
    expect(of({ kind: "notice", about: "retry", level: "info", text: "again" })).toMatchObject({ icon: "retry", tone: "quiet", text: "again", detail: null });
    expect(of({ kind: "notice", about: "hook", level: "warning", text: "no\nbecause" })).toMatchObject({ tone: "warning", text: "no", detail: "because" });
  });

  test("a limit", () => {
    expect(of({ kind: "rate_limit", limit: "five_hour", status: "allowed_warning", resetsAt: null, utilization: 0.914 }).text).toBe("The five-hour limit is used up to 91 %.");
    expect(of({ kind: "rate_limit", limit: "new_kind", status: "rejected", resetsAt: null, utilization: null })).toMatchObject({ tone: "error", text: "The new kind is reached." });
    expect(of({ kind: "rate_limit", limit: null, status: "rejected", resetsAt: 1e300, utilization: null }).text).toBe("The usage limit is reached. It is lifted later.");
  });

  test("a conversation that was summed up", () => {
    expect(of({ kind: "compacted", before: 168_400, after: 21_900, trigger: "auto" })).toMatchObject({ isBreak: true, text: "Summed up to make room: 168k → 21.9k tokens" });
  });

  test("a run that ended", () => {
    const ended = (meaning: unknown, code: number | null, signal: number | null) => of({ kind: "run_ended", exit: { code, signal }, meaning, stderrTail: "" } as Partial<Item>);
    expect(ended({ kind: "finished" }, 0, null)).toMatchObject({ tone: "quiet", text: "The CLI has ended." });
    expect(ended({ kind: "resumable", at: null }, null, 9).text).toContain("(signal 9)");
    expect(ended({ kind: "failed", message: "no key" }, 1, null)).toMatchObject({ tone: "error", text: "The CLI failed (exit 1): no key" });
  });
});

test("slash commands", () => {
  expect(commandOf("/review a b")).toEqual({ name: "review", rest: "a b" });
  expect(commandOf("/plugin:do-it\nmore")).toEqual({ name: "plugin:do-it", rest: "more" });
  expect(commandOf("/etc/passwd is a file")).toBeNull();
  expect(commandOf("no /command")).toBeNull();
});
