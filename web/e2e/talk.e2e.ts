/** The core stories: log in, create, say, stream, reload, stop, two tabs, a daemon that goes and comes. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";

import type { SessionRowPage } from "../api/types";
import { Bed, script, until } from "./bed";

let bed: Bed;

beforeAll(async () => {
  bed = await Bed.open();
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

const composer = (page: Page) => page.getByRole("combobox", { name: "Message" });
const talk = (page: Page) => page.getByRole("region", { name: "Conversation" });

async function say(page: Page, text: string) {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

async function open(page: Page, session: string) {
  await page.goto(`${bed.address}/s/${session}`);
  await composer(page).waitFor();
}

/** Waits until a text is there, and says how often. */
async function count(page: Page, text: string): Promise<number> {
  await talk(page).getByText(text, { exact: true }).first().waitFor();
  return talk(page).getByText(text, { exact: true }).count();
}

describe("logging in", () => {
  it("works once with a link, and leaves nothing of it in the address", async () => {
    const link = await bed.link();
    const page = await bed.stranger();
    await page.goto(bed.address);
    await page.getByText("pilothouse login").waitFor();
    await page.goto(link);
    await page.waitForURL(`${bed.address}/`);
    await page.getByRole("heading", { name: "All quiet" }).waitFor();
    await page.goBack();
    expect(page.url()).not.toContain("#");

    const second = await bed.stranger();
    await second.goto(link);
    await second.getByRole("alert").getByText("was used already").waitFor();
    // Pasted links work too.
    await second.getByRole("textbox", { name: "Login link" }).fill(await bed.link());
    await second.getByRole("button", { name: "Log in" }).click();
    await second.getByRole("heading", { name: "All quiet" }).waitFor();
  });

  it("holds although an answer from before it comes late", async () => {
    const page = await bed.stranger();
    let answer = () => {};
    const late = new Promise<void>((done) => (answer = done));
    let asked = 0;
    await page.route("**/api/v1/login", async (route) => {
      if (route.request().method() !== "GET" || (asked += 1) > 1) return route.continue();
      const response = await route.fetch();
      expect(response.status()).toBe(401);
      await late;
      await route.fulfill({ response });
    });
    await page.goto(await bed.link());
    await page.getByRole("heading", { name: "All quiet" }).waitFor();
    const refused = page.waitForResponse((response) => response.status() === 401);
    answer();
    await (await refused).finished();
    // The page has had its turn.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.getByRole("heading", { name: "All quiet" }).waitFor();
  });

  it("ends where one logs out", async () => {
    const page = await bed.browser();
    await page.getByRole("button", { name: "Appearance and account" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.getByText("This browser is not logged in").waitFor();
    await page.reload();
    await page.getByText("This browser is not logged in").waitFor();
  });
});

describe("a session", () => {
  it("is created, and streams what the model says", async () => {
    const page = await bed.browser();
    await page.keyboard.press("Alt+n");
    await page.getByRole("combobox", { name: "Directory" }).fill("/nowhere/at/all");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("combobox", { name: "Directory" }).fill(bed.path("work"));
    await page.getByRole("textbox", { name: "Title" }).fill("The first");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "The first" }).waitFor();
    await page.getByText("Nothing has been said yet").waitFor();

    await say(page, script("chunk 3", "say This much", "hold middle", "more , and **more**."));
    await talk(page).getByText("This much").last().waitFor();
    await bed.held("middle");
    bed.release("middle");
    await talk(page).locator("strong", { hasText: "more" }).waitFor();
    expect(await count(page, "This much, and more.")).toBe(1);
    expect(await composer(page).inputValue()).toBe("");
  });

  it("is given a directory that was looked for by keys alone", async () => {
    for (const name of ["boats/dinghy", "boats/ketch", "bells"]) mkdirSync(join(bed.path("home"), name), { recursive: true });
    const page = await bed.browser();
    await page.keyboard.press("Alt+n");
    const field = page.getByRole("combobox", { name: "Directory" });
    await field.fill("");
    const offered = page.getByRole("listbox", { name: "Directories" });
    await offered.getByRole("option", { name: "boats" }).waitFor();
    await offered.getByRole("group", { name: "Recent directories" }).getByRole("option", { name: bed.path("work") }).waitFor();
    await field.pressSequentially(`${bed.path("home")}/bo`);
    // Faster than the answer, or not: both complete it.
    await page.keyboard.press("Tab");
    await until(async () => (await field.inputValue()).endsWith("/home/boats/"), "the name to be completed");
    await offered.getByRole("option", { name: "ketch" }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).toMatch(/boats\/ketch\/$/);
    await page.keyboard.press("Enter");
    await page.getByText("Nothing has been said yet").waitFor();
    const { items } = await bed.api<SessionRowPage>("GET", "/sessions?limit=5");
    expect(items.some((row) => row.cwd.endsWith("/boats/ketch"))).toBe(true);
  });

  it("is the same after a reload in the middle", async () => {
    const { id } = await bed.session({ title: "Reload" });
    const page = await bed.browser();
    await open(page, id);
    await say(page, script("chunk 2", "say Half of", "hold reload", 'more " a sentence."'));
    await bed.held("reload");
    await talk(page).getByText("Half of", { exact: true }).waitFor();
    await page.reload();
    await talk(page).getByText("Half of", { exact: true }).waitFor();
    bed.release("reload");
    expect(await count(page, "Half of a sentence.")).toBe(1);
    expect(await talk(page).getByText("Go on.").count()).toBe(1);
  });

  it("stops when it is told to", async () => {
    const { id } = await bed.session({ title: "Stop" });
    const page = await bed.browser();
    await open(page, id);
    await say(page, script("chunk 4", "say It begins", "hold never", 'more " and goes on."'));
    await bed.held("never");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
    await talk(page).getByText("It begins", { exact: true }).waitFor();
    expect(await talk(page).getByText("It begins and goes on.", { exact: true }).count()).toBe(0);
    // And can be spoken to again.
    await say(page, script("say Here I am."));
    expect(await count(page, "Here I am.")).toBe(1);
  });

  it("is seen alike in two tabs, with what waits", async () => {
    const { id } = await bed.session({ title: "Two tabs" });
    const first = await bed.browser();
    const second = await bed.tab(first.context());
    await open(first, id);
    await open(second, id);
    await say(first, script("say One.", "hold two", 'more " Two."'));
    await bed.held("two");
    await talk(second).getByText("One.", { exact: true }).waitFor();

    await say(second, "Not this.");
    await say(second, script("say Heard."));
    const queue = first.getByRole("list", { name: "Waiting to be heard" });
    await queue.getByText("Not this.").waitFor();
    await queue.getByRole("listitem").filter({ hasText: "Not this." }).getByRole("button", { name: "Cancel" }).click();
    await second.getByRole("list", { name: "Waiting to be heard" }).getByText("Not this.").waitFor({ state: "detached" });
    // What was taken back is in the composer of who took it back.
    expect(await composer(first).inputValue()).toBe("Not this.");

    bed.release("two");
    expect(await count(first, "Heard.")).toBe(1);
    expect(await count(second, "Heard.")).toBe(1);
    expect(await talk(second).getByText("Not this.").count()).toBe(0);
  });

  it("goes on while the daemon is away, and what is said meanwhile arrives once", async () => {
    const { id } = await bed.session({ title: "Away" });
    const page = await bed.browser();
    await open(page, id);
    await say(page, script("say Before", "hold away", 'more " and after."'));
    await bed.held("away");
    await talk(page).getByText("Before", { exact: true }).waitFor();
    await bed.stop();
    await page.getByText("Not connected.").waitFor();
    await talk(page).getByText("Before", { exact: true }).waitFor();
    await say(page, script("say Late but heard."));
    await talk(page).getByText("Waits for the connection").waitFor();
    bed.release("away");
    await bed.start();
    expect(await count(page, "Before and after.")).toBe(1);
    expect(await count(page, "Late but heard.")).toBe(1);
    await page.getByText("Not connected.").waitFor({ state: "detached" });
    const { items } = await bed.api<{ items: { type: string }[] }>("GET", `/sessions/${id}/events`);
    expect(items.filter((event) => event.type === "user_message")).toHaveLength(2);
  });
});

