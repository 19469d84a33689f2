import { expect, it } from "vitest";

import { Refused } from "../connection/problem";
import { goBack, type Ground, type Wanted } from "./going";

const refused = (kind: "not_running" | "not_ready") => new Refused({ type: "", title: "", status: 409, detail: kind, refusal: { kind } });

/** Everything that was done and told, in order; `but` does some of it otherwise. */
async function done(wanted: Wanted, but: Partial<Ground> = {}) {
  const steps: string[] = [];
  const step = (name: string, otherwise?: () => Promise<unknown>) => async () => {
    steps.push(name);
    await otherwise?.();
  };
  const ground: Ground = {
    putFilesBack: step("files put back", but.putFilesBack),
    runs: but.runs ?? (() => true),
    stop: step("stop", but.stop),
    ended: step("ended", but.ended),
    start: step("start", but.start),
  };
  const trouble = await goBack(wanted, ground, (stage) => steps.push(`${stage}…`)).then(() => null, String);
  return { steps, trouble };
}

const both = { files: true, talk: true };

it("puts files back, ends the run, waits for its end, and begins anew", async () => {
  const { steps } = await done(both);
  expect(steps).toEqual(["files…", "files put back", "stopping…", "stop", "ended", "starting…", "start"]);
});

it("does only what is wanted", async () => {
  expect((await done({ files: true, talk: false })).steps).toEqual(["files…", "files put back"]);
  expect((await done({ files: false, talk: true }, { runs: () => false })).steps).toEqual(["starting…", "start"]);
});

it("goes on where the run has ended by itself", async () => {
  const { steps, trouble } = await done(both, { stop: () => Promise.reject(refused("not_running")) });
  expect(trouble).toBeNull();
  expect(steps.slice(-3)).toEqual(["ended", "starting…", "start"]);
});

it("leaves the conversation alone where files cannot be put back, and the run where it cannot be ended", async () => {
  const files = await done(both, { putFilesBack: () => Promise.reject(new Error("no checkpoint")) });
  expect(files.trouble).toContain("no checkpoint");
  expect(files.steps).toEqual(["files…", "files put back", "asking…"]);
  const stop = await done(both, { stop: () => Promise.reject(refused("not_ready")) });
  expect(stop.trouble).toContain("not_ready");
  expect(stop.steps.at(-2)).toBe("stop");
});

it("does not begin before the end has come", async () => {
  const told: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((so) => (end = so));
  const nothing = () => Promise.resolve();
  const ground: Ground = { putFilesBack: nothing, runs: () => true, stop: nothing, ended: () => ended, start: nothing };
  const going = goBack({ files: false, talk: true }, ground, (stage) => told.push(stage));
  await new Promise((so) => setTimeout(so, 0));
  expect(told).toEqual(["stopping"]);
  end();
  await going;
  expect(told).toEqual(["stopping", "starting"]);
});
