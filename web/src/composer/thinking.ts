/** How much a model thinks that knows no efforts: a most of tokens. Pure. */

import type { Thinking } from "../../api/types";
import { count } from "../render/format";

/** Something to choose: none for as much as it wants, 0 for not at all. */
export type Budget = { readonly maxTokens: number | null; readonly name: string; readonly note: string };

export const BUDGETS: readonly Budget[] = [
  { maxTokens: null, name: "Thinks", note: "As much as it wants" },
  ...[4_000, 10_000, 32_000].map((most) => ({ maxTokens: most, name: `Thinks up to ${count(most)}`, note: `At most ${count(most)} tokens before each answer` })),
  { maxTokens: 0, name: "No thinking", note: "Answers at once" },
];

/** What to call what holds now. */
export function budgetName(thinking: Thinking | null): string {
  const most = thinking?.max_tokens ?? null;
  return BUDGETS.find((one) => one.maxTokens === most)?.name ?? `Thinks up to ${count(most ?? 0)}`;
}
