/** Everything that waits for an answer, in all sessions; read anew when the list says that it has changed. */

import type { ApprovalRow } from "../../api/types";
import { house } from "../app/house.svelte";
import { sentence } from "../connection/problem";
import { Rereading } from "../connection/rereading";
import { call } from "../connection/rest";
import { titleOf, type SessionList } from "../state/list";

class OpenApprovals {
  rows = $state.raw<readonly ApprovalRow[]>([]);
  /** They have been read once. */
  listed = $state(false);
  trouble = $state<string | null>(null);
  readonly #rereading = new Rereading(() => this.#readOnce());

  /** How many wait, as the list of sessions has it. */
  get count(): number {
    let sum = 0;
    for (const row of house.sessions.values()) sum += row.open_approvals;
    return sum;
  }

  /** Reads them anew. What changes while they are read is read after that. */
  read(): Promise<void> {
    return this.#rereading.ask();
  }

  async #readOnce(): Promise<void> {
    try {
      const rows: ApprovalRow[] = [];
      let after: string | null = null;
      do {
        const page: { items: ApprovalRow[]; next: string | null } = await call("listOpenApprovals", { query: { limit: 200, after } });
        rows.push(...page.items);
        after = page.next;
      } while (after !== null);
      this.rows = rows.toSorted((a, b) => a.requested_at.localeCompare(b.requested_at));
      this.listed = true;
      this.trouble = null;
    } catch (error) {
      this.trouble = sentence(error);
    }
  }
}

export const openApprovals = new OpenApprovals();

/** What of the list says that requests have come or gone. */
export function signature(sessions: SessionList): string {
  const parts: string[] = [];
  for (const row of sessions.values()) if (row.open_approvals > 0) parts.push(`${row.id}:${row.open_approvals}:${row.last_seq}`);
  return parts.join(" ");
}

/** Names a request among all sessions. */
export function name(row: ApprovalRow): string {
  return `${row.session}/${row.approval}`;
}

/** What the session that asks is called. */
export function sessionName(row: ApprovalRow): string {
  const session = house.sessions.get(row.session);
  return session ? titleOf(session) : "A session";
}
