/** How a session like another one is started. Pure. */

import type { Profile, SessionRow } from "../../api/types";

/** The daemon's mask for a secret: a text of its own, or the value, password or query value in one. */
const MASK = /["=: ]\*\*\*["&@#]/;

/** The profile of a session as it is now; `lacks` what is kept secret and so cannot be handed on from here. */
export function profileOf(row: Pick<SessionRow, "settings" | "model" | "mode">): { readonly profile: Profile; readonly lacks: boolean } {
  const kept = typeof row.settings === "object" && row.settings !== null ? (row.settings as Profile) : {};
  const known = Object.entries(kept).filter(([, value]) => !MASK.test(JSON.stringify(value) ?? ""));
  const profile: Profile = Object.fromEntries(known);
  if (row.model !== null) profile.model = row.model;
  if (row.mode !== null) profile.mode = row.mode;
  return { profile, lacks: known.length < Object.keys(kept).length };
}
