/** Where a conversation can be gone back to. Pure. */

import type { From, Rewound } from "../../api/types";
import { uuidOf, type Item, type TextItem, type UserItem } from "../state/items";

/** A prompt that can be gone back to. */
export type Point = UserItem & { readonly prompt: string };

/** Everything that a person said and that was heard, the latest first. */
export function pointsOf(items: readonly Item[]): readonly Point[] {
  return items.filter(isPoint).toReversed();
}

/** Whether it can be gone back to before this. */
export function isPoint(item: Item): item is Point {
  if (item.kind !== "user" || item.prompt === null || item.origin.kind !== "user") return false;
  return item.state?.kind === "answered" || item.state?.kind === "taken_up";
}

/** Whether a copy can end at a text: one of the conversation's own, and none that a subagent said within a call. */
export function isForkable(items: readonly Item[], item: TextItem): boolean {
  return item.uuid !== null && items.includes(item);
}

/** What is part of the conversation that goes on: nothing that was cleared, or dropped by going back. */
export function living(items: readonly Item[]): readonly Item[] {
  let alive: Item[] = [];
  for (const item of items) {
    if (item.kind === "conversation" && (item.reason === "cleared" || item.reason === "plan")) alive = [];
    else if (item.kind === "conversation" && item.backTo !== null) {
      const end = alive.findLastIndex((one) => uuidOf(one) === item.backTo);
      if (end >= 0) alive = alive.slice(0, end + 1);
    } else alive.push(item);
  }
  return alive;
}

/** Whether something is part of the conversation that goes on. */
export function isInConversation(items: readonly Item[], key: string): boolean {
  return living(items).some((item) => item.key === key);
}

/** From where a run goes on as if this had not been said; from scratch where nothing was said before. */
export function before(items: readonly Item[], key: string): From {
  const alive = living(items);
  const at = alive.findIndex((item) => item.key === key);
  const last = alive.slice(0, Math.max(0, at)).findLast((item) => uuidOf(item) !== null);
  const uuid = last === undefined ? null : uuidOf(last);
  return uuid === null ? { kind: "scratch" } : { kind: "message", uuid };
}

/** What is known of what putting files back would do. */
export type Seen =
  | { readonly kind: "looking" }
  /** Nobody runs who could tell. */
  | { readonly kind: "asleep" }
  | { readonly kind: "trouble"; readonly why: string }
  | { readonly kind: "seen"; readonly would: Rewound };
