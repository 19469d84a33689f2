import { describe, expect, it } from "vitest";

import { live, log } from "../state/logs.test-support";
import { uuidOf, type Item, type TextItem } from "../state/items";
import { before, isForkable, isInConversation, living, pointsOf } from "./points";

describe("going back", () => {
  it("goes to before any prompt: after the turn before it, or to the beginning", () => {
    const { items } = live(log("two-turns"));
    const [second, first] = pointsOf(items);
    expect(first && before(items, first.key)).toEqual({ kind: "scratch" });
    const end = items.find((item) => item.kind === "turn_end");
    expect(end?.kind === "turn_end" && end.lastMessageUuid).toBeTruthy();
    expect(second && before(items, second.key)).toEqual({ kind: "message", uuid: end?.kind === "turn_end" && end.lastMessageUuid });
  });

  it("does not reach into a conversation that was cleared", () => {
    const { items } = live(log("clear"));
    const first = pointsOf(items).at(-1);
    expect(first && isInConversation(items, first.key)).toBe(false);
    const last = items.at(-1);
    expect(last && isInConversation(items, last.key)).toBe(true);
  });

  it("leads to a copy from texts of the conversation, not from those of a subagent", () => {
    const { items } = live(log("subagent-background"));
    const texts = (of: readonly Item[]) => of.filter((item): item is TextItem => item.kind === "text" && item.uuid !== null);
    const inner = items.flatMap((item) => (item.kind === "tool" ? texts(item.children) : []));
    expect(inner.length).toBeGreaterThan(0);
    expect(inner.filter((item) => isForkable(items, item))).toEqual([]);
    expect(texts(items).every((item) => isForkable(items, item))).toBe(true);
  });

  it("leaves out what was dropped by going back", () => {
    const { items } = live(log("two-turns"));
    const end = items.findIndex((item) => item.kind === "turn_end");
    const backTo = uuidOf(items[end]!);
    const wentBack: Item = { key: "e99", turn: null, at: null, seq: 99, kind: "conversation", reason: "rewound", backTo };
    expect(living([...items, wentBack])).toEqual(items.slice(0, end + 1));
    expect(isInConversation([...items, wentBack], pointsOf(items)[0]!.key)).toBe(false);
  });
});
