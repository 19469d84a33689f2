import { expect, it } from "vitest";

import { choices, meant, soughtBy } from "./directories";

const found = { path: "/home/ann", parent: null, names: ["boat", "shed"], truncated: false, roots: ["/home/ann"] };

it("looks for what is behind the last slash in what is before it", () => {
  expect(soughtBy("")).toEqual({ path: null, starts: "" });
  expect(soughtBy("bo")).toEqual({ path: null, starts: "bo" });
  expect(soughtBy("/home/ann/bo")).toEqual({ path: "/home/ann", starts: "bo" });
  expect(soughtBy("/home/ann/")).toEqual({ path: "/home/ann", starts: "" });
  expect(soughtBy("/ho")).toEqual({ path: "/", starts: "ho" });
});

it("offers recent ones first, then the way up, then what is inside", () => {
  const texts = (text: string, there: typeof found | null) => choices(text, ["/home/ann/boat", "/srv"], there as never).map((one) => one.text);
  expect(texts("", found)).toEqual(["/home/ann/boat", "/srv", "/home/ann/boat/", "/home/ann/shed/"]);
  // One that was chosen does not hide the others.
  expect(texts("/srv", null)).toEqual(["/home/ann/boat", "/srv"]);
  expect(texts("/home/ann/", found)).toEqual(["/home/ann/boat", "/home/ann/boat/", "/home/ann/shed/"]);
  const inside = { ...found, path: "/home/ann/shed", parent: "/home/ann" as never, names: ["saw"] };
  expect(texts("/home/ann/shed/", inside)).toEqual(["/home/ann/", "/home/ann/shed/saw/"]);
  expect(texts("/home/ann/shed/x", inside)).toEqual([]);
  expect(texts("/home/ann/shed/S", inside)).toEqual(["/home/ann/shed/saw/"]);
});

it("means the directory without the slash at its end, except for the root", () => {
  expect(meant(" /home/ann// ")).toBe("/home/ann");
  expect(meant("/")).toBe("/");
});
