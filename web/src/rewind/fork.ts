/** Copies of a conversation that end somewhere in it. */

import type { From, SessionId, SessionRow } from "../../api/types";
import { house } from "../app/house.svelte";
import { route, sessionPath } from "../app/route.svelte";
import { composers } from "../composer/drafts";
import { call } from "../connection/rest";
import { profileOf } from "./profile";

/** Makes a copy that ends at `from` and goes there; `text` is what is said next, if anything is. */
export async function fork(session: SessionId, from: From, text = ""): Promise<void> {
  const original = house.sessions.get(session);
  const copy = await house.attempt(() => copied(session, from, original ?? null));
  if (!copy) return;
  house.adopt(copy);
  if (text !== "") composers.giveBack(copy.id, text);
  const lacks = from.kind === "scratch" && original && profileOf(original).lacks ? " Its variables, flags and MCP servers with secrets are not handed on." : "";
  house.tell(from.kind === "scratch" ? `A new session in the same directory.${lacks}` : "A copy that ends there. The original stays as it is.");
  route.go(sessionPath(copy.id));
}

function copied(session: SessionId, from: From, original: SessionRow | null): Promise<SessionRow> {
  const title = original ? `${original.title ?? "New session"} (fork)` : null;
  if (from.kind === "scratch" && original) {
    // Nothing stands before the first prompt: there is nothing to copy.
    return call("createSession", { body: { cwd: original.cwd, policy: original.policy, profile: profileOf(original).profile, title } });
  }
  return call("forkSession", { params: { session }, body: { at: from.kind === "message" ? from.uuid : null, title } });
}
