import type { Standing } from "../state/list";

/** How a session stands, for people. */
export const words: Record<Standing, string> = {
  needs_you: "Needs you",
  running: "Working",
  background: "Settled, background work goes on",
  idle: "Idle",
  interrupted: "Interrupted",
  ended: "Ended",
  new: "Not started",
};
