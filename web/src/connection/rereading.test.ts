import { expect, it } from "vitest";

import { Rereading } from "./rereading";

it("reads once more for all who asked while it was reading", async () => {
  const ends: (() => void)[] = [];
  const reading = new Rereading(() => new Promise((done) => ends.push(done)));
  const first = reading.ask();
  void reading.ask();
  const third = reading.ask();
  expect(ends).toHaveLength(1);
  ends[0]!();
  await Promise.resolve();
  expect(ends).toHaveLength(2);
  ends[1]!();
  await Promise.all([first, third]);
  expect(ends).toHaveLength(2);
  void reading.ask();
  expect(ends).toHaveLength(3);
});

it("can be asked again after it has failed", async () => {
  let fails = true;
  const reading = new Rereading(() => (fails ? Promise.reject(new Error("no")) : Promise.resolve()));
  await expect(reading.ask()).rejects.toThrow("no");
  fails = false;
  await expect(reading.ask()).resolves.toBeUndefined();
});
