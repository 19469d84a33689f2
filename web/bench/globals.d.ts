/** What the observers leave in the page. */

declare global {
  var painted: { first: number; last: number; painted: number } | undefined;
  var frames_seen: () => { gaps: number[]; tasks: number };
}

export {};