describe("the list", () => {
  it("shows what happens elsewhere, and finds what was said", async () => {
    const page = await bed.browser();
    const { id } = await bed.session({ title: "Elsewhere", tags: ["blue"] });
    const nav = page.getByRole("navigation", { name: "Sessions" });
    await nav.getByText("Elsewhere", { exact: true }).waitFor();
    await bed.say(id, script("say A walrus was seen."));
    await nav.getByRole("img", { name: "Idle, unread" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("walrus");
    await nav.locator("mark", { hasText: "walrus" }).first().click();
    await talk(page).getByText("A walrus was seen.", { exact: true }).waitFor();
    // Looked at, it is read; here and for everybody.
    await until(async () => !(await bed.api<{ unread: boolean }>("GET", `/sessions/${id}`)).unread, "the session to be read");
    await page.getByRole("searchbox").fill("blue");
    await nav.getByRole("link", { name: /Elsewhere/ }).first().waitFor();
  });

  it("renames, archives and deletes", async () => {
    const { id } = await bed.session({ title: "Old name" });
    const page = await bed.browser();
    await open(page, id);
    const menu = page.getByRole("main").getByRole("button", { name: "Session: Old name" });
    await menu.click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("New name");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "New name" }).waitFor();
    const renamed = page.getByRole("main").getByRole("button", { name: "Session: New name" });
    await renamed.click();
    await page.getByRole("menuitem", { name: "Archive" }).click();
    const nav = page.getByRole("navigation", { name: "Sessions" });
    await nav.getByText("New name", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show archived sessions" }).click();
    await nav.getByText("New name", { exact: true }).click();
    await renamed.click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await nav.getByText("New name", { exact: true }).waitFor({ state: "detached" });
  });
});
