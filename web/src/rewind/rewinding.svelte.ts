/** Whether somebody is about to go back, in which session and to which prompt. */

import type { PromptId, SessionId } from "../../api/types";

class Rewinding {
  shown = $state.raw<{ readonly session: SessionId; readonly prompt: PromptId | null } | null>(null);

  /** Asks where to go back to; `prompt` is chosen at first. */
  show(session: SessionId, prompt: PromptId | null): void {
    this.shown = { session, prompt };
  }

  close(): void {
    this.shown = null;
  }
}

export const rewinding = new Rewinding();
