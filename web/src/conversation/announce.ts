/** What is worth being told to somebody who hears the page, from one state to the next. */

import type { Item } from "../state/items";
import type { SessionState } from "../state/state";
import { named } from "../render/text/visible";

const LONGEST = 400;
/** Nobody wants to hear more of what was missed. */
const MOST = 4;

export function announcements(before: SessionState, now: SessionState): string[] {
  const news: string[] = [];
  if (before.items !== now.items) {
    // Only the end is compared: this is done for every piece of a streamed text.
    const known = new Map(before.items.slice(-4 * MOST).flatMap((item) => (item.seq === null ? [] : [[item.key, item]])));
    for (const item of now.items.slice(-2 * MOST)) {
      if (item.seq === null || item.seq <= before.seq) continue;
      const text = known.has(item.key) ? changeOf(known.get(item.key)!, item) : newsOf(item);
      if (text !== null) news.push(text);
    }
  }
  for (const card of now.approvals) {
    if (before.approvals.some((other) => other.approval === card.approval)) continue;
    news.push(`Your answer is needed: ${named(card.request.title ?? "a request")}`);
  }
  if (before.turn === null && now.turn !== null) news.push("Working.");
  return news.slice(-MOST);
}

function newsOf(item: Item): string | null {
  switch (item.kind) {
    case "text":
      return short(item.text);
    case "tool":
      return item.state === "error" ? `Failed: ${named(item.title)}` : `Tool: ${named(item.title)}`;
    case "error":
      return `Error: ${short(item.message)}`;
    case "notice":
      return item.level === "error" ? short(item.text) : null;
    case "run_ended":
      return "The run ended.";
    case "turn_end":
      return item.outcome === "done" ? "Turn done." : `Turn ended: ${item.outcome}.`;
    default:
      return null;
  }
}

/** Of what is known, only that it went wrong. */
function changeOf(before: Item, now: Item): string | null {
  const hasFailed = now.kind === "tool" && now.state === "error" && before.kind === "tool" && before.state !== "error";
  return hasFailed ? `Failed: ${named(now.title)}` : null;
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
