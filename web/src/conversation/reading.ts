/** When a session counts as read: somebody has had it before their eyes for a moment. */

import { createSubscriber } from "svelte/reactivity";

/** Somebody has looked for so long. */
const A_LOOK = 700;

/**
 * Marks what is there as read, after a look and then as often, until it is told to stop. What comes
 * meanwhile does not make the look longer.
 */
export function look(seq: () => number, mark: (seq: number) => Promise<void>): () => void {
  let marked = -1;
  const timer = setInterval(() => {
    const now = seq();
    if (now <= marked) return;
    marked = now;
    // Nothing depends on it: the next look tries again.
    mark(now).catch(() => (marked = -1));
  }, A_LOOK);
  return () => clearInterval(timer);
}

const subscribe = createSubscriber((update) => {
  document.addEventListener("visibilitychange", update);
  return () => document.removeEventListener("visibilitychange", update);
});

/** Whether this page can be seen: effects that ask are run again when that changes. */
export function isSeen(): boolean {
  subscribe();
  return document.visibilityState === "visible";
}
