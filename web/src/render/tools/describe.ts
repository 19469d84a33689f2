/**
 * A tool call in one line: what is done, to what, and how it came out. Pure, and total over the
 * kinds of calls: a kind that is added to the API does not compile until it has a line here.
 */

import type { NormalizedPayload, ShellExec, CodeSearch, ManageTodos } from "../../../api/types";
import type { CallState, ToolCallItem } from "../../state/items";
import { bytes, count, oneLine, plural } from "../format";
import type { IconName } from "../../ui/icons";
import { named } from "../text/visible";

/** How the subject is written. */
export type SubjectKind = "path" | "code" | "text";

/** A remark at the end of the line. */
export type Remark = { readonly text: string; readonly tone: "plain" | "good" | "bad" };

/** A call in one line. */
export type Line = {
  readonly icon: IconName;
  readonly verb: string;
  readonly subject: string;
  readonly as: SubjectKind;
  readonly remarks: readonly Remark[];
};

const plain = (text: string): Remark => ({ text, tone: "plain" });

/** The line of a call. */
export function describe(call: Pick<ToolCallItem, "payload" | "toolName" | "title" | "state">): Line {
  const line = rawLine(call);
  const remarks = line.remarks.map((remark) => ({ ...remark, text: named(remark.text) }));
  return { ...line, verb: named(line.verb), subject: named(line.subject), remarks };
}

function rawLine(call: Pick<ToolCallItem, "payload" | "toolName" | "title" | "state">): Line {
  const { payload } = call;
  if (payload === null) {
    return { icon: "tool", verb: call.toolName ?? "Tool", subject: call.title, as: "text", remarks: [] };
  }
  return lineOf(payload, call.title, call.state);
}

