import { expect, it } from "vitest";

import { profileOf } from "./profile";

it("is what the session was made with, in its model and mode of now", () => {
  const settings = { model: "opus", mode: "plan", effort: "high", allow_bypass: true, add_dirs: ["/srv"] };
  expect(profileOf({ settings, model: "sonnet", mode: "acceptEdits" })).toEqual({
    profile: { model: "sonnet", mode: "acceptEdits", effort: "high", allow_bypass: true, add_dirs: ["/srv"] },
    lacks: false,
  });
  expect(profileOf({ settings, model: null, mode: null }).profile).toMatchObject({ model: "opus", mode: "plan" });
  expect(profileOf({ settings: null, model: null, mode: null })).toEqual({ profile: {}, lacks: false });
});

it("has nothing of what is hidden here", () => {
  const settings = { effort: "low", env: { KEY: "***" }, mcp_servers: { charts: { headers: { authorization: "***" } } } };
  expect(profileOf({ settings, model: null, mode: null })).toEqual({ profile: { effort: "low" }, lacks: true });
  const charts = { command: "charts", args: ["--api-key=***"] };
  const far = (url: string) => ({ mcp_servers: { far: { type: "http", url } } });
  for (const hidden of [far("https://h/mcp?key=***&v=***"), far("https://me:***@h/mcp"), far("https://h/?k=***#part"), { mcp_servers: { charts } }, { extra_args: { betas: "***", chrome: null } }]) {
    expect(profileOf({ settings: { effort: "low", ...hidden }, model: null, mode: null })).toEqual({ profile: { effort: "low" }, lacks: true });
  }
});
