import { describe, expect, it } from "vitest";

import type { SessionRow } from "../../api/types";
import { news } from "./news";

const row = (id: string, more: Partial<SessionRow>) => ({ id, archived: false, open_approvals: 0, status: "running", ...more }) as SessionRow;
const list = (...rows: SessionRow[]) => new Map(rows.map((one) => [one.id, one]));

describe("news", () => {
  it("is a request that was not there, and an interruption", () => {
    const before = list(row("a", {}), row("b", { open_approvals: 1 }), row("c", {}), row("d", { open_approvals: 1 }));
    const after = list(
      row("a", { open_approvals: 1 }),
      row("b", { open_approvals: 2 }),
      row("c", { status: "interrupted" }),
      row("d", { open_approvals: 1 }),
      row("e", { open_approvals: 1 }),
    );
    expect(news(before, after).map(({ row, why }) => [row.id, why])).toEqual([
      ["a", "asks"],
      ["b", "asks"],
      ["c", "interrupted"],
      ["e", "asks"],
    ]);
  });

  it("is nothing that was put away, was so before, or was answered", () => {
    const before = list(row("a", { open_approvals: 1 }), row("b", { status: "interrupted" }));
    const after = list(row("a", {}), row("b", { status: "interrupted" }), row("c", { status: "interrupted" }), row("d", { open_approvals: 1, archived: true }));
    expect(news(before, after)).toEqual([]);
  });
});
