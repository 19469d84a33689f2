/** What is asked, and what became of it, in words. Pure. */

import type { Approval, ApprovalRow, CancelReason, Decider, Decision, Event, NormalizedPayload } from "../../api/types";
import type { ApprovalFate } from "../state/items";
import { destination, updateOf, written, type Update } from "./rules";
import { named } from "../render/text/visible";

/** The question of a request, as one asks it. */
export function question(request: Approval): string {
  return named(rawQuestion(request));
}

function rawQuestion(request: Approval): string {
  const { subject } = request;
  switch (subject.kind) {
    case "tool":
      return request.title ?? toolQuestion(subject.tool_name, subject.payload);
    case "enter_plan":
      return "Make a plan first?";
    case "plan":
      return subject.plan === null ? "Leave plan mode?" : "Is this plan good?";
    case "question":
      return subject.questions.length > 1 ? `${subject.questions.length} questions for you` : "A question for you";
    case "elicitation":
      return `${subject.server ?? "An MCP server"} asks`;
    case "dialog":
      return request.title ?? "The CLI asks";
  }
}

function toolQuestion(name: string, payload: NormalizedPayload): string {
  switch (payload.kind) {
    case "shell_exec":
      return payload.action === "stop" ? "Stop this command?" : payload.action === "read_output" ? "Read what it printed?" : "Run this command?";
    case "modify_file":
      return payload.mutations.some((mutation) => mutation.type === "write") ? "Write this file?" : "Make this change?";
    case "read_file":
      return "Read this file?";
    case "code_search":
      return "Search here?";
    case "http_request":
      return payload.action === "search" ? "Search the web?" : "Fetch this page?";
    case "subagent_task":
      return "Start this subagent?";
    case "generic":
      return payload.server == null ? `Use ${name}?` : `Use ${payload.tool ?? name} of ${payload.server}?`;
    default:
      return `Use ${name}?`;
  }
}

/** What a request is about, in a line: for lists. */
export function subjectLine(request: Approval): string {
  return named(rawSubject(request));
}

function rawSubject(request: Approval): string {
  const { subject } = request;
  switch (subject.kind) {
    case "tool":
      return toolLine(subject.tool_name, subject.payload);
    case "enter_plan":
      return "Wants to plan before it begins";
    case "plan":
      return firstLine(subject.plan ?? "") || "Without a written plan";
    case "question":
      return subject.questions[0]?.question ?? "";
    case "elicitation":
      return subject.message ?? subject.url ?? "";
    case "dialog":
      return subject.dialog;
  }
}

/** Calls in a few words each, by their ids. */
export function titlesIn(events: readonly Event[]): ReadonlyMap<string, string> {
  return new Map(events.flatMap((event) => (event.type === "tool_call" ? [[event.tool_call_id, named(event.title)] as const] : [])));
}

function toolLine(name: string, payload: NormalizedPayload): string {
  switch (payload.kind) {
    case "shell_exec":
      return payload.command ?? payload.task_id ?? name;
    case "modify_file":
    case "read_file":
      return payload.file_path;
    case "code_search":
      return payload.query ?? payload.pattern ?? payload.path ?? name;
    case "http_request":
      return payload.url ?? payload.query ?? name;
    case "subagent_task":
      return payload.description ?? firstLine(payload.prompt);
    default:
      return name;
  }
}

function firstLine(text: string): string {
  return text.replace(/^#+\s*/, "").split("\n")[0] ?? "";
}

/** What became of a request. */
export type Outcome = { readonly text: string; readonly tone: "good" | "bad" | "plain"; readonly more: string | null };

const VOID: Record<CancelReason, string> = {
  withdrawn: "Withdrawn: the CLI does not need an answer any more",
  run_ended: "Not answered: the run has ended",
};

/** What became of a request; none while it is open. */
export function outcome(fate: ApprovalFate): Outcome | null {
  switch (fate.state) {
    case "open":
      return null;
    case "void":
      return { text: VOID[fate.reason], tone: "plain", more: null };
    case "decided":
      return decided(fate.decision, by(fate.by));
  }
}

/** What became of a request that was answered elsewhere. */
export function became(row: ApprovalRow): string {
  if (row.decision === null || row.by === null) return "no answer is needed any more";
  return `answered elsewhere: ${decided(row.decision, by(row.by)).text}`;
}

function by(decider: Decider): string {
  if (decider.kind === "client") return decider.name === null ? "" : ` by ${named(decider.name)}`;
  return decider.because.ground === "default" ? " by the policy" : ` by the policy: ${named(decider.because.rule.summary)}`;
}

function decided(decision: Decision, who: string): Outcome {
  switch (decision.kind) {
    case "allow": {
      const edited = decision.input === null || decision.input === undefined ? "" : ", with a changed input";
      const always = decision.updates.map((update) => updateWords(updateOf(update))).join("; ");
      return { text: `Allowed${who}${edited}`, tone: "good", more: named(always) || null };
    }
    case "deny":
      return { text: `Denied${who}${decision.stop ? ", and the turn stopped" : ""}`, tone: "bad", more: decision.message === null ? null : named(decision.message) };
    case "plan":
      return planOutcome(decision, who);
    case "answers":
      return { text: decision.answers.length > 0 || decision.response !== null ? `Answered${who}` : `Skipped${who}`, tone: "plain", more: decision.response === null ? null : named(decision.response) };
    case "form":
      return { text: `Filled in${who}`, tone: "good", more: null };
    case "choose":
      return { text: `Chosen${who}`, tone: "good", more: null };
  }
}

function planOutcome(decision: Extract<Decision, { kind: "plan" }>, who: string): Outcome {
  const edited = decision.plan === null ? "" : ", as edited";
  switch (decision.choice) {
    case "clear_context":
      return { text: `Carried out in a new conversation${edited}, accepted${who}`, tone: "good", more: null };
    case "accept_edits":
      return { text: `Accepted${who}${edited}; edits go through`, tone: "good", more: null };
    case "approve_by_hand":
      return { text: `Accepted${who}${edited}; each edit is asked`, tone: "good", more: null };
    case "keep_planning":
      return { text: `Not yet${who}`, tone: "bad", more: decision.feedback === null ? null : named(decision.feedback) };
  }
}

/** What an update changes, with where it is kept. */
export function updateWords(update: Update): string {
  switch (update.type) {
    case "addRules":
      return `always ${update.rules.map(written).join(", ")} in ${destination(update.destination).name}`;
    case "addDirectories":
      return `also work in ${update.directories.join(", ")}, in ${destination(update.destination).name}`;
    case "setMode":
      return `mode ${update.mode} for ${destination(update.destination).name}`;
    case "other":
      return "a change of permissions";
  }
}
