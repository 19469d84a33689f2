import { expect, it } from "vitest";

import { choices, completion, meant, soughtBy } from "./directories";

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

it("completes what has begun, and nothing that is whole or known", () => {
  const there = { ...found, names: ["boat", "boat-old", "shed"] };
  const by = (text: string, recent: string[] = []) => completion(text, recent, there as never)?.text ?? null;
  expect(by("/home/ann/sh")).toBe("/home/ann/shed/");
  expect(by("/home/ann/boat-")).toBe("/home/ann/boat-old/");
  expect(by("/home/ann/boat")).toBeNull();
  expect(by("/home/ann/she", ["/home/ann/she"])).toBeNull();
  expect(by("/home/ann/")).toBeNull();
  expect(by("/home/ann/x")).toBeNull();
  expect(completion("/home/ann/sh", [], null)).toBeNull();
});

it("means the directory without the slash at its end, except for the root", () => {
  expect(meant(" /home/ann// ")).toBe("/home/ann");
  expect(meant("/")).toBe("/");
});
