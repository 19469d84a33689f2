/** What can be done with a plan, in the order in which the CLI offers it. */

import type { PlanChoice } from "../../api/types";

export type Choice = { readonly choice: PlanChoice; readonly name: string; readonly note: string };

/** Without a plan there is nothing to carry out elsewhere: yes or no. */
export function choicesFor(hasPlan: boolean, contextUsed: number | null): readonly Choice[] {
  if (!hasPlan) {
    return [
      { choice: "approve_by_hand", name: "Yes", note: "Begin, and ask for each edit" },
      { choice: "keep_planning", name: "No, keep planning", note: "Say what to change" },
    ];
  }
  const used = contextUsed === null ? "" : ` (${contextUsed}% used)`;
  return [
    { choice: "clear_context", name: `Yes, clear context${used} and auto-accept edits`, note: "A new conversation that knows only the plan" },
    { choice: "accept_edits", name: "Yes, auto-accept edits", note: "This conversation goes on" },
    { choice: "approve_by_hand", name: "Yes, manually approve edits", note: "This conversation goes on" },
    { choice: "keep_planning", name: "No, keep planning", note: "Say what to change" },
  ];
}

/** Whether a choice lets the plan be carried out. */
export function isYes(choice: PlanChoice): boolean {
  return choice !== "keep_planning";
}

/** The choice that a key stands for; none is a yes where the request is better denied. */
export function choiceOf(event: Pick<KeyboardEvent, "key" | "shiftKey">, choices: readonly Choice[], isBetterDenied: boolean): PlanChoice | null {
  const at = event.key === "Tab" && event.shiftKey ? 0 : /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  const choice = choices[at]?.choice ?? null;
  return choice !== null && isBetterDenied && isYes(choice) ? null : choice;
}
