/** What is worth being told to somebody who hears the page, from one state to the next. */

import type { SessionState } from "../state/state";

const LONGEST = 400;
/** Nobody wants to hear more of what was missed. */
const MOST = 4;

export function announcements(before: SessionState, now: SessionState): string[] {
  const news: string[] = [];
  if (before.items !== now.items) {
    // Only the end is compared: this is done for every piece of a streamed text.
    const known = new Set(before.items.slice(-4 * MOST).flatMap((item) => (item.seq === null ? [] : [item.key])));
    for (const item of now.items.slice(-2 * MOST)) {
      if (item.seq === null || item.seq <= before.seq || known.has(item.key)) continue;
      if (item.kind === "text") news.push(short(item.text));
      else if (item.kind === "tool") news.push(`Tool: ${item.title}`);
      else if (item.kind === "error") news.push(`Error: ${short(item.message)}`);
      else if (item.kind === "turn_end") news.push(item.outcome === "done" ? "Turn done." : `Turn ended: ${item.outcome}.`);
    }
  }
  for (const card of now.approvals) {
    if (before.approvals.some((other) => other.approval === card.approval)) continue;
    news.push(`Your answer is needed: ${card.request.title ?? "a request"}`);
  }
  if (before.turn === null && now.turn !== null) news.push("Working.");
  return news.slice(-MOST);
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
