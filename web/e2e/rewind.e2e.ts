/** Going back to before a prompt, and copies that end somewhere. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";

import { Bed, script, until } from "./bed";
import { Line } from "./line";
import { look, LOOKS } from "./look";

let bed: Bed;

beforeAll(async () => {
  bed = await Bed.open();
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

const talk = (page: Page) => page.getByRole("region", { name: "Conversation" });
const composer = (page: Page) => page.getByRole("combobox", { name: "Message" });
const file = (name: string) => join(bed.path("work"), name);

const write = (name: string, content: string) => `tool Write ${JSON.stringify({ file_path: file(name), content })}`;

/** A session that has written a file twice, once for each of two prompts. */
async function written(title: string, name: string): Promise<string> {
  const { id } = await bed.session({ title, profile: { mode: "acceptEdits" } });
  const idle = () => until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "idle", "the turn to end");
  await bed.say(id, `Write the first.\n${script(write(name, "one\n"), "---", "say First written.")}`);
  await idle();
  await bed.say(id, `Write the second.\n${script(`tool Read ${JSON.stringify({ file_path: file(name) })}`, "---", write(name, "two\n"), "---", "say Second written.")}`);
  await until(async () => readFileSync(file(name), "utf8") === "two\n", "the second to be written");
  await idle();
  return id;
}

async function open(page: Page, session: string) {
  await page.goto(`${bed.address}/s/${session}`);
  await composer(page).waitFor();
}

async function back(page: Page, title: string) {
  await page.getByRole("main").getByRole("button", { name: `Session: ${title}` }).click();
  await page.getByRole("menuitem", { name: "Rewind or fork" }).click();
  await page.getByRole("dialog").getByText("Back to before", { exact: true }).waitFor();
  return page.getByRole("dialog");
}

