import { describe, expect, it } from "vitest";

import type { Event } from "../../api/types";
import { beside, fits, ofRun } from "./beside";
import { pretty, readRecords } from "./wire";

const bytes = (text: string) => new TextEncoder().encode(text);
const LOG = [
  's 1000 77 {"argv":[]}',
  'o 1010 {"type":"system","subtype":"init"}',
  'i 1020 1 {"type":"user","uuid":"p1"}',
  'o 1030 {"type":"assistant","uuid":"m1","text":"grüße"}',
  "e 1040 a warning",
  'o 1050 {"type":"stream_event","event":{"type":"content_block_start","id":"toolu_1"}}',
  'o 1050 {"type":"brand_new"}',
  "x 2000 0 -",
  "o 2001 half",
].join("\n");

describe("records", () => {
  it("are read whole, with their places, and half a one is left", () => {
    const { lines, from, to } = readRecords(bytes(LOG), 0, false);
    expect([from, to]).toEqual([0, bytes(LOG).length - "o 2001 half".length]);
    expect(lines.map((line) => [line.source, line.type])).toEqual([
      ["note", "started"],
      ["out", "system/init"],
      ["in", "user"],
      ["out", "assistant"],
      ["err", "stderr"],
      ["out", "stream_event/content_block_start"],
      ["out", "brand_new"],
      ["note", "ended"],
    ]);
    expect(lines[2]?.text).toBe('{"type":"user","uuid":"p1"}');
    expect(lines[4]).toMatchObject({ at: 1040, text: "a warning" });
    const again = readRecords(bytes(LOG).subarray(lines[4]!.offset), lines[4]!.offset, false);
    expect(again.lines[0]).toEqual(lines[4]);
  });

  it("begin with the first whole one where the part is cut", () => {
    const { lines, from } = readRecords(bytes(LOG).subarray(5), 5, true);
    expect(from).toBe(LOG.indexOf("o 1010"));
    expect(lines[0]?.type).toBe("system/init");
  });

  it("are kept where nobody understands them", () => {
    expect(readRecords(bytes("? what\n\no 1 not json\n"), 0, false).lines.map((line) => [line.text, line.type])).toEqual([["? what", null], ["not json", null]]);
    expect(pretty("not json")).toBe("not json");
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  });
});

const { lines } = readRecords(bytes(LOG), 0, false);
const event = (seq: number, row: number | null, body: { type: Event["type"] } & Record<string, unknown>) =>
  ({ session: "s", seq, at: "2026-03-01T00:00:00Z", turn: null, parent_tool_call_id: null, ...(row === null ? {} : { wire: lines[row]!.offset }), ...body }) as unknown as Event;

const EVENTS = [
  event(1, null, { type: "run_started", run: "r1" }),
  event(2, 1, { type: "session_status", status: "ready" }),
  event(3, null, { type: "user_message", prompt: "p1" }),
  event(4, 3, { type: "message", uuid: "m1" }),
  event(5, 5, { type: "tool_call", tool_call_id: "toolu_1" }),
  event(6, null, { type: "renamed", title: "t" }),
  event(7, 6, { type: "unknown", what: "brand_new" }),
  event(8, 7, { type: "run_ended", run: "r1" }),
  event(9, null, { type: "user_message", prompt: "p2" }),
  event(10, null, { type: "run_started", run: "r2" }),
];

it("events stand beside the line they came of, the line they became, else the last there was", () => {
  const rows = beside(lines, ofRun(EVENTS, "r1"), false);
  expect(rows.map((row) => row.events.map((one) => one.seq))).toEqual([[1], [2], [3], [4], [], [5, 6], [7], [8]]);
  expect(ofRun(EVENTS, "r2").map((one) => one.seq)).toEqual([9, 10]);
  expect(ofRun(EVENTS, "r3")).toEqual([]);
  expect(beside([], EVENTS, false)).toEqual([]);
  // What belongs to lines before these stands nowhere.
  const end = beside(lines.slice(5), ofRun(EVENTS, "r1"), true);
  expect(end.map((row) => row.events.map((one) => one.seq))).toEqual([[5, 6], [7], [8]]);

  const found = (words: string, source: Parameters<typeof fits>[1]["source"] = "all") => rows.filter((row) => fits(row, { words, source })).map((row) => row.line.type);
  expect(found("GRÜSSE".replace("SS", "ß"))).toEqual(["assistant"]);
  expect(found("tool_call")).toEqual(["stream_event/content_block_start"]);
  expect(found("#3")).toEqual(["user"]);
  expect(found("", "err")).toEqual(["stderr"]);
  expect(found("", "unknown")).toEqual(["brand_new"]);
});
