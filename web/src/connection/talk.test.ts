import { beforeEach, describe, expect, it, vi } from "vitest";

import type { ServerMessage } from "../../api/types";
import { Refused, Unreachable } from "./problem";
import type { SocketState } from "./socket";
import { Talk } from "./talk";
import { FakeWorld } from "./world.test-support";

let world: FakeWorld;
let states: SocketState["kind"][];
let talk: Talk;

beforeEach(() => {
  world = new FakeWorld();
  states = [];
  talk = new Talk(world, (state) => states.push(state.kind));
});

function connected() {
  talk.connect();
  world.socket.onopen?.();
  return world.socket;
}

const problem = { type: "/problems/conflict", title: "", status: 409, detail: "no" };

describe("the socket", () => {
  it("comes back after ever longer waits, of at most ten seconds", () => {
    connected();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const before = world.sockets.length;
      world.socket.onclose?.();
      const began = world.time;
      while (world.sockets.length === before) world.pass(50);
      waits.push(world.time - began);
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
    world.socket.onopen?.();
    world.socket.onclose?.();
    world.pass(250);
    expect(states.at(-1)).toBe("connecting");
  });

  it("gives up on a host that does not answer", () => {
    talk.connect();
    const first = world.socket;
    world.pass(8000);
    expect(first.closed).toBe(true);
    expect(states.at(-1)).toBe("waiting");
  });

  it("notices that nobody is there any more", () => {
    const socket = connected();
    world.pass(20_000);
    expect(socket.said).toEqual([{ op: "ping", id: expect.any(Number) as number }]);
    socket.tell({ type: "reply", id: 1 });
    world.pass(19_000);
    expect(states.at(-1)).toBe("open");
    world.pass(1000 + 8000);
    expect(socket.closed).toBe(true);
    expect(states.at(-1)).toBe("waiting");
  });

  it("connects at once when it is asked to look", () => {
    connected().onclose?.();
    talk.check();
    expect(world.sockets).toHaveLength(2);
    talk.check();
    expect(world.sockets).toHaveLength(2);
  });

  it("hears nothing of a socket that it has left", () => {
    const heard = vi.fn<(messages: readonly ServerMessage[]) => void>();
    talk.watch({ session: "s", after: () => 0, heard });
    const old = connected();
    const speak = old.onmessage!;
    old.onclose?.();
    speak({ data: JSON.stringify([{ type: "lagged", session: "s" }]) });
    expect(heard).not.toHaveBeenCalled();
  });
});

describe("watching", () => {
  it("subscribes anew from where it was", () => {
    let after = 0;
    talk.watch({ session: "s", after: () => after, heard: () => {} });
    expect(connected().said).toEqual([{ op: "subscribe", session: "s", after: 0 }]);
    after = 41;
    world.socket.onclose?.();
    world.pass(250);
    world.socket.onopen?.();
    expect(world.socket.said).toEqual([{ op: "subscribe", session: "s", after: 41 }]);
  });

  it("hands on everything of a message at once, to whom it concerns", () => {
    const first = vi.fn<(messages: readonly ServerMessage[]) => void>();
    const second = vi.fn<(messages: readonly ServerMessage[]) => void>();
    talk.watch({ session: "a", after: () => 0, heard: first });
    const stop = talk.watch({ session: "b", after: () => 0, heard: second });
    const socket = connected();
    const lagged = (session: string): ServerMessage => ({ type: "lagged", session });
    socket.tell(lagged("a"), lagged("b"), lagged("a"), lagged("c"));
    expect(first.mock.calls).toEqual([[[lagged("a"), lagged("a")]]]);
    expect(second).toHaveBeenCalledOnce();
    stop();
    expect(socket.said.at(-1)).toEqual({ op: "unsubscribe", session: "b" });
    socket.tell(lagged("b"));
    expect(second).toHaveBeenCalledOnce();
  });

  it("watches the list again after each break", () => {
    const heard = vi.fn<(message: ServerMessage) => void>();
    talk.watchList({ heard });
    expect(connected().said).toEqual([{ op: "watch_list" }]);
    world.socket.onclose?.();
    world.pass(250);
    world.socket.onopen?.();
    expect(world.socket.said).toEqual([{ op: "watch_list" }]);
    world.socket.tell({ type: "list_lagged" });
    expect(heard.mock.calls).toEqual([[{ type: "list_lagged" }]]);
  });
});

describe("orders", () => {
  it("are answered by their ids", async () => {
    const socket = connected();
    const first = talk.order("s", { do: "interrupt" });
    const second = talk.order("s", { do: "stop" });
    const [a, b] = socket.said as { id: number }[];
    socket.tell({ type: "reply", id: b!.id, problem }, { type: "reply", id: a!.id, result: 7 });
    await expect(first).resolves.toBe(7);
    await expect(second).rejects.toBeInstanceOf(Refused);
  });

  it("that mean the same twice are given again after a break, others fail", async () => {
    connected();
    const mode = talk.order("s", { do: "set_mode", mode: "plan" });
    const stop = talk.order("s", { do: "interrupt" });
    world.socket.onclose?.();
    world.pass(250);
    world.socket.onopen?.();
    await expect(stop).rejects.toBeInstanceOf(Unreachable);
    const [again] = world.socket.said as { id: number }[];
    expect(world.socket.said).toMatchObject([{ op: "command", command: { do: "set_mode" } }]);
    world.socket.tell({ type: "reply", id: again!.id });
    await expect(mode).resolves.toBeUndefined();
  });

  it("that were given again say so when they are refused", async () => {
    const decide = () => talk.order("s", { do: "decide", approval: 1, decision: { kind: "allow" } });
    const refusals = () => world.socket.said.map((said) => ({ type: "reply" as const, id: (said as { id: number }).id, problem }));
    const early = decide();
    connected();
    const late = decide();
    world.socket.tell(refusals()[0]!);
    // It waited for the first socket: this was its first time.
    await expect(early).rejects.toMatchObject({ repeated: false });
    world.socket.onclose?.();
    world.pass(250);
    world.socket.onopen?.();
    world.socket.tell(...refusals());
    await expect(late).rejects.toMatchObject({ repeated: true });
  });

  it("fail at once where nobody listens, unless they can wait", async () => {
    await expect(talk.order("s", { do: "interrupt" })).rejects.toBeInstanceOf(Unreachable);
    const waits = talk.order("s", { do: "prompt", content: "hi", key: "k" });
    connected();
    expect(world.socket.said).toMatchObject([{ command: { key: "k" } }]);
    talk.close();
    await expect(waits).rejects.toBeInstanceOf(Unreachable);
  });
});
