/**
 * What "always" changes: the CLI's permission updates, read from what the daemon passes on, in words
 * for people, and as a policy that tells what they would have matched. Pure.
 */

import type { Suggestion } from "../../api/types";

/** A rule of the CLI's own: `Bash(npm run test:*)`. */
export type Rule = { readonly toolName: string; readonly ruleContent?: string };

/** A change of permissions. One that is not known here is passed on as it is. */
export type Update =
  | { readonly type: "addRules"; readonly rules: readonly Rule[]; readonly behavior: string; readonly destination: string }
  | { readonly type: "addDirectories"; readonly directories: readonly string[]; readonly destination: string }
  | { readonly type: "setMode"; readonly mode: string; readonly destination: string }
  | { readonly type: "other"; readonly raw: unknown };

/** Where a change is kept. */
export type Destination = { readonly id: string; readonly name: string; readonly note: string };

/** Where a change can be kept, the narrowest first. */
export const DESTINATIONS: readonly Destination[] = [
  { id: "session", name: "this session", note: "Only for this session (not saved)" },
  { id: "localSettings", name: "this project (just you)", note: "Saves to .claude/settings.local.json (gitignored)" },
  { id: "projectSettings", name: "this project (shared)", note: "Saves to .claude/settings.json (shared with team)" },
  { id: "userSettings", name: "all projects", note: "Saves to ~/.claude/settings.json" },
];

const FROM_ARGUMENTS: Destination = { id: "cliArg", name: "CLI", note: "From command line arguments" };

/** A destination in words; one that is not known here has its own name. */
export function destination(id: string): Destination {
  return [...DESTINATIONS, FROM_ARGUMENTS].find((one) => one.id === id) ?? { id, name: id, note: "" };
}

/** Reads a suggestion. */
export function updateOf(suggestion: Suggestion): Update {
  const raw = suggestion as { [key: string]: unknown } | null;
  const where = typeof raw?.["destination"] === "string" ? raw["destination"] : "session";
  if (raw?.["type"] === "addRules" && Array.isArray(raw["rules"]) && raw["rules"].every(isRule)) {
    const behavior = typeof raw["behavior"] === "string" ? raw["behavior"] : "allow";
    return { type: "addRules", rules: raw["rules"], behavior, destination: where };
  }
  if (raw?.["type"] === "addDirectories" && Array.isArray(raw["directories"]) && raw["directories"].every((one) => typeof one === "string")) {
    return { type: "addDirectories", directories: raw["directories"], destination: where };
  }
  if (raw?.["type"] === "setMode" && typeof raw["mode"] === "string") {
    return { type: "setMode", mode: raw["mode"], destination: where };
  }
  return { type: "other", raw: suggestion };
}

function isRule(raw: unknown): raw is Rule {
  const { toolName, ruleContent } = (raw ?? {}) as { toolName?: unknown; ruleContent?: unknown };
  return typeof toolName === "string" && typeof (ruleContent ?? "") === "string";
}

/** What is sent back for an update. */
export function suggestionOf(update: Update): Suggestion {
  return update.type === "other" ? update.raw : update;
}

/**
 * The changes that are not ticked at first: where there are rules, those that change the session
 * besides (another mode, more directories) have to be chosen.
 */
export function unticked(updates: readonly Update[]): ReadonlySet<number> {
  const others = updates.flatMap((update, at) => (update.type === "addRules" ? [] : [at]));
  return new Set(others.length < updates.length ? others : []);
}

/** An update without one of its rules. */
export function without(update: Extract<Update, { type: "addRules" }>, index: number): Update {
  return { ...update, rules: update.rules.filter((_, at) => at !== index) };
}

/** A rule as the CLI's settings write it. */
export function written(rule: Rule): string {
  return rule.ruleContent ? `${rule.toolName}(${rule.ruleContent})` : rule.toolName;
}

/** An update as it is kept elsewhere. Modes hold for the session, wherever rules go. */
export function kept(update: Update, where: string): Update {
  return update.type === "addRules" || update.type === "addDirectories" ? { ...update, destination: where } : update;
}

const EDITS = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
const READS = ["Read", "Grep", "Glob", "LS", "NotebookRead"];
const SHELLS = ["Bash", "PowerShell"];

/**
 * A policy that allows what the updates would, for trying it on what was done already. None where
 * some update cannot be said as a policy: then nothing can be told.
 */
export function policyOf(updates: readonly Update[]): string | null {
  const rules = updates.flatMap((update) => {
    if (update.type === "addRules") return update.rules.map((rule) => (update.behavior === "allow" ? policyRule(rule) : null));
    if (update.type === "addDirectories") return update.directories.map((path) => table({ tool: READS, path: [`${path}/**`] }));
    if (update.type === "setMode" && update.mode === "acceptEdits") return [table({ tool: EDITS, path: ["**"] })];
    if (update.type === "setMode" && update.mode === "bypassPermissions") return [table({ tool: ["*"] })];
    return [null];
  });
  return rules.length === 0 || rules.includes(null) ? null : rules.join("\n");
}

function policyRule(rule: Rule): string | null {
  const { toolName: tool, ruleContent: content } = rule;
  if (!content) return table({ tool: /^mcp__[^_]+(?:_[^_]+)*$/.test(tool) ? [tool, `${tool}__*`] : [tool] });
  if (SHELLS.includes(tool)) return table({ tool: [tool], command: commands(content) });
  if (EDITS.includes(tool)) return table({ tool: EDITS, path: [pathOf(content)] });
  if (tool === "Read") return table({ tool: READS, path: [pathOf(content)] });
  return null;
}

/** `npm test:*` and `npm test *` are `npm test` too. */
function commands(content: string): string[] {
  const prefix = content.endsWith(":*") ? content.slice(0, -2) : content.endsWith(" *") ? content.slice(0, -2) : null;
  return prefix === null ? [content] : [prefix, `${prefix} *`];
}

/** The CLI's paths are those of a `.gitignore`, with `//` for the root. */
function pathOf(content: string): string {
  if (content.startsWith("//")) return content.slice(1);
  if (content.startsWith("~/")) return content;
  const inside = content.replace(/^\.?\//, "");
  return inside.includes("/") || content.startsWith("/") || inside.startsWith("**") ? inside : `**/${inside}`;
}

/** JSON's strings and lists are TOML's too. */
function table(keys: Record<string, readonly string[]>): string {
  const lines = Object.entries(keys).map(([key, values]) => `${key} = ${JSON.stringify(values)}`);
  return ["[[rule]]", ...lines, 'then = "allow"', ""].join("\n");
}
