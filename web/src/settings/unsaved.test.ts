import { expect, it } from "vitest";

import { keep, placeOf, unsaved } from "./unsaved";

it("keeps what is not saved, apart from each other, until it is as before", () => {
  const before = { name: "mine", text: "a" };
  const place = placeOf({ policy: "mine" });
  keep(place, { name: "mine", text: "b" }, before);
  keep(placeOf({ begunFrom: "mine" }), { name: "", text: "c" }, { name: "", text: "a" });
  expect(unsaved.get(place)?.text).toBe("b");
  expect(unsaved.size).toBe(2);
  keep(place, before, before);
  expect([...unsaved.keys()]).toEqual([placeOf({ begunFrom: "mine" })]);
});
