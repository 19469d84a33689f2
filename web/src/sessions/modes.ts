/** The permission modes, in words that say what happens. */

export type Mode = { readonly mode: string; readonly name: string; readonly note: string };

export const MODES: readonly Mode[] = [
  { mode: "default", name: "Ask", note: "Asks before it changes or runs anything" },
  { mode: "acceptEdits", name: "Act", note: "Edits files without asking, asks before it runs anything else" },
  { mode: "plan", name: "Plan", note: "Looks and thinks only, then shows a plan" },
  { mode: "auto", name: "Auto", note: "Asks only where something looks risky" },
  { mode: "dontAsk", name: "Don't ask", note: "Refuses what is not allowed, without asking" },
];

/** The mode that asks nothing at all; sessions must have been made for it. */
export const BYPASS: Mode = { mode: "bypassPermissions", name: "Bypass", note: "Asks nothing at all" };

/** What to call a mode; one that is not known here has its own name. */
export function modeName(mode: string | null): string {
  return [...MODES, BYPASS].find((one) => one.mode === mode)?.name ?? mode ?? "Ask";
}
