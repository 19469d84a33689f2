import { describe, expect, it } from "vitest";

import type { Event } from "../../api/types";
import type { Item, ToolCallItem } from "./items";
import { Daemon, dice, eventsOf, live, log, message, names, nobody } from "./logs.test-support";
import { needsYou, reduce, totalCost, type SessionState, type Update } from "./state";

function told(state: SessionState, ...updates: Update[]): SessionState {
  return updates.reduce((state, update) => reduce(state, update).state, state);
}

function kinds(items: readonly Item[]): string[] {
  return items.map((item) => item.kind);
}

describe.each(names)("the log of %s", (name) => {
  const lines = log(name);
  const events = eventsOf(lines);
  const daemon = new Daemon(lines);

  it("ends with nothing half-written, and each key once", () => {
    const state = live(lines);
    expect(state.seq).toBe(events.length);
    expect(state.open.size).toBe(0);
    const keys: string[] = [];
    const walk = (items: readonly Item[]) => {
      for (const item of items) {
        keys.push(item.key);
        expect(item.seq).not.toBeNull();
        if (item.kind === "tool") walk(item.children);
      }
    };
    walk(state.items);
    walk(state.queue);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("reads the same afterwards as it was seen live", () => {
    const afterwards = told(nobody(lines), { type: "events", session: events[0]!.session, events });
    expect(afterwards).toEqual(live(lines));
  });

  it("reads the same when everything comes twice and in disorder", () => {
    const roll = dice(7);
    let state = nobody(lines);
    const pending = [...lines.keys()].flatMap((at) => [at, at]);
    let guard = 0;
    while (pending.length > 0) {
      // From the next few, so that the order is wrong but not hopeless.
      const [at] = pending.splice(roll(Math.min(pending.length, 6)), 1);
      const step = reduce(state, message(lines[at!]!, state.id));
      state = step.state;
      if (step.resubscribe === null) continue;
      expect(step.resubscribe).toBe(state.seq);
      state = told(state, ...daemon.answer(step.resubscribe, at! + 1));
      expect((guard += 1)).toBeLessThan(lines.length * 3);
    }
    state = told(state, ...daemon.answer(state.seq, lines.length));
    expect(state).toEqual({ ...live(lines), loaded: true });
  });

  it("shows at any moment the same to one who was there and one who comes", () => {
    let there = nobody(lines);
    for (const [at, line] of lines.entries()) {
      there = told(there, message(line, there.id));
      const comes = told(nobody(lines), ...daemon.answer(0, at + 1));
      const texts = (state: SessionState) => state.items.map((item) => ("text" in item ? item.text : item.key));
      expect(texts(comes)).toEqual(texts(there));
      expect(comes.queue).toEqual(there.queue);
      expect(comes.approvals).toEqual(there.approvals);
    }
  });

  it("shows after lagging what it would have shown without", () => {
    const roll = dice(11);
    let state = nobody(lines);
    let at = 0;
    while (at < lines.length) {
      state = told(state, message(lines[at]!, state.id));
      at += 1;
      if (roll(4) > 0) continue;
      at = Math.min(lines.length, at + roll(12));
      state = told(state, { type: "lagged", session: state.id }, ...daemon.answer(state.seq, at));
      expect(state.behind).toBe(false);
    }
    expect({ ...state, loaded: false }).toEqual(live(lines));
  });

  it("keeps what did not change", () => {
    let state = nobody(lines);
    for (const line of lines) {
      const next = told(state, message(line, state.id));
      const changed = next.items.filter((item) => !state.items.includes(item));
      expect(changed.length).toBeLessThanOrEqual(line && "event" in line && line.event.type === "retracted" ? 0 : 1);
      // A second time changes nothing at all.
      expect(told(next, message(line, state.id)).items).toBe(next.items);
      state = next;
    }
  });
});

describe("a session", () => {
  it("waits for an answer in the call that is asked about", () => {
    const lines = log("permission-allow");
    const at = lines.findIndex((line) => "event" in line && line.event.type === "approval_requested");
    const state = live(lines.slice(0, at + 1));
    const call = state.items.at(-1) as ToolCallItem;
    expect(call).toMatchObject({ kind: "tool", state: "waiting", title: "touch made" });
    expect(state.approvals).toEqual([call.approval]);
    expect(needsYou(state)).toBe(true);
    const after = live(lines);
    const done = after.items.find((item) => item.key === call.key);
    expect(done).toMatchObject({ state: "complete", approval: { fate: { state: "decided" } } });
    expect(needsYou(after)).toBe(false);
  });

  it("keeps prompts that are said during a turn beside the transcript until they are heard", () => {
    const lines = log("queued");
    const at = lines.findLastIndex((line) => "event" in line && line.event.type === "user_message");
    const state = live(lines.slice(0, at + 3));
    expect(state.queue.map((item) => item.state?.kind)).toEqual(["sent", "sent"]);
    const after = live(lines);
    expect(after.queue).toEqual([]);
    expect(kinds(after.items)).toEqual(["user", "text", "turn_end", "user", "user", "text", "turn_end"]);
  });

  it("puts a subagent's work into the call that started it", () => {
    const state = live(log("subagent"));
    const call = state.items.find((item): item is ToolCallItem => item.kind === "tool");
    expect(call!.children.length).toBeGreaterThan(0);
    expect(call!.task).not.toBeNull();
    const numbers = (items: readonly Item[]) => items.flatMap((item) => ("item" in item ? [item.item] : []));
    expect(numbers(state.items)).not.toEqual(expect.arrayContaining(numbers(call!.children)));
  });

  it("takes back what an attempt that failed had written", () => {
    const lines = log("api-cut");
    const seen = lines.some((line) => "event" in line && line.event.type === "retracted");
    expect(seen).toBe(true);
    expect(live(lines).items.filter((item) => item.kind === "text")).toHaveLength(1);
  });

  it("counts each run's money once", () => {
    const cost = (total: number, seq: number): Event => {
      const event = eventsOf(log("hello")).find((event) => event.type === "complete")!;
      return { ...event, total_cost_usd: total, seq } as Event;
    };
    const start = eventsOf(log("hello")).find((event) => event.type === "run_started")!;
    const events = [{ ...start, seq: 1 }, cost(1, 2), cost(3, 3), { ...start, seq: 4 }, cost(2, 5)];
    const state = told(nobody(log("hello")), { type: "events", session: start.session, events });
    expect(totalCost(state)).toBe(5);
    expect(state.items.map((item) => item.kind === "turn_end" && item.costUsd)).toEqual([1, 2, 2]);
  });

  it("asks once for what is missing", () => {
    const lines = log("hello");
    const events = eventsOf(lines);
    const session = events[0]!.session;
    const first = reduce(nobody(lines), { type: "events", session, events: events.slice(2) });
    expect(first.resubscribe).toBe(0);
    const second = reduce(first.state, { type: "events", session, events: events.slice(3) });
    expect(second.resubscribe).toBeNull();
    const late = reduce(first.state, { type: "live", session, seq: events.length, open_items: [] });
    expect(late.state.loaded).toBe(false);
  });

  it("is not touched by what is said of another one", () => {
    const lines = log("hello");
    const state = nobody(lines);
    expect(reduce(state, { type: "events", session: "another", events: eventsOf(lines) }).state).toBe(state);
  });

  it("counts pieces in bytes", () => {
    const lines = log("hello");
    const state = nobody(lines);
    const delta = (offset: number, text: string): Update => ({
      type: "deltas",
      session: state.id,
      deltas: [{ item: 1, type: "message_chunk", offset, text }],
    });
    const grown = told(state, delta(0, "ä"), delta(2, "€"), delta(2, "€ 5"), delta(5, " 5"));
    expect(grown.items).toMatchObject([{ text: "ä€ 5", open: true }]);
    expect(reduce(grown, delta(9, "?")).resubscribe).toBe(0);
  });
});
