import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKey, keepKey, learn, proof, subprotocols } from "./key";

/** 32 bytes of 7. */
const KEY = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc";

function challenged(challenge: string): Response {
  return new Response(null, { headers: { "x-pilothouse-challenge": challenge } });
}

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  });
});

afterEach(() => {
  forgetKey();
  vi.unstubAllGlobals();
});

describe("the page key", () => {
  it("proves itself as the daemon expects", () => {
    keepKey(KEY);
    learn(challenged("challenge"));
    // The daemon's own test has the same: `a_known_proof`.
    expect(proof("GET", "/api/v1/sessions?limit=5")).toBe("challenge.tXiSScDdxGIS2qAA4TYvd0yUqx1vni9BdiHZiio58Ao");
    expect(subprotocols("/api/v1/ws")).toEqual(["pilothouse.1", `proof.${proof("GET", "/api/v1/ws")}`]);
  });

  it("proves something else for another method, path, challenge or key", () => {
    keepKey(KEY);
    learn(challenged("one"));
    const proofs = new Set([proof("GET", "/a"), proof("POST", "/a"), proof("GET", "/b")]);
    learn(new Response(null));
    proofs.add(proof("GET", "/a"));
    learn(challenged("two"));
    proofs.add(proof("GET", "/a"));
    keepKey(`A${KEY.slice(1)}`);
    proofs.add(proof("GET", "/a"));
    expect(proofs.size).toBe(5);
    for (const one of proofs) expect(one).not.toContain(KEY);
  });

  it("is shared by tabs, and gone after logging out", () => {
    learn(challenged("one"));
    expect(proof("GET", "/a")).toBeNull();
    expect(subprotocols("/api/v1/ws")).toEqual(["pilothouse.1"]);
    keepKey(KEY);
    const mine = proof("GET", "/a");
    localStorage.setItem("pilothouse.page-key", `A${KEY.slice(1)}`);
    expect(proof("GET", "/a")).not.toBe(mine);
    forgetKey();
    expect(proof("GET", "/a")).toBeNull();
  });

  it("ignores challenges and keys that cannot be sent", () => {
    keepKey(KEY);
    learn(challenged("one"));
    const before = subprotocols("/api/v1/ws");
    for (const odd of ["a b", "a,b", "a=", "", "x".repeat(300)]) learn(challenged(odd));
    expect(subprotocols("/api/v1/ws")).toEqual(before);
    for (const odd of ["", "not base64!", "AAAAA", "\u00e4"]) {
      localStorage.setItem("pilothouse.page-key", odd);
      expect(proof("GET", "/a"), odd).toBeNull();
    }
  });

  it("is the one of the latest login, also where the storage is full", () => {
    learn(challenged("one"));
    keepKey(KEY);
    const before = proof("GET", "/a");
    vi.stubGlobal("localStorage", { ...localStorage, setItem: () => { throw new DOMException("full", "QuotaExceededError"); } });
    keepKey(`A${KEY.slice(1)}`);
    expect(proof("GET", "/a")).not.toBe(before);
    expect(proof("GET", "/a")).not.toBeNull();
  });

  it("lasts as long as the page where the browser keeps nothing", () => {
    vi.stubGlobal("localStorage", undefined);
    learn(challenged("one"));
    keepKey(KEY);
    expect(proof("GET", "/a")).not.toBeNull();
  });
});
