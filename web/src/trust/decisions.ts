/** Decisions about repositories, as Settings lists them: one entry for each repository. Pure. */

import type { TrustRow } from "../../api/types";

export type Decided = { readonly root: string; readonly words: string; readonly at: string };

/** Joins the decisions of each repository, in the order of the list. Removing one removes all of them. */
export function byRepository(rows: readonly TrustRow[]): Decided[] {
  const all = new Map<string, TrustRow[]>();
  for (const row of rows) all.set(row.root, [...(all.get(row.root) ?? []), row]);
  return [...all].map(([root, own]) => ({ root, words: wordsOf(own), at: own.reduce((last, row) => (row.at > last ? row.at : last), "") }));
}

function wordsOf(rows: readonly TrustRow[]): string {
  const sessions = new Set(rows.filter((row) => row.kind === "session").map((row) => row.session)).size;
  const has = (kind: TrustRow["kind"]) => rows.some((row) => row.kind === kind);
  const words = [
    has("never") ? "never trusted" : null,
    has("always") ? "trusted" : has("claude_code") ? "trusted in Claude Code" : null,
    sessions === 0 ? null : sessions === 1 ? "trusted for one session" : `trusted for ${sessions} sessions`,
    rows.some((row) => row.hooks_may_answer) ? "its hooks may approve tool calls" : null,
  ];
  const all = words.filter((part) => part !== null).join(", ");
  return all.charAt(0).toUpperCase() + all.slice(1);
}
