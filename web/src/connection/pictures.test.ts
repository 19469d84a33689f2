import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { holdPicture } from "./pictures";

let fetches: string[];
let type: string;
let revoked: string[];

beforeEach(() => {
  [fetches, revoked, type] = [[], [], "image/png"];
  vi.stubGlobal("fetch", async (address: string) => {
    fetches.push(address);
    return new Response("x", { headers: { "content-type": type } });
  });
  vi.spyOn(URL, "createObjectURL").mockImplementation(() => `blob:${fetches.length}`);
  vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => void revoked.push(url));
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("pictures", () => {
  it("are fetched once while they are shown, and for a while after", async () => {
    const first = holdPicture("/a");
    const second = holdPicture("/a");
    expect(await first.url).toBe(await second.url);
    first.release();
    first.release();
    second.release();
    await holdPicture("/a").url;
    expect(fetches).toEqual(["/a"]);
  });

  it("that nobody shows make room, the longest unused first", async () => {
    const shown = holdPicture("/shown");
    await shown.url;
    for (let number = 0; number < 30; number += 1) {
      const one = holdPicture(`/p${number}`);
      await one.url;
      one.release();
    }
    await Promise.resolve();
    expect(revoked.length).toBeGreaterThanOrEqual(6);
    expect(revoked).not.toContain(await shown.url);
  });

  it("of other kinds are refused, and tried again by the next", async () => {
    type = "image/svg+xml";
    await expect(holdPicture("/svg").url).rejects.toThrow("image/svg+xml");
    type = "image/png";
    await expect(holdPicture("/svg").url).resolves.toMatch(/^blob:/);
  });
});
