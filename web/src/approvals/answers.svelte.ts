/** Answers that are given here, so that those given elsewhere can be told from them. */

import type { ApprovalId, DecisionInput, SessionId } from "../../api/types";
import { house } from "../app/house.svelte";
import { Refused } from "../connection/problem";
import { call } from "../connection/rest";
import { isSame } from "./same";

const ours = new Set<string>();

const name = (session: SessionId, approval: ApprovalId) => `${session}/${approval}`;

/** Answers a request; what goes wrong is told. True if it was the answer that counts. */
export async function decide(session: SessionId, approval: ApprovalId, decision: DecisionInput): Promise<boolean> {
  ours.add(name(session, approval));
  const done = await house.attempt(async () => {
    try {
      await house.talk.order(session, { do: "decide", approval, decision });
    } catch (error) {
      if (!(await isHeard(error, session, approval, decision))) throw error;
    }
    return true;
  });
  if (!done) ours.delete(name(session, approval));
  return done ?? false;
}

/** After a break an answer is given again, and refused where the first has arrived: then it counts. */
async function isHeard(error: unknown, session: SessionId, approval: ApprovalId, decision: DecisionInput): Promise<boolean> {
  if (!(error instanceof Refused) || !error.repeated || error.problem.refusal?.kind !== "already_answered") return false;
  const { items } = await call("listApprovals", { params: { session }, query: { limit: 200 } });
  const kept = items.find((one) => one.approval === approval)?.decision ?? null;
  return kept !== null && isSame(decision, kept);
}

/** Whether the request was answered here. */
export function isOurs(session: SessionId, approval: ApprovalId): boolean {
  return ours.has(name(session, approval));
}
