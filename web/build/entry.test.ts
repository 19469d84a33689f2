import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";

import { chunks, entryOf } from "./entry.mjs";

const FILES = {
  "index.html": '<script type="module" src="/assets/index-a.js"></script>',
  "assets/index-a.js": 'import{a as e}from"./shared-b.js";const f=()=>import("./SessionPage-c.js");e(f,`import"./quoted-x.js"`);',
  "assets/shared-b.js": 'import"./deep-d.js";export{z as a}from"./again-e.js";',
  "assets/deep-d.js": "globalThis.d=1;",
  "assets/again-e.js": 'import"./shared-b.js";export const z=1;',
  "assets/SessionPage-c.js": 'import{a}from"./shared-b.js";import{c}from"./card-f.js";a(c,()=>import("./late-g.js"));',
  "assets/card-f.js": "export const c=1;",
  "assets/late-g.js": "export const late=1;",
  "assets/quoted-x.js": "",
};

let dist: string;

beforeAll(() => {
  dist = mkdtempSync(join(tmpdir(), "pilothouse-entry-"));
  mkdirSync(join(dist, "assets"));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(dist, name), text);
});

afterAll(() => rmSync(dist, { recursive: true }));

it("the entry is all that is imported before a conversation is seen, and nothing else", () => {
  const { files, bytes } = entryOf(dist);
  const loaded = ["index-a", "SessionPage-c", "shared-b", "card-f", "deep-d", "again-e"].map((name) => `assets/${name}.js`);
  expect(files.toSorted()).toEqual(loaded.toSorted());
  expect(bytes).toBe(loaded.reduce((sum, file) => sum + gzipSync(FILES[file as keyof typeof FILES]).length, 0));
  expect(chunks(dist, "late")).toEqual(["assets/late-g.js"]);
});
