/** Where a conversation can be gone back to, and what has changed since. Pure. */

import type { From, ModifyFile, Rewound } from "../../api/types";
import type { Item, ToolCallItem, UserItem } from "../state/items";

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

/** A conversation that was left is not the one that a run goes on with. */
function isBreak(item: Item): boolean {
  return item.kind === "conversation" && (item.reason === "cleared" || item.reason === "plan");
}

/** Whether something was said in the conversation that goes on. */
export function isInConversation(items: readonly Item[], key: string): boolean {
  const at = items.findIndex((item) => item.key === key);
  return at >= 0 && !items.slice(at).some(isBreak);
}

/** The message that is the last of a turn, or of a text. */
function uuidOf(item: Item): string | null {
  if (item.kind === "turn_end") return item.lastMessageUuid;
  return item.kind === "text" ? item.uuid : null;
}

/** From where a run goes on as if this had not been said; from scratch where nothing was said before. */
export function before(items: readonly Item[], key: string): From {
  for (let at = items.findIndex((item) => item.key === key) - 1; at >= 0; at -= 1) {
    const item = items[at]!;
    if (isBreak(item)) break;
    const uuid = uuidOf(item);
    if (uuid !== null) return { kind: "message", uuid };
  }
  return { kind: "scratch" };
}

/** What is known of what putting files back would do. */
export type Seen =
  | { readonly kind: "looking" }
  /** Nobody runs who could tell. */
  | { readonly kind: "asleep" }
  | { readonly kind: "trouble"; readonly why: string }
  | { readonly kind: "seen"; readonly would: Rewound };

/** A change that was made, and the call that made it. */
export type Made = { readonly key: string; readonly change: ModifyFile };

/** What was changed since, by file, in the order of the changes. */
export function changesSince(items: readonly Item[], key: string): ReadonlyMap<string, readonly Made[]> {
  const made = new Map<string, Made[]>();
  const take = (item: Item) => {
    if (item.kind !== "tool") return;
    const change = changeOf(item);
    if (change !== null) made.set(change.file_path, [...(made.get(change.file_path) ?? []), { key: item.key, change }]);
    item.children.forEach(take);
  };
  items.slice(items.findIndex((item) => item.key === key)).forEach(take);
  return made;
}

function changeOf(call: ToolCallItem): ModifyFile | null {
  return call.state === "complete" && call.payload?.kind === "modify_file" ? call.payload : null;
}
