/** Answers that are given here, so that those given elsewhere can be told from them. */

import type { ApprovalId, DecisionInput, SessionId } from "../../api/types";
import { house } from "../app/house.svelte";

const ours = new Set<string>();

const name = (session: SessionId, approval: ApprovalId) => `${session}/${approval}`;

/** Answers a request; what goes wrong is told. True if it was the answer that counts. */
export async function decide(session: SessionId, approval: ApprovalId, decision: DecisionInput): Promise<boolean> {
  ours.add(name(session, approval));
  const done = await house.attempt(async () => {
    await house.talk.order(session, { do: "decide", approval, decision });
    return true;
  });
  if (!done) ours.delete(name(session, approval));
  return done ?? false;
}

/** Whether the request was answered here. */
export function isOurs(session: SessionId, approval: ApprovalId): boolean {
  return ours.has(name(session, approval));
}
