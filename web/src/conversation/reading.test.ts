import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { look } from "./reading";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a look is not made longer by what comes meanwhile, and sees each thing once", () => {
  const read: number[] = [];
  let seq = 0;
  const stop = look(() => seq, (to) => read.push(to));
  for (let at = 1; at <= 20; at += 1) {
    seq = at;
    vi.advanceTimersByTime(100);
  }
  vi.advanceTimersByTime(5000);
  expect(read).toEqual([7, 14, 20]);
  stop();
  seq = 21;
  vi.advanceTimersByTime(5000);
  expect(read).toHaveLength(3);
});
