import { beforeEach, describe, expect, it } from "vitest";

import { Outbox, type Outgoing, type Send } from "./outbox";
import { Refused, Unreachable } from "./problem";
import { FakeWorld } from "./world.test-support";

function shelf() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

const prompt = (id: string) => ({ prompt: id, session: "s", text: id, attachments: [], urgency: "next" as const });

let world: FakeWorld;

beforeEach(() => {
  world = new FakeWorld();
});

const after = (ms: number, then: () => void) => world.after(ms, then);

/** Everything that was promised has been done. */
const settled = () => new Promise((done) => setTimeout(done, 0));

describe("the outbox", () => {
  it("sends in order, once, and keeps each until its event has come", async () => {
    const sent: string[] = [];
    let all: readonly Outgoing[] = [];
    const box = new Outbox(shelf(), (one) => Promise.resolve(void sent.push(one.prompt)), (now) => (all = now), after);
    box.add(prompt("a"));
    box.add(prompt("b"));
    await settled();
    await box.flush();
    expect(sent).toEqual(["a", "b"]);
    expect(all.map((one) => [one.prompt, one.taken])).toEqual([["a", true], ["b", true]]);
    box.forget("a");
    expect(all.map((one) => one.prompt)).toEqual(["b"]);
  });

  it("tries again with the same ids, also after a reload", async () => {
    const place = shelf();
    const sent: string[] = [];
    let away = true;
    const send: Send = async (one) => {
      sent.push(one.prompt);
      if (away) throw new Unreachable();
    };
    new Outbox(place, send, () => {}, after).add(prompt("a"));
    await settled();
    let all: readonly Outgoing[] = [];
    const again = new Outbox(place, send, (now) => (all = now), after);
    expect(all.map((one) => one.prompt)).toEqual(["a"]);
    away = false;
    await again.flush();
    expect(sent).toEqual(["a", "a"]);
    // What the daemon has is not sent a third time.
    await new Outbox(place, send, () => {}, after).flush();
    expect(sent).toHaveLength(2);
  });

  it("tries again by itself where nobody says that the daemon is back", async () => {
    const sent: string[] = [];
    const box = new Outbox(shelf(), async (one) => void (sent.push(one.prompt) === 1 && (await Promise.reject(new Unreachable()))), () => {}, after);
    box.add(prompt("a"));
    await settled();
    expect(sent).toEqual(["a"]);
    world.pass(3_000);
    await settled();
    expect(sent).toEqual(["a", "a"]);
    world.pass(60_000);
    await settled();
    expect(sent).toHaveLength(2);
  });

  it("keeps what was refused, with the reason, and goes on with the next", async () => {
    let all: readonly Outgoing[] = [];
    const refused = new Refused({ type: "", title: "", status: 422, detail: "too long" });
    const send: Send = (one) => (one.prompt === "a" ? Promise.reject(refused) : Promise.resolve());
    const box = new Outbox(shelf(), send, (now) => (all = now), after);
    box.add(prompt("a"));
    box.add(prompt("b"));
    await settled();
    expect(all.map((one) => [one.failed, one.taken])).toEqual([["too long", false], [null, true]]);
  });

  it("survives what it cannot read", () => {
    const place = shelf();
    place.setItem("pilothouse.outbox", "{");
    let all: readonly Outgoing[] | null = null;
    new Outbox(place, () => Promise.resolve(), (now) => (all = now), after);
    expect(all).toEqual([]);
  });
});