function lineOf(payload: NormalizedPayload, title: string, state: CallState): Line {
  switch (payload.kind) {
    case "read_file": {
      const { output } = payload;
      const remarks: Remark[] = [];
      if (output?.format === "unchanged") remarks.push(plain("unchanged"));
      else if (output?.line_count != null) remarks.push(plain(plural(output.line_count, "line")));
      else if (output?.page_count != null) remarks.push(plain(plural(output.page_count, "page")));
      else if (output?.format === "image") remarks.push(plain("image"));
      return { icon: "read", verb: "Read", subject: payload.file_path + rangeOf(payload), as: "path", remarks };
    }
    case "modify_file": {
      const remarks: Remark[] = [];
      const patch = payload.patch;
      if (patch && patch.lines_added > 0) remarks.push({ text: `+${patch.lines_added}`, tone: "good" });
      if (patch && patch.lines_removed > 0) remarks.push({ text: `−${patch.lines_removed}`, tone: "bad" });
      if (payload.user_modified === true) remarks.push(plain("changed by you"));
      if (payload.staged === true) remarks.push(plain("prepared"));
      const isNew = payload.change === "created";
      const isWrite = payload.mutations.some((mutation) => mutation.type === "write");
      return {
        icon: isNew ? "create" : "edit",
        verb: isNew ? "Create" : isWrite ? "Write" : "Edit",
        subject: payload.file_path,
        as: "path",
        remarks,
      };
    }
    case "shell_exec":
      return shell(payload, state);
    case "code_search":
      return search(payload);
    case "http_request": {
      const { response } = payload;
      const remarks: Remark[] = [];
      if (response?.status != null) remarks.push({ text: String(response.status), tone: response.status >= 400 ? "bad" : "plain" });
      if (response?.page_bytes != null) remarks.push(plain(bytes(response.page_bytes)));
      if (response?.hits != null && response.hits.length > 0) remarks.push(plain(plural(response.hits.length, "result")));
      return payload.action === "search"
        ? { icon: "web", verb: "Search the web", subject: payload.query ?? "", as: "text", remarks }
        : { icon: "web", verb: "Fetch", subject: payload.url ?? "", as: "code", remarks };
    }
    case "subagent_task": {
      const { output } = payload;
      const remarks: Remark[] = [];
      if (output?.tool_uses != null) remarks.push(plain(plural(output.tool_uses, "tool use")));
      if (output?.total_tokens != null) remarks.push(plain(`${count(output.total_tokens)} tokens`));
      const verb = payload.name ?? output?.agent_type ?? payload.subagent_type ?? "Agent";
      return { icon: "agent", verb, subject: payload.description ?? oneLine(payload.prompt), as: "text", remarks };
    }
    case "create_task":
      return { icon: "todo", verb: "Add to-do", subject: payload.title, as: "text", remarks: [] };
    case "manage_todos":
      return todos(payload);
    case "plan":
      return {
        icon: "plan",
        verb: payload.action === "enter" ? "Begin to plan" : "Plan",
        subject: payload.plan == null ? "" : oneLine(payload.plan.replace(/^#+\s*/, "").split("\n")[0] ?? ""),
        as: "text",
        remarks: payload.edited === true ? [plain("edited by you")] : [],
      };
    case "question":
      return {
        icon: "question",
        verb: payload.questions.length > 1 ? plural(payload.questions.length, "question") : "Question",
        subject: payload.questions[0]?.header ?? payload.questions[0]?.question ?? "",
        as: "text",
        remarks: [],
      };
    case "generic":
      return {
        icon: payload.server == null ? "tool" : "plug",
        verb: payload.tool ?? payload.name,
        subject: title === payload.name || title === payload.tool ? inputLine(payload.input) : title || inputLine(payload.input),
        as: "text",
        remarks: payload.server == null ? [] : [plain(payload.server)],
      };
    case "misc":
      return { icon: "tool", verb: payload.label, subject: payload.details ?? "", as: "text", remarks: [] };
    default:
      return unheardOf(payload, title);
  }
}

/** A kind of a newer host. Does not compile while a kind that is known has no case. */
function unheardOf(payload: never, title: string): Line {
  const kind: unknown = (payload as { kind?: unknown }).kind;
  return { icon: "tool", verb: typeof kind === "string" ? kind : "Tool", subject: title, as: "text", remarks: [] };
}

function rangeOf(read: { readonly offset?: number | null; readonly limit?: number | null; readonly pages?: string | null; readonly cell_id?: string | null }): string {
  if (read.pages != null) return ` pages ${read.pages}`;
  if (read.cell_id != null) return ` cell ${read.cell_id}`;
  if (read.offset == null && read.limit == null) return "";
  const first = read.offset ?? 1;
  return read.limit == null ? `:${first}` : `:${first}–${first + read.limit - 1}`;
}

const SHELL_VERB = {
  run: "Run",
  run_powershell: "Run",
  evaluate: "Evaluate",
  watch: "Watch",
  read_output: "Read output",
  stop: "Stop",
} as const;

function shell(payload: ShellExec, state: CallState): Line {
  const { output } = payload;
  const remarks: Remark[] = [];
  if (payload.unsandboxed === true) remarks.push({ text: "no sandbox", tone: "bad" });
  // A call that goes on in the background says so by its state.
  const goesOn = state === "detached";
  if (!goesOn && (payload.background === true || output?.backgrounded_by_user === true)) remarks.push(plain("background"));
  if (output?.interrupted === true) remarks.push({ text: "interrupted", tone: "bad" });
  if (output?.exit_code != null && output.exit_code !== 0) {
    remarks.push({ text: `exit ${output.exit_code}`, tone: output.note == null ? "bad" : "plain" });
  } else if (!goesOn && output?.status != null && output.status !== "completed") {
    remarks.push({ text: output.status, tone: output.status === "failed" ? "bad" : "plain" });
  }
  return {
    icon: payload.action === "stop" ? "barred" : "shell",
    verb: SHELL_VERB[payload.action],
    subject: oneLine(payload.command ?? payload.socket ?? payload.task_id ?? ""),
    as: "code",
    remarks,
  };
}

const SEARCH_VERB = {
  file_names: "Find files",
  files_with_matches: "Search",
  content: "Search",
  count: "Count",
  directory: "List",
  symbols: "Ask language server",
} as const;

function search(payload: CodeSearch): Line {
  const { output } = payload;
  const remarks: Remark[] = [];
  if (output?.timed_out === true) remarks.push({ text: "timed out", tone: "bad" });
  if (output?.match_count != null) remarks.push(plain(plural(output.match_count, "match", "matches")));
  else if (output?.line_count != null) remarks.push(plain(plural(output.line_count, "line")));
  if (output?.file_count != null) remarks.push(plain(plural(output.file_count, "file")));
  const what = payload.query ?? payload.pattern ?? payload.path ?? "";
  const where = what === payload.path ? "" : [payload.path, payload.glob, payload.file_type].filter((part) => part != null).join(" ");
  return { icon: "search", verb: SEARCH_VERB[payload.mode], subject: where === "" ? what : `${what}  in ${where}`, as: "code", remarks };
}

function todos(payload: ManageTodos): Line {
  const items = payload.items ?? [];
  const done = items.filter((item) => item.status === "completed").length;
  const now = items.find((item) => item.status === "in_progress");
  const remarks = items.length > 0 ? [plain(`${done} of ${items.length}`)] : [];
  if (payload.operation === "update") {
    const change = payload.change;
    const status = change?.status == null ? "" : ` → ${change.status.replace("_", " ")}`;
    return { icon: "todo", verb: "Change to-do", subject: `${change?.title ?? `#${change?.id ?? payload.task_id ?? ""}`}${status}`, as: "text", remarks };
  }
  const verb = payload.operation === "write" ? "To-dos" : "Look at to-dos";
  return { icon: "todo", verb, subject: now?.active_form ?? now?.title ?? "", as: "text", remarks };
}

/** The simple values of an input, in one line. */
export function inputLine(input: unknown): string {
  if (input === null || typeof input !== "object") return input === undefined || input === null ? "" : oneLine(String(input));
  const parts: string[] = [];
  for (const [key, value] of Object.entries(input).slice(0, 6)) {
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") parts.push(`${key}: ${oneLine(String(value), 60)}`);
  }
  return oneLine(parts.join(", "));
}

/** The state in words, where the eye needs them. */
export const STATE_WORD: Readonly<Record<CallState, string>> = {
  writing: "being written",
  waiting: "needs you",
  running: "running",
  detached: "in background",
  complete: "done",
  error: "failed",
  cancelled: "cancelled",
};

/** Whether a card shows its inside before anybody asks: what people want to see of a call. */
export function isOpenAtFirst(call: Pick<ToolCallItem, "payload" | "state">): boolean {
  if (call.state === "error") return true;
  // The request about it shows it whole.
  if (call.state === "waiting") return false;
  switch (call.payload?.kind) {
    case "modify_file":
    case "shell_exec":
    case "manage_todos":
    case "plan":
    case "question":
      return true;
    case "subagent_task":
      return call.state === "running" || call.state === "detached";
    default:
      return false;
  }
}

/** Why a call went wrong, where it did. */
export function errorOf(call: Pick<ToolCallItem, "payload" | "reason">): string | null {
  return call.payload?.error ?? call.reason;
}