describe("going back", () => {
  it("puts files back after showing what would change", async () => {
    const id = await written("Files", "files.txt");
    const page = await bed.browser();
    await open(page, id);
    const dialog = await back(page, "Files");
    await dialog.getByText("1 file would be put back").waitFor();
    const change = dialog.getByRole("region", { name: /Change to/ });
    // From what is there to what would be there.
    await change.locator("td.text.removed", { hasText: "two" }).waitFor();
    await change.locator("td.text.added", { hasText: "one" }).waitFor();
    await dialog.getByRole("checkbox", { name: /conversation/ }).uncheck();
    await dialog.getByRole("button", { name: "Rewind the files" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(readFileSync(file("files.txt"), "utf8")).toBe("one\n");
  });

  it("takes the conversation and the files back, and gives the prompt back", async () => {
    const id = await written("Both", "both.txt");
    const page = await bed.browser();
    await open(page, id);
    await talk(page).getByRole("button", { name: "Rewind to before this" }).last().press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 file would be put back").waitFor();
    await dialog.getByRole("button", { name: "Rewind both" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(readFileSync(file("both.txt"), "utf8")).toBe("one\n");
    await until(async () => (await composer(page).inputValue()).startsWith("Write the second."), "the prompt to be in the composer");
    await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "ready", "the run to be ready");
    await composer(page).fill(script("say Otherwise."));
    await composer(page).press("Enter");
    await talk(page).getByText("Otherwise.", { exact: true }).waitFor();
  });

  it("takes the conversation back and leaves the files", async () => {
    const id = await written("Talk", "talk.txt");
    const page = await bed.browser();
    await open(page, id);
    const dialog = await back(page, "Talk");
    await dialog.getByText("1 file would be put back").waitFor();
    await dialog.getByRole("checkbox", { name: /Put the files back/ }).uncheck();
    await dialog.getByRole("button", { name: "Rewind the conversation" }).click();
    await dialog.waitFor({ state: "detached" });
    await until(async () => (await composer(page).inputValue()).startsWith("Write the second."), "the prompt to be in the composer");
    expect(readFileSync(file("talk.txt"), "utf8")).toBe("two\n");
    await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "ready", "the run to be ready");
  });

  it("is finished although whoever began it went elsewhere", async () => {
    const id = await written("Left", "left.txt");
    const page = await bed.browser();
    const line = await Line.of(page);
    await open(page, id);
    const dialog = await back(page, "Left");
    await dialog.getByText("1 file would be put back").waitFor();
    line.hold();
    await dialog.getByRole("button", { name: "Rewind both" }).click();
    await until(async () => ["dormant", "ended"].includes((await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status), "the run to end");
    // Cancelled it would be half done, so it cannot be; but one can look elsewhere.
    expect(await dialog.getByRole("button", { name: "Cancel" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Costs and tokens" }).click();
    line.release();
    await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "ready", "the run to be ready");
    await page.goBack();
    await until(async () => (await composer(page).inputValue()).startsWith("Write the second."), "the prompt to be in the composer");
  });

  it("looks once at what would change, however much is said meanwhile", async () => {
    const id = await written("Busy", "busy.txt");
    const page = await bed.browser();
    await open(page, id);
    await bed.say(id, script("chunk 1", "say Word by word by word", "hold busy", "more , and still more words come while somebody looks, one letter after the other."));
    await bed.held("busy");
    let looks = 0;
    page.on("request", (request) => (looks += Number(request.url().endsWith("/rewind"))));
    const dialog = await back(page, "Busy");
    await until(() => looks > 0, "it to be looked at what would change");
    bed.release("busy");
    await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "idle", "the turn to end");
    await talk(page).getByText(/one letter after the other\.$/).last().waitFor();
    await dialog.getByText("Looking at what would change…").waitFor({ state: "detached" });
    expect(looks).toBe(1);
  });

  it("wakes a session to look at its files", async () => {
    const id = await written("Asleep", "asleep.txt");
    await bed.api("POST", `/sessions/${id}/stop`);
    const page = await bed.browser();
    await open(page, id);
    const dialog = await back(page, "Asleep");
    await dialog.getByRole("button", { name: "Start it to look at the files" }).click();
    await dialog.getByText("1 file would be put back").waitFor();
  });
});

describe("a fork", () => {
  it("ends at any text, and the original stays", async () => {
    const id = await written("Fork", "fork.txt");
    const page = await bed.browser();
    await open(page, id);
    await talk(page).locator(".row", { hasText: "First written." }).getByRole("button", { name: "Fork from here" }).last().press("Enter");
    await page.getByRole("heading", { name: "Fork (fork)" }).waitFor();
    expect(page.url()).not.toContain(id);
    await composer(page).fill(script("say In the copy."));
    await composer(page).press("Enter");
    await talk(page).getByText("In the copy.", { exact: true }).waitFor();
    await open(page, id);
    await talk(page).getByText("Second written.", { exact: true }).waitFor();
    expect(await talk(page).getByText("In the copy.", { exact: true }).count()).toBe(0);
  });
});

describe("with a finger", () => {
  it("what can be done with a message is seen, and pressed only where it is seen", async () => {
    const id = await written("Finger", "finger.txt");
    const page = await bed.browser({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await open(page, id);
    const fork = talk(page).locator('.row[data-kind="text"]', { hasText: "Second written." }).getByRole("button", { name: "Fork from here" });
    await fork.waitFor();
    expect(await fork.evaluate((button) => getComputedStyle(button.parentElement!).opacity)).toBe("1");
    const [text, button] = [await talk(page).getByText("Second written.", { exact: true }).boundingBox(), await fork.boundingBox()];
    expect(button!.y).toBeGreaterThanOrEqual(text!.y + text!.height);
    expect(button!.height).toBeGreaterThan(40);
    await look(page, "message-actions", "phone-light");
  });

  it("but not with a mouse that is elsewhere", async () => {
    const id = await written("Mouse", "mouse.txt");
    const page = await bed.browser();
    await open(page, id);
    const row = talk(page).locator('.row[data-kind="text"]', { hasText: "First written." });
    const fork = row.getByRole("button", { name: "Fork from here" });
    const hits = () => fork.evaluate((button) => getComputedStyle(button).pointerEvents);
    await page.mouse.move(5, 5);
    await until(async () => (await hits()) === "none", "it to be out of the way");
    await talk(page).getByText("First written.", { exact: true }).hover();
    await until(async () => (await hits()) === "auto", "it to be there");
  });
});

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  it("pictures", async () => {
    const id = await written("Go back", `look-${name}.txt`);
    const page = await bed.browser(options);
    await open(page, id);
    const dialog = await back(page, "Go back");
    await dialog.getByText("1 file would be put back").waitFor();
    await look(page, "rewind", name);
    await bed.api("DELETE", `/sessions/${id}`);
  });
});
