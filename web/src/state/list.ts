/**
 * The list of sessions: a pure fold over what the daemon says of it, and how it is arranged.
 * Knows nothing of sockets or the page.
 */

import type { ServerMessage, SessionId, SessionRow } from "../../api/types";
import { named } from "../render/text/visible";

/** All sessions that are known, by their ids. */
export type SessionList = ReadonlyMap<SessionId, SessionRow>;

type Change = Extract<ServerMessage, { type: "sessions" }>;

/** Takes in sessions that have changed; those that are gone are none. */
export function changed(list: SessionList, change: Change["sessions"]): SessionList {
  const next = new Map(list);
  for (const [id, row] of Object.entries(change)) {
    if (row) next.set(id, row);
    else next.delete(id);
  }
  return next;
}

/** The list as it was read, with what has changed since the reading began. */
export function reread(rows: readonly SessionRow[], since: Change["sessions"]): SessionList {
  return changed(new Map(rows.map((row) => [row.id, row])), since);
}

/** How a session stands, in the words of the list. */
export type Standing = "needs_you" | "running" | "background" | "idle" | "interrupted" | "ended" | "new";

export function standing(row: SessionRow): Standing {
  if (row.open_approvals > 0) return "needs_you";
  switch (row.status) {
    case "awaiting_approval":
      return "needs_you";
    case "starting":
    case "running":
      return "running";
    case "settled":
      return "background";
    case "interrupted":
      return "interrupted";
    case "ready":
    case "idle":
      return "idle";
    case "ended":
      return "ended";
    case "dormant":
      return row.last_seq === 0 ? "new" : "ended";
  }
}

/** Nobody runs who could be asked anything. */
export function isAsleep(row: Pick<SessionRow, "status">): boolean {
  return row.status === "dormant" || row.status === "interrupted" || row.status === "ended";
}

/** The sessions of one project. */
export type Project = { readonly cwd: string; readonly name: string; readonly rows: readonly SessionRow[] };

/** How the list is shown. */
export type Arrangement = {
  /** Those that need somebody, from all projects. */
  readonly needsYou: readonly SessionRow[];
  readonly projects: readonly Project[];
};

/**
 * Arranges what fits: who needs somebody first, then by project; there what nobody has seen yet comes
 * first, then the latest. What is looked at right now (`here`) is as good as seen: it does not jump.
 */
export function arrange(list: SessionList, only: { words: string; archived: boolean; here?: SessionId | null }): Arrangement {
  const words = only.words.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (row: SessionRow) => {
    const text = `${titleOf(row)} ${row.cwd} ${row.tags.join(" ")}`.toLowerCase();
    return row.archived === only.archived && words.every((word) => text.includes(word));
  };
  const isNew = (row: SessionRow) => row.unread && row.id !== only.here;
  const rows = [...list.values()].filter(fits).toSorted((a, b) => Number(isNew(b)) - Number(isNew(a)) || latestFirst(a, b));
  const projects = new Map<string, SessionRow[]>();
  for (const row of rows) {
    if (row.needs_you) continue;
    const those = projects.get(row.cwd);
    if (those) those.push(row);
    else projects.set(row.cwd, [row]);
  }
  const names = shortNames([...projects.keys()]);
  return {
    needsYou: rows.filter((row) => row.needs_you),
    projects: [...projects].map(([cwd, rows]) => ({ cwd, name: names.get(cwd)!, rows })),
  };
}

function latestFirst(a: SessionRow, b: SessionRow): number {
  return compare(b.updated_at, a.updated_at) || compare(b.id, a.id);
}

/** Times and ids are ASCII: what knows languages would only be slower. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What to call a session. */
export function titleOf(row: Pick<SessionRow, "title" | "cwd">): string {
  return named(row.title ?? "New session");
}

/** The end of each path, as long as is needed to tell them apart. */
export function shortNames(paths: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const path of paths) {
    const parts = path.split("/").filter(Boolean);
    let length = 1;
    const name = () => parts.slice(-length).join("/") || "/";
    const isShared = () => paths.some((other) => other !== path && `/${other}`.endsWith(`/${name()}`));
    while (length < parts.length && isShared()) length += 1;
    names.set(path, name());
  }
  return names;
}

/** Directories that were worked in, the latest first. */
export function recentDirectories(list: SessionList): string[] {
  return [...new Set([...list.values()].toSorted(latestFirst).map((row) => row.cwd))];
}
