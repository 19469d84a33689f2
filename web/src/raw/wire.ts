/** The wire log of a run: its records, as the holder wrote them. Pure. */

/** Who wrote a line, or what else was noted. */
export type Source = "out" | "in" | "err" | "note";

/** A record of the log. */
export type WireLine = {
  /** Where it begins in the log, in bytes: names it. */
  readonly offset: number;
  readonly source: Source;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What was written, byte for byte; for a note, what it says. */
  readonly text: string;
  /** `type` and what tells more of it, where the line is JSON. */
  readonly type: string | null;
};

const SOURCES: Readonly<Record<string, Source>> = { o: "out", i: "in", e: "err", s: "note", c: "note", n: "note", x: "note" };
const NOTES: Readonly<Record<string, string>> = { s: "started", c: "stdin closed", n: "note", x: "ended" };

const NEWLINE = 10;

/**
 * The whole records in a part of a log, and where the next one begins. A part that begins within a
 * record (`cut`) loses that one.
 */
export function readRecords(bytes: Uint8Array, offset: number, cut: boolean): { lines: WireLine[]; from: number; to: number } {
  const decoder = new TextDecoder();
  const lines: WireLine[] = [];
  let at = cut ? bytes.indexOf(NEWLINE) + 1 : 0;
  const from = offset + at;
  for (let end = bytes.indexOf(NEWLINE, at); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
    const line = recordOf(decoder.decode(bytes.subarray(at, end)), offset + at);
    if (line) lines.push(line);
    at = end + 1;
  }
  return { lines, from, to: offset + at };
}

function recordOf(text: string, offset: number): WireLine | null {
  const found = /^([a-z]) (\d+) (.*)$/s.exec(text);
  const kind = found?.[1] ?? "";
  const source = SOURCES[kind];
  if (!found || !source) return text === "" ? null : { offset, source: "note", at: 0, text, type: null };
  let rest = found[3] ?? "";
  if (kind === "i") rest = rest.replace(/^\d+ /, "");
  if (source === "note") return { offset, source, at: Number(found[2]), text: rest, type: NOTES[kind] ?? null };
  return { offset, source, at: Number(found[2]), text: rest, type: source === "err" ? "stderr" : typeOf(rest) };
}

/** `assistant`, `system/init`, `control_request/can_use_tool`: as the session's own `unknown` events name them. */
function typeOf(text: string): string | null {
  const line = parsed(text);
  if (line === null) return null;
  const inner = [line["request"], line["response"], line["event"]].find((one) => typeof one === "object" && one !== null) as Record<string, unknown> | undefined;
  const sub = line["subtype"] ?? inner?.["subtype"] ?? inner?.["type"];
  const type = line["type"];
  if (typeof type !== "string") return null;
  return typeof sub === "string" ? `${type}/${sub}` : type;
}

function parsed(text: string): Record<string, unknown> | null {
  if (!text.startsWith("{")) return null;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** A line as it is good to read; as it is where it is no JSON. */
export function pretty(text: string): string {
  const line = parsed(text);
  return line === null ? text : JSON.stringify(line, null, 2);
}
