/** What the parts that ask are given. */

import type { Approval, DecisionInput, SessionId } from "../../api/types";

export type Ask = {
  readonly session: SessionId;
  readonly request: Approval;
  /** Its keys are answers now. */
  readonly armed: boolean;
  /** Answers. True if that was the answer that counts. */
  decide(decision: DecisionInput): Promise<boolean>;
  /** An earlier call in a few words, where it is known. */
  titleOf(toolCallId: string): string | null;
  /** How much of the context is used, in percent; none where it is not known. */
  readonly contextUsed: number | null;
};
