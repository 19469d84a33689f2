import { afterEach, describe, expect, it, vi } from "vitest";

import { Refused, Unreachable } from "./problem";
import { address, call } from "./rest";

afterEach(() => vi.unstubAllGlobals());

function answering(make: () => Response | Promise<Response>) {
  const asked = vi.fn<typeof fetch>(async () => make());
  vi.stubGlobal("fetch", asked);
  return asked;
}

describe("the API", () => {
  it("writes addresses with what they need", () => {
    expect(address("stopTask", { params: { session: "s", task: "a/b" } })).toBe("/api/v1/sessions/s/tasks/a%2Fb/stop");
    expect(address("listSessions", { query: { status: ["idle", "ended"], after: null, limit: 5 } })).toBe(
      "/api/v1/sessions?status=idle&status=ended&limit=5",
    );
  });

  it("sends JSON as such, and files as they are", async () => {
    const asked = answering(() => new Response(null, { status: 204 }));
    await call("logIn", { body: { code: "c" } });
    expect(asked.mock.calls[0]![1]).toMatchObject({ body: '{"code":"c"}', headers: { "content-type": "application/json" } });
    const file = new Blob(["x"]);
    await call("uploadAttachment", { params: { session: "s" }, query: { name: "x" }, body: file });
    expect(asked.mock.calls[1]![1]?.body).toBe(file);
  });

  it("throws what the daemon says, or that it says nothing", async () => {
    answering(() => Response.json({ type: "/problems/not-found", title: "", status: 404, detail: "gone" }, { status: 404 }));
    await expect(call("getVersion", {})).rejects.toMatchObject({ message: "gone", loggedOut: false });
    answering(() => new Response("<h1>", { status: 502 }));
    await expect(call("getVersion", {})).rejects.toBeInstanceOf(Refused);
    answering(() => Promise.reject(new TypeError("failed")));
    await expect(call("getVersion", {})).rejects.toBeInstanceOf(Unreachable);
  });
});
