/** Sessions beside each other: what was kept elsewhere, what runs in the background, tabs that agree, requests that are better denied. */

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { Bed, script, until } from "./bed";
import { look } from "./look";
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

describe("what the CLI has kept", () => {
  it("is found by what was said, with the arrow keys alone, and brought in", async () => {
    const { id } = await bed.session({ title: "Forgotten" });
    await bed.say(id, `Where is the sextant?\n${script("say The sextant is in the locker.")}`);
    await rested(id);
    await bed.api("DELETE", `/sessions/${id}`);
    const page = await bed.browser();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("sextant");
    const nav = page.getByRole("navigation", { name: "Sessions" });
    const hit = nav.getByRole("button", { name: /import/ }).filter({ hasText: "sextant" });
    await hit.waitFor();
    await page.keyboard.press("ArrowDown");
    await until(() => hit.evaluate((button) => button === document.activeElement), "the hit to have the focus");
    await page.keyboard.press("Enter");
    await said(page, "The sextant is in the locker.").waitFor();
  });

  it("hides nothing of what is here when it cannot be searched", async () => {
    const { id } = await bed.session({ title: "Compass" });
    await bed.say(id, script("say The needle points north."));
    await rested(id);
    const page = await bed.browser();
    await page.route(/history\/search/, (route) => route.fulfill({ status: 422, json: { type: "", title: "", status: 422, detail: "The disk is asleep." } }));
    await page.keyboard.press("Control+k");
    await page.keyboard.type("needle");
    const nav = page.getByRole("navigation", { name: "Sessions" });
    await nav.getByText("The disk is asleep.").waitFor();
    await nav.locator("mark", { hasText: "needle" }).first().waitFor();
  });
});

describe("the list", () => {
  it("is walked by keys, and so are the menus in it", async () => {
    const cwd = bed.path("rail");
    mkdirSync(cwd);
    for (const title of ["Walk one", "Walk two"]) await bed.session({ title, cwd });
    const page = await bed.browser();
    const nav = page.getByRole("navigation", { name: "Sessions" });
    await nav.getByRole("link", { name: /Walk two/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("walk");
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toContain("Walk two");
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toContain("Walk one");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("search");
    const opener = nav.getByRole("button", { name: "Session: Walk one" });
    const atOnce = await opener.evaluate((button: HTMLElement) => {
      button.click();
      return document.activeElement?.textContent?.trim();
    });
    expect(atOnce, "whoever types on at once").toBe("Rename");
    await page.keyboard.press("Escape");
    await opener.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Rename" }).waitFor();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).toBe("Tags");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("textbox", { name: "Tags" }).fill("tide, tide , moon");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const line = nav.getByRole("link", { name: /Walk one/ });
    await line.getByText("moon", { exact: true }).waitFor();
    expect(await line.getByText("tide", { exact: true }).count()).toBe(1);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("moon");
    await nav.getByRole("link", { name: /Walk two/ }).waitFor({ state: "detached" });
    await line.waitFor();
  });
});

describe("a new session", () => {
  it("is begun from the composer, with a model, a mode and a policy, where the directory says and not beside it", async () => {
    const cwd = bed.path("home/app");
    for (const name of ["app", "app-old"]) mkdirSync(bed.path(`home/${name}`));
    const { id } = await bed.session({ title: "Writing on", cwd });
    const page = await bed.browser();
    await open(page, id);
    await composer(page).fill("Half a");
    await page.keyboard.press("Alt+n");
    const dialog = page.getByRole("dialog", { name: "New session" });
    const directory = dialog.getByRole("combobox", { name: "Directory" });
    await directory.fill(cwd);
    await dialog.getByRole("option", { name: "app-old" }).waitFor();
    await directory.press("Tab");
    expect(await directory.inputValue()).toBe(cwd);
    await dialog.getByRole("combobox", { name: "Permissions" }).selectOption("Plan");
    await dialog.getByRole("combobox", { name: "Model" }).fill("haiku");
    await dialog.getByRole("combobox", { name: "Policy" }).selectOption("supervised");
    await dialog.getByRole("textbox", { name: "Title" }).fill("With everything");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "With everything" }).waitFor();
    const made = new URL(page.url()).pathname.split("/").at(-1)!;
    expect(await bed.api("GET", `/sessions/${made}`)).toMatchObject({ cwd, mode: "plan", model: "haiku", policy: "supervised" });
    await page.goBack();
    await until(async () => (await composer(page).inputValue()) === "Half a", "the draft to be there");
  });
});

describe("a dialog", () => {
  it("says itself what goes wrong, and is not closed by marking text", async () => {
    const { id } = await bed.session({ title: "Unlucky" });
    const page = await bed.browser();
    await open(page, id);
    await page.getByRole("main").getByRole("button", { name: "Session: Unlucky" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    const dialog = page.getByRole("dialog");
    const title = dialog.getByRole("textbox", { name: "Title" });
    // Longer than the daemon takes.
    await title.fill("A name that is long enough to be marked. ".repeat(100));
    const box = (await title.boundingBox())!;
    await page.mouse.move(box.x + 60, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await dialog.count()).toBe(1);
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("status").getByText("500 are the most").waitFor();
    await look(page, "dialog-trouble", "desktop-light");
    await page.setViewportSize({ width: 390, height: 844 });
    await look(page, "dialog-trouble", "phone-light");
    await dialog.getByRole("button", { name: "Dismiss" }).click();
    await dialog.getByText("500 are the most").waitFor({ state: "detached" });
    await page.mouse.click(5, 5);
    await dialog.waitFor({ state: "detached" });
  });
});

describe("a session whose CLI has died", () => {
  it("needs somebody, and goes on when it is resumed", async () => {
    const { id } = await bed.session({ title: "Died", profile: { allowed_tools: ["Bash"] } });
    const page = await bed.browser();
    await open(page, id);
    // It ends who runs it.
    await say(page, script("say So far so good.", bash("kill -9 $PPID"), "---", "say Not reached."));
    await page.getByText("The run ended in the middle of its work.").waitFor();
    await page.getByRole("navigation", { name: "Sessions" }).getByRole("heading", { name: "Needs you" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("The run ended in the middle of its work.").waitFor({ state: "detached" });
    await say(page, script("say Here again."));
    await said(page, "Here again.").waitFor();
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
    // A tab that is not in front draws once a second.
    await first.bringToFront();
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
    await card(page).getByRole("button", { name: "Always…" }).waitFor();
    await page.keyboard.press("a");
    expect(await page.getByRole("button", { name: "Always allow" }).count()).toBe(0);
    // Asked for by hand, it is still not Enter that allows it for ever.
    await card(page).getByRole("button", { name: "Always…" }).click();
    await card(page).getByRole("button", { name: "Always allow" }).waitFor();
    await card(page).getByRole("textbox", { name: "Rule for Bash" }).press("Enter");
    await page.getByRole("button", { name: "Back" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("e");
    await card(page).getByRole("textbox", { name: "command" }).press("Control+Enter");
    await page.keyboard.press("Escape");
    await card(page).getByRole("button", { name: "Edit…" }).waitFor();
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
