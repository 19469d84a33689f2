/** Which of a session's requests is shown, so that the transcript can point at one. */

import type { ApprovalId } from "../../api/types";

export class ShownApproval {
  approval = $state<ApprovalId | null>(null);

  /** Shows a request and goes to it. */
  goTo(approval: ApprovalId): void {
    this.approval = approval;
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-approval="${approval}"]`)?.focus());
  }
}
