/** Whether an answer is the one that counts. Pure. */

import type { Decision, DecisionInput } from "../../api/types";

/** Whether what was given here and what the daemon has come to the same. */
export function isSame(given: DecisionInput, kept: Decision): boolean {
  if (given.kind === "allow" && kept.kind === "allow") return alike(given.input, kept.input) && alike(given.updates ?? [], kept.updates);
  if (given.kind === "deny" && kept.kind === "deny") return (given.stop ?? false) === kept.stop && alike(given.message, kept.message);
  if (given.kind === "plan" && kept.kind === "plan") return given.choice === kept.choice;
  return given.kind === kept.kind;
}

function alike(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
