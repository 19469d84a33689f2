import { describe, expect, it } from "vitest";

import type { SessionRow } from "../../api/types";
import { arrange, changed, recentDirectories, reread, shortNames, standing } from "./list";

function row(id: string, more: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    archived: false,
    cli_session: null,
    created_at: "2026-01-01T00:00:00Z",
    cwd: "/home/me/app",
    last_seq: 1,
    mode: null,
    model: null,
    needs_you: false,
    open_approvals: 0,
    policy: null,
    settings: null,
    status: "idle",
    tags: [],
    title: id,
    unread: false,
    updated_at: "2026-01-01T00:00:00Z",
    ...more,
  };
}

const list = (...rows: SessionRow[]) => new Map(rows.map((one) => [one.id, one]));

describe("the list", () => {
  it("takes in changes, also those that come while it is read", () => {
    const before = list(row("a"), row("b"));
    const after = changed(before, { a: row("a", { title: "new" }), b: null });
    expect([...after.values()].map((one) => one.title)).toEqual(["new"]);
    expect(before.size).toBe(2);
    expect([...reread([row("a"), row("b")], { b: null, c: row("c") }).keys()]).toEqual(["a", "c"]);
  });

  it("has those first that need somebody, then projects by what happened last", () => {
    const { needsYou, projects } = arrange(
      list(
        row("old", { updated_at: "2026-01-01T00:00:00Z" }),
        row("other", { cwd: "/srv/other", updated_at: "2026-01-03T00:00:00Z" }),
        row("new", { updated_at: "2026-01-02T00:00:00Z" }),
        row("asks", { needs_you: true }),
        row("away", { archived: true }),
      ),
      { words: "", archived: false },
    );
    expect(needsYou.map((one) => one.id)).toEqual(["asks"]);
    expect(projects.map((project) => [project.name, project.rows.map((one) => one.id)])).toEqual([
      ["other", ["other"]],
      ["app", ["new", "old"]],
    ]);
  });

  it("has what nobody has seen before the rest, in its project and among projects", () => {
    const all = list(
      row("seen", { updated_at: "2026-01-03T00:00:00Z" }),
      row("unseen", { updated_at: "2026-01-01T00:00:00Z", unread: true }),
      row("other", { cwd: "/srv/other", updated_at: "2026-01-04T00:00:00Z" }),
      row("asks", { needs_you: true, updated_at: "2026-01-02T00:00:00Z" }),
      row("asks, unseen", { needs_you: true, unread: true }),
    );
    const shown = (here: string | null) => {
      const { needsYou, projects } = arrange(all, { words: "", archived: false, here });
      return [needsYou, ...projects.map((one) => one.rows)].map((rows) => rows.map((one) => one.id));
    };
    expect(shown(null)).toEqual([["asks, unseen", "asks"], ["unseen", "seen"], ["other"]]);
    // What is looked at stays where it is.
    expect(shown("unseen")).toEqual([["asks, unseen", "asks"], ["other"], ["seen", "unseen"]]);
  });

  it("finds words in titles, directories and tags", () => {
    const all = list(row("Fix the parser"), row("b", { tags: ["blue"] }), row("c", { cwd: "/srv/parser" }));
    const found = (words: string) => arrange(all, { words, archived: false }).projects.flatMap((one) => one.rows.map((row) => row.id));
    expect(found("PARSER").toSorted()).toEqual(["Fix the parser", "c"]);
    expect(found("blue")).toEqual(["b"]);
    expect(found("parser fix")).toEqual(["Fix the parser"]);
  });

  it("tells projects of the same name apart", () => {
    const names = shortNames(["/a/app", "/b/app", "/c/lib", "/"]);
    expect([...names.values()]).toEqual(["a/app", "b/app", "lib", "/"]);
  });

  it("says how a session stands", () => {
    expect(standing(row("a", { status: "settled" }))).toBe("background");
    expect(standing(row("a", { status: "idle", open_approvals: 1 }))).toBe("needs_you");
    expect(standing(row("a", { status: "dormant", last_seq: 0 }))).toBe("new");
    expect(recentDirectories(list(row("a"), row("b", { cwd: "/x", updated_at: "2027-01-01T00:00:00Z" })))).toEqual(["/x", "/home/me/app"]);
  });
});
