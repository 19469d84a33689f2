/** Sessions beside each other: what was kept elsewhere, what runs in the background, tabs that agree, requests that are better denied. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { Bed, script, until } from "./bed";
import { card, composer, said, say, talk } from "./page";

let bed: Bed;

beforeAll(async () => {
  bed = await Bed.open();
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

const file = (name: string) => join(bed.path("work"), name);
const bash = (command: string, more = {}) => `tool Bash ${JSON.stringify({ command, ...more })}`;
const rested = (id: string) => until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "idle", "the turn to end");

async function open(page: Page, session: string) {
  await page.goto(`${bed.address}/s/${session}`);
  await composer(page).waitFor();
}

describe("conversations that the CLI has kept", () => {
  it("are found, brought in, and gone on with", async () => {
    const { id } = await bed.session({ title: "Elsewhere" });
    await bed.say(id, `When is high water?\n${script("say High water is at nine.")}`);
    await rested(id);
    await bed.api("DELETE", `/sessions/${id}`);
    const page = await bed.browser();
    await page.getByRole("button", { name: "Import conversations" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("searchbox", { name: "Filter" }).fill("no such words");
    expect(await dialog.getByRole("listitem").count()).toBe(0);
    await dialog.getByRole("searchbox", { name: "Filter" }).fill("high water");
    await dialog.getByRole("button", { name: /When is high water/ }).click();
    await dialog.waitFor({ state: "detached" });
    await said(page, "High water is at nine.").waitFor();
    await say(page, script("say And low water at three."));
    await said(page, "And low water at three.").waitFor();
    // It is not brought in twice.
    await page.goto(bed.address);
    await page.getByRole("button", { name: "Import conversations" }).first().click();
    await page.getByRole("dialog").getByText("here already").waitFor();
  });
});

/** What nobody has taken note of yet has ended too. */
function hasEnded(pid: number): boolean {
  return !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
}

describe("what runs in the background", () => {
  it("is told of after the turn, and stopped", async () => {
    const { id } = await bed.session({ title: "Tide", profile: { allowed_tools: ["Bash"] } });
    const page = await bed.browser();
    await open(page, id);
    const watch = bash("echo $$ > tide.pid; exec sleep 600", { description: "Watch the tide", run_in_background: true });
    await say(page, script(watch, "---", "say I keep an eye on it."));
    await said(page, "I keep an eye on it.").waitFor();
    await until(() => existsSync(file("tide.pid")) && readFileSync(file("tide.pid"), "utf8") !== "", "the command to run");
    const pid = Number(readFileSync(file("tide.pid"), "utf8"));
    const strip = page.getByRole("group").filter({ has: page.getByText("Watch the tide") }).last();
    await strip.getByText("Watch the tide").first().click();
    await strip.getByRole("button", { name: "Stop" }).click();
    await strip.waitFor({ state: "detached" });
    await until(() => hasEnded(pid), "the command to end");
  });
});

describe("two tabs", () => {
  it("agree on a name, who has answered, and a mode", async () => {
    const { id } = await bed.session({ title: "Before" });
    const first = await bed.browser();
    const second = await bed.tab(first.context());
    await open(first, id);
    await open(second, id);
    await first.getByRole("main").getByRole("button", { name: "Session: Before" }).click();
    await first.getByRole("menuitem", { name: "Rename" }).click();
    await first.getByRole("textbox", { name: "Title" }).fill("After");
    await first.getByRole("button", { name: "Save" }).click();
    await second.getByRole("heading", { name: "After" }).waitFor();
    await say(first, script(bash("touch agreed"), "---", "say Agreed."));
    await card(second).waitFor();
    await card(first).getByRole("button", { name: "Allow" }).click();
    await second.getByText("Answered elsewhere:").waitFor();
    for (const tab of [first, second]) await said(tab, "Agreed.").waitFor();
    expect(existsSync(file("agreed"))).toBe(true);
    await composer(second).press("Shift+Tab");
    await first.getByRole("button", { name: /^Permissions/ }).getByText("Act").waitFor();
  });
});

describe("a request that is better denied", () => {
  const asking = async (title: string, command: string) => {
    const profile = { claude: join(import.meta.dirname, "cautious.sh"), env: { SIM: join(inject("bin"), "sim") } };
    const { id } = await bed.session({ title, profile });
    return { id, go: () => bed.say(id, script(bash(command), "---", "say Over.")) };
  };

  it("is allowed by no key, and offers to deny first", async () => {
    const { id, go } = await asking("Cautious", "touch careless");
    const page = await bed.browser();
    await open(page, id);
    await go();
    await card(page).getByText("This is better denied").waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent?.trim().startsWith("Deny…"));
    await page.keyboard.press("y");
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "What should be done instead?" }).waitFor();
    await page.keyboard.press("Escape");
    expect(existsSync(file("careless"))).toBe(false);
    await card(page).getByRole("button", { name: "Allow" }).click();
    await said(page, "Over.").waitFor();
    expect(existsSync(file("careless"))).toBe(true);
  });

  it("leaves whoever writes alone", async () => {
    const { id, go } = await asking("Writing", "touch never");
    const page = await bed.browser();
    await open(page, id);
    await composer(page).fill("Just a");
    await go();
    await card(page).waitFor();
    await page.keyboard.type(" moment");
    expect(await composer(page).inputValue()).toBe("Just a moment");
    await card(page).getByRole("button", { name: "Deny and stop" }).click();
    await talk(page).getByText("and the turn stopped").waitFor();
    expect(existsSync(file("never"))).toBe(false);
  });
});
