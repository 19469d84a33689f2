/**
 * Where a session's time went: what each moment of a turn was spent on. Pure.
 *
 * Somebody who is asked comes first: while a request is open nothing else counts. Then tools, however
 * many run side by side. The rest of a turn is the model's.
 */

import type { Event } from "../../api/types";

export type Use = "model" | "tool" | "you";

export const USES: readonly Use[] = ["model", "tool", "you"];

/** A stretch of a turn; milliseconds since 1970. */
export type Span = { readonly use: Use; readonly from: number; readonly to: number };

/** A turn and its stretches, in order and without gaps. */
export type TurnSpans = {
  readonly turn: number;
  /** The event that it began with. */
  readonly seq: number;
  /** What was said. */
  readonly prompt: string;
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
  readonly spans: readonly Span[];
};

/** A call, and how long it took without those who had to be asked. */
export type CallTime = { readonly id: string; readonly title: string; readonly seq: number; readonly ms: number };

export type Timeline = { readonly turns: readonly TurnSpans[]; readonly calls: readonly CallTime[] };

type Making = { turn: number; seq: number; prompt: string; from: number; spans: Span[] };
type Running = { title: string; seq: number; since: number; asked: number };

/** Folds a session's events. What is still open lasts until `now`. */
export function timelineOf(events: readonly Event[], now: number): Timeline {
  const turns: TurnSpans[] = [];
  const calls: CallTime[] = [];
  const asked = new Set<number>();
  const running = new Map<string, Running>();
  let making: Making | null = null;
  let said = "";
  let before = 0;

  const pass = (at: number) => {
    const from = before;
    before = Math.max(before, at);
    if (!making || before === from) return;
    const use: Use = asked.size > 0 ? "you" : running.size > 0 ? "tool" : "model";
    if (use === "you") for (const call of running.values()) call.asked += before - from;
    const last = making.spans.at(-1);
    if (last?.use === use) making.spans[making.spans.length - 1] = { ...last, to: before };
    else making.spans.push({ use, from, to: before });
  };
  const endCall = (id: string) => {
    const call = running.get(id);
    running.delete(id);
    if (call) calls.push({ id, title: call.title, seq: call.seq, ms: Math.max(0, before - call.since - call.asked) });
  };
  const settle = (open: boolean) => {
    if (making) turns.push({ ...making, to: before, open });
    making = null;
    asked.clear();
    for (const id of running.keys()) endCall(id);
  };

  for (const event of events) {
    pass(Date.parse(event.at));
    switch (event.type) {
      case "user_message":
        if (event.parent_tool_call_id === null) said = event.text;
        break;
      case "turn_started":
        settle(false);
        making = { turn: event.turn ?? 0, seq: event.seq, prompt: event.autonomous ? "" : said, from: before, spans: [] };
        break;
      case "tool_call":
        running.set(event.tool_call_id, { title: event.title, seq: event.seq, since: before, asked: 0 });
        break;
      case "tool_update":
        endCall(event.tool_call_id);
        break;
      case "approval_requested":
        asked.add(event.approval);
        break;
      case "approval_resolved":
      case "permission_cancelled":
        asked.delete(event.approval);
        break;
      case "complete":
      case "run_ended":
        settle(false);
        break;
      default:
    }
  }
  if (making) {
    pass(now);
    settle(true);
  }
  return { turns, calls };
}

/** Milliseconds by use. */
export type Shares = Readonly<Record<Use, number>>;

export function sharesOf(turns: readonly TurnSpans[]): Shares {
  const shares = { model: 0, tool: 0, you: 0 };
  for (const turn of turns) for (const span of turn.spans) shares[span.use] += span.to - span.from;
  return shares;
}

/** The calls that took longest, the same title together. */
export function longest(calls: readonly CallTime[], count: number): { title: string; ms: number; times: number; seq: number }[] {
  const byTitle = new Map<string, { title: string; ms: number; times: number; seq: number }>();
  for (const call of calls) {
    const known = byTitle.get(call.title);
    if (known) {
      known.ms += call.ms;
      known.times += 1;
    } else byTitle.set(call.title, { title: call.title, ms: call.ms, times: 1, seq: call.seq });
  }
  return [...byTitle.values()].toSorted((a, b) => b.ms - a.ms).slice(0, count);
}
