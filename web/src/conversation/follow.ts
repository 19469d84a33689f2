/**
 * When a list that follows its end stops following, and begins again. Pure.
 *
 * A list moves for three reasons: somebody moves it, something grows or shrinks, or the list makes up
 * for what has changed its size above the window. Only the first counts. A wheel or a key says by itself
 * where somebody wants to go, before anything has moved; else who moves up comes nearer to the beginning
 * and farther from the end, while the whole stays as long as it was or a finger is on it.
 */

/** Where a list stands. */
export type Stand = {
  /** Pixels above the window. */
  readonly above: number;
  /** Pixels below it. */
  readonly below: number;
};

/** So near to the end is at the end, for somebody who comes there. */
const NEAR = 48;
/** Places are rounded. */
const HAIR = 1;

export function standOf({ scrollTop, scrollHeight, clientHeight }: Pick<Element, "scrollTop" | "scrollHeight" | "clientHeight">): Stand {
  // Some browsers go past the end, and spring back.
  return { above: scrollTop, below: Math.max(0, scrollHeight - clientHeight - scrollTop) };
}

/** What somebody has done, from one stand to the next: a first step up is enough, however small. */
export function walked(from: Stand, to: Stand, isHeld: boolean): "away" | "to the end" | null {
  const isAsLong = Math.abs(from.above + from.below - to.above - to.below) <= HAIR;
  if (to.above < from.above && to.below > from.below + HAIR && (isAsLong || isHeld)) return "away";
  if (to.above > from.above && to.below < from.below && isNear(to)) return "to the end";
  return null;
}

/** Where a wheel or a key wants to go from here. */
export function wanted(step: "up" | "down", stand: Stand): "away" | "to the end" | null {
  if (step === "up") return stand.above > 0 ? "away" : null;
  return isNear(stand) ? "to the end" : null;
}

function isNear(stand: Stand): boolean {
  return stand.below <= NEAR;
}
