import { describe, expect, it } from "vitest";

import type { TrustRow } from "../../api/types";
import { byRepository } from "./decisions";

const row = (root: string, kind: TrustRow["kind"], more: Partial<TrustRow> = {}): TrustRow => ({ root, kind, actor: "a", at: "2026-01-01T00:00:00Z", digest: "d", hooks_may_answer: false, session: null, ...more });

describe("byRepository", () => {
  it("has one entry for a repository, however often it was decided about", () => {
    const found = byRepository([
      row("/a", "always", { digest: "1", at: "2026-02-01T00:00:00Z", hooks_may_answer: true }),
      row("/a", "always", { digest: "2" }),
      row("/a", "session", { session: "s" }),
      row("/a", "session", { session: "s", digest: "2" }),
      row("/a", "session", { session: "t" }),
      row("/b", "never"),
      row("/c", "claude_code"),
    ]);
    expect(found).toEqual([
      { root: "/a", words: "Trusted, trusted for 2 sessions, its hooks may approve tool calls", at: "2026-02-01T00:00:00Z" },
      { root: "/b", words: "Never trusted", at: "2026-01-01T00:00:00Z" },
      { root: "/c", words: "Trusted in Claude Code", at: "2026-01-01T00:00:00Z" },
    ]);
  });
});
