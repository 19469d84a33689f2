/** What each event changes. One case for each; an event of a kind that is not known changes nothing. */

import type { Approval, Event, Task } from "../../api/types";
import type { Draft } from "./draft";
import { uuidOf, type ApprovalCard, type ApprovalFate, type CallState, type Item, type ToolCallItem } from "./items";
import { promptMoved, said } from "./prompts";
import type { RateLimit } from "./state";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Takes an event in. */
export function apply(draft: Draft, event: Event): void {
  switch (event.type) {
    case "session_status":
      return draft.set({ status: event.status });
    case "run_started":
      return runStarted(draft, event);
    case "run_ready":
      return draft.set({ version: event.version, models: event.models, account: event.account });
    case "run_ended":
      return runEnded(draft, event);
    case "conversation_changed":
      draft.set({ cliSession: event.cli_session });
      if (event.reason === "started" || event.reason === "resumed") return;
      return add(draft, event, { ...base(event), kind: "conversation", reason: event.reason, backTo: null });
    case "available_commands":
      return draft.set({ commands: event.commands });
    case "user_message":
      return said(draft, event);
    case "prompt_updated":
      return promptMoved(draft, event);
    case "turn_started":
      if (event.turn === null) return;
      return draft.set({
        turn: { id: event.turn, startedAt: event.at, autonomous: event.autonomous },
        suggestion: null,
      });
    case "message":
    case "reasoning":
      return wrote(draft, event);
    case "tool_call":
      return called(draft, event);
    case "tool_update":
      return callEnded(draft, event);
    case "retracted":
      return retracted(draft, event);
    case "approval_requested":
      return asked(draft, event);
    case "approval_resolved": {
      const { decision, by, at } = event;
      return answered(draft, event.approval, { state: "decided", decision, by, at });
    }
    case "permission_cancelled":
      return answered(draft, event.approval, { state: "void", reason: event.reason, at: event.at });
    case "mode_changed":
      return draft.set({ mode: event.mode });
    case "model_changed":
      return draft.set({ model: event.model });
    case "thinking_changed":
      return draft.set({ thinking: event.thinking });
    case "context_window":
      return draft.set({ context: { used: event.used, window: event.window } });
    case "todos":
      return draft.set({ todos: event.items });
    case "task_started":
    case "task_updated":
    case "task_ended":
      return taskMoved(draft, event);
    case "compacted": {
      const { before, after, trigger } = event;
      return add(draft, event, { ...base(event), kind: "compacted", before, after, trigger });
    }
    case "rate_limit":
      return limited(draft, event);
    case "notice": {
      const { about, level, text } = event;
      return add(draft, event, { ...base(event), kind: "notice", about, level, text });
    }
    case "prompt_suggestion":
      return draft.set({ suggestion: event.text });
    case "renamed":
      return draft.set({ title: event.title });
    case "complete":
      return settled(draft, event);
    case "error": {
      const { code, message } = event;
      return add(draft, event, { ...base(event), kind: "error", code, message });
    }
    case "unknown":
      return draft.set({ unknown: draft.now.unknown + 1 });
    case "plan_ready":
    case "question_asked":
    case "file_updated":
      // Told for clients that want only these: the approval and the call have them too.
      return;
  }
}

function base(event: Event): { key: string; turn: number | null; at: string; seq: number } {
  return { key: `e${event.seq}`, turn: event.turn, at: event.at, seq: event.seq };
}

function add(draft: Draft, event: Event, item: Item): void {
  draft.append(item, event.parent_tool_call_id);
}

function runStarted(draft: Draft, event: Of<"run_started">): void {
  const { run, before } = draft.now.cost;
  draft.set({ run: event.run, cost: { run: null, before: before + (run ?? 0) } });
  const { origin } = event;
  if (origin.kind !== "resumed" || origin.at === null || !isPast(draft.items, origin.at)) return;
  add(draft, event, { ...base(event), kind: "conversation", reason: "rewound", backTo: origin.at });
}

