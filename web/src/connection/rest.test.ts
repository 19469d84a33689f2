import { afterEach, describe, expect, it, vi } from "vitest";

import { forgetKey, keepKey } from "./key";
import { Refused, Unreachable } from "./problem";
import { address, call } from "./rest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

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

  it("proves its key, and once more where the challenge is a new one", async () => {
    const asked: (string | null)[] = [];
    let [challenge, status] = ["one", 401];
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
      const proof = new Headers(init.headers).get("x-pilothouse-proof");
      asked.push(proof?.split(".")[0] ?? null);
      const isRight = proof?.startsWith(`${challenge}.`) && status === 401;
      const headers = { "x-pilothouse-challenge": challenge };
      return isRight ? new Response(null, { status: 204, headers }) : Response.json({ status, detail: "no" }, { status, headers });
    });
    keepKey("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc");
    await call("getVersion", {});
    await call("getVersion", {});
    challenge = "two";
    await call("getVersion", {});
    expect(asked.splice(0)).toEqual(["none", "one", "one", "one", "two"]);
    // Only what was refused for lack of a proof is asked again.
    [challenge, status] = ["three", 409];
    await expect(call("getVersion", {})).rejects.toBeInstanceOf(Refused);
    expect(asked).toEqual(["two"]);
    forgetKey();
  });

  it("proves its key again for every request that met the new challenge", async () => {
    const waiting: (() => void)[] = [];
    let challenge = "before";
    vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
      const isRight = new Headers(init.headers).get("x-pilothouse-proof")?.startsWith(`${challenge}.`) === true;
      const answer = isRight ? new Response(null, { status: 204, headers: { "x-pilothouse-challenge": challenge } }) : Response.json({ status: 401, detail: "no" }, { status: 401, headers: { "x-pilothouse-challenge": challenge } });
      if (!isRight) await new Promise<void>((done) => waiting.push(done));
      return answer;
    });
    keepKey("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc");
    challenge = "after";
    const both = Promise.all([call("getVersion", {}), call("whoAmI", {})]);
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    for (const answer of waiting) answer();
    await both;
    forgetKey();
  });

  it("throws what the daemon says, or that it says nothing", async () => {
    answering(() => Response.json({ type: "/problems/not-found", title: "", status: 404, detail: "gone" }, { status: 404 }));
    await expect(call("getVersion", {})).rejects.toMatchObject({ message: "gone", loggedOut: false });
    answering(() => new Response("<h1>", { status: 502 }));
    await expect(call("getVersion", {})).rejects.toBeInstanceOf(Refused);
    answering(() => Promise.reject(new TypeError("failed")));
    await expect(call("getVersion", {})).rejects.toBeInstanceOf(Unreachable);
  });

  it("does not wait for ever, but longer for what is long", async () => {
    vi.useFakeTimers();
    // Answers nothing, until it is told to leave it.
    vi.stubGlobal("fetch", (_: string, { signal }: { signal: AbortSignal }) => new Promise((_done, failed) => signal.addEventListener("abort", () => failed(signal.reason))));
    const ends: string[] = [];
    const waits = (name: string, answer: Promise<unknown>) => answer.catch((error: unknown) => ends.push(`${name} ${error instanceof Unreachable}`));
    const left = new AbortController();
    void waits("quick", call("listSessions", {}));
    void waits("long", call("uploadAttachment", { params: { session: "s" }, query: { name: "x" }, body: new Blob(["x"]) }));
    void waits("left", call("getVersion", { signal: left.signal }));
    left.abort();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ends).toEqual(["left false", "quick true"]);
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(ends).toEqual(["left false", "quick true", "long true"]);
  });
});
