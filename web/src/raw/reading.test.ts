import { beforeEach, expect, it, vi } from "vitest";

import { call } from "../connection/rest";
import { EventFeed } from "./feed.svelte";
import { WireLog } from "./log.svelte";

vi.mock("../connection/rest", () => ({ call: vi.fn() }));

/** Answers that are given when the test says so. */
const asked: { query: Record<string, number>; answer: (with_: unknown) => void }[] = [];

beforeEach(() => {
  asked.length = 0;
  vi.mocked(call).mockImplementation(((_: string, { query }: { query: Record<string, number> }) => new Promise((answer) => asked.push({ query, answer }))) as unknown as typeof call);
});

const turn = () => new Promise((done) => setTimeout(done));

it("events that come while the last part is on its way are read, too", async () => {
  const feed = new EventFeed("s");
  const reading = feed.readTo(2);
  void feed.readTo(4);
  asked[0]!.answer({ items: [{ seq: 1 }, { seq: 2 }], next: null });
  await turn();
  expect(asked.map((one) => one.query["after"])).toEqual([0, 2]);
  asked[1]!.answer({ items: [{ seq: 3 }], next: null });
  await turn();
  // The fourth is not there: it is not asked for for ever.
  asked[2]!.answer({ items: [], next: null });
  await reading;
  expect(feed.events.map((event) => event.seq)).toEqual([1, 2, 3]);
  expect(feed.whole).toBe(true);
});

it("lines that come while others are read are read, too", async () => {
  const log = new WireLog("s", "r");
  const lines = ["o 1 a\n", "o 2 b\n", "o 3 c\n"];
  const reading = log.readOn(6);
  void log.readOn(18);
  await vi.waitUntil(() => asked.length === 1);
  asked[0]!.answer(new Blob([lines[0]!]));
  await vi.waitUntil(() => asked.length === 2);
  expect(asked[1]!.query).toEqual({ offset: 6, length: 12 });
  asked[1]!.answer(new Blob([lines[1]!, lines[2]!]));
  await reading;
  expect(log.lines.map((line) => line.text)).toEqual(["a", "b", "c"]);
  expect(log.busy).toBe(false);
});

it("half a line is left until it is whole, and what failed is tried again", async () => {
  const log = new WireLog("s", "r");
  const first = log.readOn(9);
  await vi.waitUntil(() => asked.length === 1);
  asked[0]!.answer(new Blob(["o 1 a\no 2"]));
  await vi.waitUntil(() => asked.length === 2);
  asked[1]!.answer(new Blob(["o 2"]));
  await first;
  expect(log.lines).toHaveLength(1);
  vi.mocked(call).mockRejectedValueOnce(new Error("gone"));
  await log.readOn(12);
  expect(log.trouble).not.toBeNull();
  const again = log.readOn(12);
  await vi.waitUntil(() => asked.length === 3);
  asked[2]!.answer(new Blob(["o 2 b\n"]));
  await again;
  expect(log.lines.map((line) => line.text)).toEqual(["a", "b"]);
});