/** Whether something of the model stands after a message that is known: going on there leaves it out. */
function isPast(items: readonly Item[], uuid: string): boolean {
  const at = items.findLastIndex((item) => uuidOf(item) === uuid);
  return at >= 0 && items.slice(at + 1).some((item) => uuidOf(item) !== null);
}

function runEnded(draft: Draft, event: Of<"run_ended">): void {
  draft.set({ run: null, turn: null });
  if (event.meaning.kind === "finished") return;
  const { exit, meaning, stderr_tail: stderrTail } = event;
  add(draft, event, { ...base(event), kind: "run_ended", exit, meaning, stderrTail });
}

/** A text or a thought is whole. It takes the place of its half-written self. */
function wrote(draft: Draft, event: Of<"message"> | Of<"reasoning">): void {
  const common = { ...base(event), key: `i${event.item}`, item: event.item, text: event.text, open: false, partial: event.partial ?? false };
  const item: Item =
    event.type === "message"
      ? { ...common, kind: "text", uuid: event.uuid }
      : { ...common, kind: "thinking", redacted: event.redacted ?? false, endedAt: event.at };
  place(draft, event, event.item, item);
}

function called(draft: Draft, event: Of<"tool_call">): void {
  const card = draft.now.approvals.find((card) => card.request.tool_call_id === event.tool_call_id) ?? null;
  if (card) {
    // The request came before its call.
    const alone = draft.find((item) => item.kind === "approval" && item.card.approval === card.approval);
    if (alone) draft.remove(alone.path);
  }
  const task = draft.now.tasks.find((task) => task.tool_call_id === event.tool_call_id) ?? null;
  place(draft, event, event.item, {
    ...base(event),
    key: `i${event.item}`,
    kind: "tool",
    item: event.item,
    toolCallId: event.tool_call_id,
    toolName: event.tool_name,
    title: event.title,
    payload: event.payload,
    state: card ? "waiting" : "running",
    inputSoFar: "",
    reason: null,
    endedAt: null,
    approval: card,
    children: [],
    task,
  });
}

/** Puts an item at the end, in place of its half-written self. */
function place(draft: Draft, event: Event, id: number, item: Item): void {
  const grown = draft.opened(id) && draft.findItem(id);
  draft.closed(id);
  // Removed and added, since it may belong elsewhere: pieces do not say which subagent writes, and
  // of two that were open the second may be whole first.
  if (grown) draft.remove(grown.path);
  add(draft, event, item);
}

function callEnded(draft: Draft, event: Of<"tool_update">): void {
  const state: CallState = event.status;
  draft.updateCall(event.tool_call_id, (call) => ({
    ...call,
    payload: event.payload,
    state,
    reason: event.reason,
    endedAt: state === "detached" ? null : event.at,
    seq: event.seq,
  }));
}

function retracted(draft: Draft, event: Of<"retracted">): void {
  const gone = new Set(event.items);
  const uuids = new Set(event.uuids);
  const isGone = (item: Item) =>
    ("item" in item && gone.has(item.item)) || (item.kind === "text" && item.uuid !== null && uuids.has(item.uuid));
  for (let found = draft.find(isGone); found; found = draft.find(isGone)) draft.remove(found.path);
  for (const id of gone) draft.closed(id);
}

function asked(draft: Draft, event: Of<"approval_requested">): void {
  const { type: _, session: _s, seq: _n, at, turn: _t, parent_tool_call_id: _p, wire: _w, ...request } = event;
  const card: ApprovalCard = { approval: event.approval, request: request satisfies Approval, fate: { state: "open" }, at };
  draft.set({ approvals: [...draft.now.approvals, card] });
  const call = event.tool_call_id;
  const inCall = call !== null && draft.updateCall(call, (item) => ({ ...item, approval: card, state: "waiting" }));
  if (!inCall) add(draft, event, { ...base(event), key: `a${event.approval}`, kind: "approval", card });
}

