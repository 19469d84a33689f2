import { expect, it } from "vitest";

import { standOf, walked, wanted, type Stand } from "./follow";

const END = { above: 4000, below: 0 };
const walk = (from: Stand, to: Stand) => walked(from, to, false);

it("a first small step up is a step away", () => {
  expect(walk(END, { above: 3990, below: 10 })).toBe("away");
});

it("more may come in the same moment: a wheel, a key and a finger are believed", () => {
  expect(wanted("up", END)).toBe("away");
  expect(wanted("up", { above: 0, below: 0 })).toBeNull();
  expect(wanted("down", { above: 3990, below: 10 })).toBe("to the end");
  expect(wanted("down", { above: 3000, below: 1000 })).toBeNull();
  expect(walked(END, { above: 3990, below: 310 }, true)).toBe("away");
});

it("what grows, shrinks, or is made up for is nobody's step", () => {
  expect(walk(END, END)).toBeNull();
  // More at the end; above the window larger, then smaller than guessed; less at the end, so that it ends here.
  expect(walk(END, { above: 4000, below: 300 })).toBeNull();
  expect(walk(END, { above: 4300, below: 0 })).toBeNull();
  expect(walk({ above: 2000, below: 2000 }, { above: 1900, below: 2000 })).toBeNull();
  expect(walk(END, { above: 3800, below: 0 })).toBeNull();
  expect(walk({ above: 3990, below: 10 }, { above: 4090, below: 10 })).toBeNull();
  // Less, so that it is moved up, then more.
  expect(walk(END, { above: 3500, below: 900 })).toBeNull();
});

it("who comes down to the end, or nearly, has come to the end", () => {
  expect(walk({ above: 3000, below: 1000 }, { above: 3970, below: 30 })).toBe("to the end");
  expect(walk({ above: 3000, below: 1000 }, { above: 3500, below: 500 })).toBeNull();
  // Past the end, and back.
  const sprung = standOf({ scrollTop: 4030, scrollHeight: 4800, clientHeight: 800 });
  expect(walk(sprung, standOf({ scrollTop: 4000, scrollHeight: 4800, clientHeight: 800 }))).toBeNull();
});
