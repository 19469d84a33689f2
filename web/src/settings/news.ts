/** What has come to need somebody between two looks at the list. Pure. */

import type { SessionRow } from "../../api/types";
import type { SessionList } from "../state/list";

export type News = { readonly row: SessionRow; readonly why: "asks" | "interrupted" };

export function news(before: SessionList, after: SessionList): readonly News[] {
  const all: News[] = [];
  for (const row of after.values()) {
    const was = before.get(row.id);
    if (row.archived) continue;
    if (row.open_approvals > (was?.open_approvals ?? 0)) all.push({ row, why: "asks" });
    else if (row.status === "interrupted" && was !== undefined && was.status !== "interrupted") all.push({ row, why: "interrupted" });
  }
  return all;
}
