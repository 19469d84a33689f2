/** The raw view: every line, what came of it, and what nobody understood. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Bed, script, until } from "./bed";
import { look, LOOKS } from "./look";

let bed: Bed;
let session: string;

beforeAll(async () => {
  bed = await Bed.open();
  const profile = { env: { SIM_FAULT: "unknown-types" }, allowed_tools: ["Bash"] };
  session = (await bed.session({ title: "Lines", profile })).id;
  await bed.say(session, script('tool Bash {"command":"echo from-the-shell","description":"Say something"}', "---", "say Said."));
  await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${session}`)).status === "idle", "the turn to end");
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

describe("the raw view", () => {
  it("shows lines beside the events they became", async () => {
    const page = await bed.browser();
    await page.goto(`${bed.address}/s/${session}/raw`);
    const log = page.getByRole("region", { name: "Wire log" });
    const row = (text: string) => log.getByRole("button").filter({ hasText: text });
    await row("user_message").first().waitFor();
    expect(await row("user_message").first().textContent()).toContain("to the CLI");

    await page.getByRole("searchbox", { name: "Filter lines and events" }).fill("tool_update");
    await row("tool_update").first().waitFor();
    expect(await row("user_message").count()).toBe(0);
    await row("tool_update").first().click();
    await log.getByRole("region", { name: "Line" }).getByText("from-the-shell").first().waitFor();
    await log.getByRole("region", { name: "Events" }).getByText('"type": "tool_update"').waitFor();

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await log.getByRole("button", { name: "Copy line" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(JSON.parse(copied)).toMatchObject({ type: "user" });
  });

  it("marks what nobody understood", async () => {
    const page = await bed.browser();
    await page.goto(`${bed.address}/s/${session}/raw`);
    await page.getByText("Unknown", { exact: true }).click();
    const odd = page.getByRole("region", { name: "Wire log" }).getByRole("button").filter({ hasText: /#\d+ unknown/ });
    await odd.first().waitFor();
    await odd.first().click();
    await page.getByText("nobody knows this type").first().waitFor();
    await page.getByRole("searchbox", { name: "Filter lines and events" }).fill("no line has this");
    await page.getByText("No line fits").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await odd.first().waitFor();
  });

  it("follows a session that goes on", async () => {
    const page = await bed.browser();
    await page.goto(`${bed.address}/s/${session}/raw`);
    await page.getByRole("region", { name: "Wire log" }).waitFor();
    await page.getByRole("searchbox", { name: "Filter lines and events" }).fill("brand-new-words");
    await page.getByText("No line fits").waitFor();
    await bed.say(session, script("say These are brand-new-words."));
    await page.getByRole("region", { name: "Wire log" }).getByText("brand-new-words").first().waitFor();
  });
});

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  it("looks right", async () => {
    const page = await bed.browser(options);
    await page.goto(`${bed.address}/s/${session}/raw`);
    const log = page.getByRole("region", { name: "Wire log" });
    await log.getByRole("button").filter({ hasText: "run_ready" }).first().waitFor();
    await look(page, "raw", name);
    await page.getByRole("searchbox", { name: "Filter lines and events" }).fill("tool_call");
    await log.getByRole("button", { expanded: false }).first().click();
    await log.getByRole("region", { name: "Line" }).waitFor();
    await look(page, "raw-open", name);
  });
});
