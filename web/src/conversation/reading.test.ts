import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { look } from "./reading";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("a look is not made longer by what comes meanwhile, and sees each thing once", () => {
  const read: number[] = [];
  let seq = 0;
  const stop = look(() => seq, async (to) => void read.push(to));
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

it("what could not be marked is marked with the next look", async () => {
  const mark = vi.fn<(seq: number) => Promise<void>>().mockRejectedValueOnce(new Error("away")).mockResolvedValue();
  const stop = look(() => 3, mark);
  await vi.advanceTimersByTimeAsync(5000);
  expect(mark.mock.calls).toEqual([[3], [3]]);
  stop();
});