function answered(draft: Draft, approval: number, fate: ApprovalFate): void {
  const open = draft.now.approvals;
  const card = open.find((card) => card.approval === approval);
  if (!card) return;
  draft.set({ approvals: open.filter((other) => other !== card) });
  const done: ApprovalCard = { ...card, fate };
  const found = draft.find(
    (item) =>
      (item.kind === "approval" && item.card.approval === approval) ||
      (item.kind === "tool" && item.approval?.approval === approval),
  );
  if (found?.item.kind === "approval") draft.replace(found.path, { ...found.item, card: done });
  if (found?.item.kind === "tool") {
    const state = found.item.state === "waiting" ? "running" : found.item.state;
    draft.replace(found.path, { ...found.item, approval: done, state });
  }
}

function taskMoved(draft: Draft, event: Of<"task_started" | "task_updated" | "task_ended">): void {
  const task: Task = {
    background: event.background,
    description: event.description,
    duration_ms: event.duration_ms,
    kind: event.kind,
    last_tool: event.last_tool,
    status: event.status,
    subagent_type: event.subagent_type,
    summary: event.summary,
    task_id: event.task_id,
    tokens: event.tokens,
    tool_call_id: event.tool_call_id,
    tool_uses: event.tool_uses,
  };
  const at = draft.now.tasks.findIndex((other) => other.task_id === task.task_id);
  draft.set({ tasks: at < 0 ? [...draft.now.tasks, task] : draft.now.tasks.with(at, task) });
  if (task.tool_call_id !== null) {
    draft.updateCall(task.tool_call_id, (call): ToolCallItem => ({ ...call, task }));
  }
}

function limited(draft: Draft, event: Of<"rate_limit">): void {
  const { limit, status, resets_at: resetsAt, utilization } = event;
  const now: RateLimit = { limit, status, resetsAt, utilization };
  const before = draft.now.rateLimit;
  // There are several limits, told one at a time: the one that presses most is what one wants to know of.
  const isShown = before === null || before.limit === limit || isOver(before, event.at) || presses(now) >= presses(before);
  if (isShown) draft.set({ rateLimit: now });
  if (presses(now) === 0 || isTold(draft.items, now, before)) return;
  add(draft, event, { ...base(event), kind: "rate_limit", ...now });
}

function presses({ status }: RateLimit): number {
  return status === "rejected" ? 2 : status === null || status === "allowed" ? 0 : 1;
}

function isOver({ resetsAt }: RateLimit, at: string): boolean {
  return resetsAt !== null && resetsAt * 1000 <= Date.parse(at);
}

/** Once for each change of each limit: the CLI says it again with every answer, and of several in turns. */
function isTold(items: readonly Item[], now: RateLimit, before: RateLimit | null): boolean {
  const wasCalm = before?.limit === now.limit && presses(before) === 0;
  const last = items.findLast((item) => item.kind === "rate_limit" && item.limit === now.limit);
  return !wasCalm && last?.kind === "rate_limit" && last.status === now.status && last.resetsAt === now.resetsAt;
}

function settled(draft: Draft, event: Of<"complete">): void {
  const before = draft.now.cost.run ?? 0;
  const total = event.total_cost_usd;
  draft.set({ turn: null, cost: { ...draft.now.cost, run: total ?? draft.now.cost.run } });
  add(draft, event, {
    ...base(event),
    kind: "turn_end",
    outcome: event.outcome,
    reason: event.reason,
    durationMs: event.duration_ms,
    durationApiMs: event.duration_api_ms,
    requests: event.num_turns,
    tokens: event.tokens,
    costUsd: total === null ? null : Math.max(0, total - before),
    totalCostUsd: total,
    models: event.models,
    structuredOutput: event.structured_output,
    lastMessageUuid: event.last_message_uuid,
  });
}
