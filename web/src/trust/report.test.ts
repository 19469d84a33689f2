import { describe, expect, it } from "vitest";

import type { Brings, TrustReport } from "../../api/types";
import { asksByItself, canAnswer, groups, questionOf, summary } from "./report";

const NOTHING: Brings = {
  hooks: [], servers: [], helpers: [], git: [], variables: [], rules: [], plugins: [], skills: [], commands: [], agents: [], instructions: [], settings: [], unclear: [],
};
const hook = (event: string, can_answer: boolean) => ({ file: ".claude/settings.json", event, command: "sh x.sh", can_answer });

describe("groups", () => {
  it("lists every kind, with a warning for hooks that answer and variables that redirect", () => {
    const brings: Brings = {
      ...NOTHING,
      hooks: [hook("Stop", false), hook("PreToolUse", true)],
      variables: [{ file: "f", name: "ANTHROPIC_BASE_URL", value: "http://x", redirects: true }],
      instructions: ["CLAUDE.md"],
    };
    const found = groups(brings);
    expect(found.map((group) => group.title)).toEqual(["Hooks", "Environment variables", "Instructions for Claude"]);
    expect(found[0]!.lines.map((line) => line.warning !== null)).toEqual([false, true]);
    expect(found[1]!.lines[0]!.warning).not.toBeNull();
    expect(found[1]!.lines[0]!.text).toBe("ANTHROPIC_BASE_URL=http://x");
  });

  it("names no kind twice and misses none", () => {
    const one = Object.fromEntries(Object.keys(NOTHING).map((kind) => [kind, []])) as unknown as Brings;
    expect(groups(one)).toEqual([]);
    const full: Brings = {
      hooks: [hook("Stop", false)],
      servers: [{ file: "f", name: "n", target: "t" }],
      helpers: [{ file: "f", setting: "apiKeyHelper", command: "c" }],
      git: [{ file: "f", setting: "core.fsmonitor", command: "c" }],
      variables: [{ file: "f", name: "N", value: "v", redirects: false }],
      rules: [{ file: "f", effect: "allow", rule: "Bash" }],
      plugins: ["p"], skills: ["s"], commands: ["c"], agents: ["a"], instructions: ["i"], settings: ["s"], unclear: ["u"],
    };
    expect(groups(full)).toHaveLength(Object.keys(NOTHING).length);
  });
});

describe("summary", () => {
  it("counts in plain words", () => {
    const brings: Brings = { ...NOTHING, hooks: [hook("Stop", false)], servers: [{ file: "", name: "a", target: "b" }, { file: "", name: "c", target: "d" }], instructions: ["CLAUDE.md"] };
    expect(summary(brings)).toBe("1 hook, 2 MCP servers, 1 instruction file");
    expect(summary(NOTHING)).toBe("configuration files");
  });
});

describe("a summary of many kinds", () => {
  it("counts the first ones only", () => {
    const names = { plugins: ["p"], skills: ["s"], commands: ["c"], agents: ["a", "b"], instructions: ["i"] };
    expect(summary({ ...NOTHING, ...names })).toBe("1 plugin, 1 skill, 1 slash command, 2 agents and more");
  });
});

describe("canAnswer", () => {
  it("is true for answering hooks and for plugins, whose hooks are not known", () => {
    expect(canAnswer(NOTHING)).toBe(false);
    expect(canAnswer({ ...NOTHING, hooks: [hook("Stop", false)] })).toBe(false);
    expect(canAnswer({ ...NOTHING, hooks: [hook("PreToolUse", true)] })).toBe(true);
    expect(canAnswer({ ...NOTHING, plugins: ["a@b"] })).toBe(true);
  });
});

describe("asksByItself", () => {
  it("waits for the session, and asks only before its first event", () => {
    const report = { standing: "undecided" } as TrustReport;
    expect(asksByItself(report, { loaded: false, seq: 0 })).toBe(false);
    expect(asksByItself(report, { loaded: true, seq: 0 })).toBe(true);
    expect(asksByItself(report, { loaded: true, seq: 1 })).toBe(false);
    expect(asksByItself({ ...report, standing: "never" }, { loaded: true, seq: 0 })).toBe(false);
  });
});

describe("questionOf", () => {
  it("is another question when the content changes", () => {
    const report = { root: "/r", digest: "1" } as TrustReport;
    expect(questionOf(report)).not.toBe(questionOf({ ...report, digest: "2" }));
  });
});
