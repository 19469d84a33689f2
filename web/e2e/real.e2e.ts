/** The core stories with Claude Code itself: what is clicked here happens there. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { SessionRow, SessionRowPage } from "../api/types";
import { Bed, script, until } from "./bed";
import { card, composer, said, say, talk } from "./page";
import { RealCli } from "./real";

let bed: Bed;
let cli: RealCli;

beforeAll(async () => {
  cli = await RealCli.open();
  bed = await Bed.open(cli.place);
});

afterEach(async () => {
  // Each of them is a program of some size.
  const { items } = await bed.api<SessionRowPage>("GET", "/sessions?limit=200");
  for (const row of items) await bed.api("DELETE", `/sessions/${row.id}`);
  // A rule that was kept in the project's settings would be asked about in the next session.
  rmSync(cli.path(".claude"), { recursive: true, force: true });
});

afterAll(async () => {
  await bed?.close();
  await cli?.close();
  expect(bed.complaints).toEqual([]);
});

const bash = (command: string) => `tool Bash ${JSON.stringify({ command, description: "A step" })}`;
const write = (path: string, content: string) => `tool Write ${JSON.stringify({ file_path: path, content })}`;
const read = (name: string) => `tool Read ${JSON.stringify({ file_path: cli.path(name) })}`;
const row = (id: string) => bed.api<SessionRow>("GET", `/sessions/${id}`);
const rested = (id: string) => until(async () => (await row(id)).status === "idle", "the session to rest");

/** A session and a page that shows it. */
async function session(title: string, mode: string | null = null): Promise<{ id: string; page: Page }> {
  const { id } = await bed.session({ title, cwd: cli.place.cwd, profile: { mode } });
  const page = await bed.browser();
  await page.goto(`${bed.address}/s/${id}`);
  await composer(page).waitFor();
  return { id, page };
}

/** What the model was told in the end, as text. */
const heard = async () => JSON.stringify((await cli.asked()).messages);

describe("talking", () => {
  it("begins in the browser, streams, and is the same after a reload in the middle and in a second tab", async () => {
    const page = await bed.browser();
    await page.keyboard.press("Alt+n");
    await page.getByRole("combobox", { name: "Directory" }).fill(cli.place.cwd);
    await page.getByRole("textbox", { name: "Title" }).fill("The first");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "The first" }).waitFor();
    await say(page, script("think What do they want?", "chunk 3", "say This much", "hold middle", "more , and **more**."));
    await cli.held("middle");
    await said(page, "This much").waitFor();
    await page.reload();
    await said(page, "This much").waitFor();
    const second = await bed.tab(page.context());
    await second.goto(page.url());
    await said(second, "This much").waitFor();
    await cli.release("middle");
    for (const tab of [page, second]) {
      await talk(tab).locator("strong", { hasText: "more" }).waitFor();
      expect(await said(tab, "This much, and more.").count()).toBe(1);
    }
    // What was said is found from everywhere.
    await rested(page.url().split("/s/")[1]!);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("This much");
    await page.getByRole("navigation", { name: "Sessions" }).locator("mark", { hasText: "This" }).first().waitFor();
  });

  it("is interrupted, and goes on", async () => {
    const { page } = await session("Interrupt");
    await say(page, script("chunk 4", "say It begins", "hold never", 'more " and goes on."'));
    await cli.held("never");
    await said(page, "It begins").waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await cli.abandoned("never");
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
    await say(page, script("say Here I am."));
    await said(page, "Here I am.").waitFor();
    expect(await said(page, "It begins and goes on.").count()).toBe(0);
  });

  it("shows the model a picture that was pasted", async () => {
    const { page } = await session("Picture");
    await composer(page).evaluate((element) => {
      const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(pixel), (letter) => letter.charCodeAt(0))], "red.png", { type: "image/png" }));
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await page.getByRole("list", { name: "Attached files" }).getByRole("listitem").waitFor();
    await say(page, script("say Red."));
    await said(page, "Red.").waitFor();
    const seen = (await cli.asked()).messages.flatMap(({ content }) => (Array.isArray(content) ? (content as { type: string }[]) : []));
    expect(seen.filter((block) => block.type === "image")).toHaveLength(1);
  });
});

describe("requests", () => {
  it("a change is looked at, then made", async () => {
    writeFileSync(cli.path("colours.txt"), "red\ngreen\n");
    const { page } = await session("Edit");
    const edit = `tool Edit ${JSON.stringify({ file_path: cli.path("colours.txt"), old_string: "green", new_string: "blue" })}`;
    await say(page, script(read("colours.txt"), "---", edit, "---", "say Painted."));
    await card(page).getByText("Make this change?").waitFor();
    const diff = card(page).getByRole("region", { name: /Change to/ });
    await diff.getByText("green").waitFor();
    await diff.getByText("blue").waitFor();
    expect(cli.read("colours.txt")).toBe("red\ngreen\n");
    await page.keyboard.press("y");
    await said(page, "Painted.").waitFor();
    expect(cli.read("colours.txt")).toBe("red\nblue\n");
    await talk(page).getByText("Allowed by e2e").waitFor();
  });

  it("a command is denied, and the model hears why", async () => {
    const { page } = await session("Deny");
    await say(page, script(bash("touch unwanted"), "---", "say As you wish."));
    await card(page).getByText("Run this command?").waitFor();
    await card(page).getByRole("button", { name: "Deny…" }).click();
    await page.getByRole("textbox", { name: "What should be done instead?" }).fill("Use the other one.");
    await page.keyboard.press("Enter");
    await said(page, "As you wish.").waitFor();
    expect(cli.read("unwanted")).toBeNull();
    expect(await heard()).toContain("Use the other one.");
  });

  it("a rule is kept where it was told to, and holds from then on", async () => {
    const { page } = await session("Always");
    await say(page, script(bash("touch first"), "---", bash("touch second"), "---", "say Both touched."));
    await card(page).getByRole("button", { name: "Always…" }).click();
    await card(page).getByRole("textbox", { name: "Rule for Bash" }).fill("touch:*");
    await card(page).getByRole("combobox", { name: "Where" }).selectOption("this project (shared)");
    await card(page).getByRole("button", { name: "Always allow" }).click();
    await said(page, "Both touched.").waitFor();
    expect(cli.read("first")).toBe("");
    expect(cli.read("second")).toBe("");
    await talk(page).getByText("always Bash(touch:*) in this project (shared)").waitFor();
    expect(JSON.parse(cli.read(".claude/settings.json") ?? "{}")).toMatchObject({ permissions: { allow: ["Bash(touch:*)"] } });
    writeFileSync(cli.path(".claude/settings.json"), "{}");
  });

  it("one is still open after the daemon was away, and can be answered", async () => {
    const { page } = await session("Restart");
    await say(page, script(bash("mkdir survived"), "---", "say Survived."));
    await card(page).waitFor();
    await bed.stop();
    await page.getByText("Not connected.").waitFor();
    await bed.start();
    await page.getByText("Not connected.").waitFor({ state: "detached" });
    await card(page).getByRole("button", { name: "Allow" }).click();
    await said(page, "Survived.").waitFor();
  });

  it("a question is answered", async () => {
    const { page } = await session("Question");
    const options = ["Red", "Blue"].map((label) => ({ label, description: `It is ${label}` }));
    const questions = [{ question: "Which colour?", header: "Colour", multiSelect: false, options }];
    await say(page, script(`tool AskUserQuestion ${JSON.stringify({ questions })}`, "---", "say Thank you."));
    await card(page).getByRole("radio", { name: /Blue/ }).check();
    await card(page).getByRole("button", { name: "Answer" }).click();
    await said(page, "Thank you.").waitFor();
    const told = await heard();
    expect(told).toContain("Which colour?");
    expect(told).toContain("Blue");
  });
});

describe("an MCP server", () => {
  it("gets a form filled in", async () => {
    const asker = { command: "node", args: [join(import.meta.dirname, "asker.cjs")] };
    const profile = { mcp_servers: { asker }, allowed_tools: ["mcp__asker__ask"] };
    const { id } = await bed.session({ title: "Form", cwd: cli.place.cwd, profile });
    const page = await bed.browser();
    await page.goto(`${bed.address}/s/${id}`);
    await say(page, script("tool mcp__asker__ask {}", "---", "say Noted."));
    await card(page).getByText("Which colour, and how much of it?").waitFor();
    await card(page).getByRole("button", { name: "Send" }).click();
    await card(page).getByRole("alert").getByText("This is needed.").waitFor();
    await card(page).getByRole("combobox", { name: /Colour/ }).selectOption("blue");
    await card(page).getByRole("textbox", { name: /amount/ }).fill("3");
    await card(page).getByRole("button", { name: "Send" }).click();
    await said(page, "Noted.").waitFor();
    // What the server was given, it gives to the model.
    expect(await heard()).toContain('colour=blue amount=3');
  });
});

describe("a plan", () => {
  /** A session that has made a plan and waits for a word. The CLI tells only the model which file to write it to. */
  async function planned(title: string, plan: string, ...then: string[]): Promise<{ id: string; page: Page }> {
    const { id, page } = await session(title, "plan");
    await say(page, script("say Let me think."));
    await said(page, "Let me think.").waitFor();
    await rested(id);
    const path = /[^\s"`'(]*\/\.claude\/plans\/[^\s"`'(]*?\.md/.exec(await heard())?.[0];
    if (!path) throw new Error("the model is told of no file for its plan");
    await say(page, script(write(path, plan), "---", "tool ExitPlanMode {}", "---", ...then));
    await card(page).getByText("Is this plan good?").waitFor();
    return { id, page };
  }

  it("is carried out in a new conversation, as it was edited", async () => {
    const { id, page } = await planned("Clear context", "1. Dig **deep**.\n\n#script\nsay Dug.\n#end\n");
    const before = (await row(id)).cli_session;
    await card(page).locator("strong", { hasText: "deep" }).waitFor();
    await card(page).getByRole("button", { name: "Edit", exact: false }).first().click();
    const field = card(page).getByRole("textbox", { name: "The plan, in Markdown" });
    await field.fill((await field.inputValue()).replace("Dug.", "Dug as edited."));
    await field.press("Escape");
    await page.keyboard.press("Shift+Tab");
    await said(page, "Dug as edited.").waitFor();
    expect(await heard()).not.toContain("Let me think.");
    expect((await row(id)).cli_session).not.toBe(before);
  });

  it("is accepted, and edits go through", async () => {
    const { id, page } = await planned("Accept edits", "1. Dig.", write(cli.path("dug"), "deep\n"), "---", "say Dug at once.");
    await card(page).getByRole("button", { name: "Yes, auto-accept edits" }).click();
    await said(page, "Dug at once.").waitFor();
    expect(cli.read("dug")).toBe("deep\n");
    expect((await row(id)).mode).toBe("acceptEdits");
  });

  it("is accepted, and each edit is asked", async () => {
    const { page } = await planned("By hand", "1. Dig.", write(cli.path("by-hand"), "deep\n"), "---", "say Dug by hand.");
    await card(page).getByRole("button", { name: "Yes, manually approve edits" }).click();
    await card(page).getByText("by-hand").first().waitFor();
    expect(cli.read("by-hand")).toBeNull();
    await card(page).getByRole("button", { name: "Allow" }).click();
    await said(page, "Dug by hand.").waitFor();
    expect(cli.read("by-hand")).toBe("deep\n");
  });

  it("is sent back with words", async () => {
    const { id, page } = await planned("Feedback", "1. Dig.", "say Thinking again.");
    await card(page).getByRole("button", { name: "No, keep planning" }).click();
    await page.getByRole("textbox", { name: "What should be different?" }).fill("Fill it again.");
    await page.keyboard.press("Enter");
    await said(page, "Thinking again.").waitFor();
    expect(await heard()).toContain("Fill it again.");
    expect((await row(id)).mode).toBe("plan");
  });
});

describe("going back", () => {
  it("puts a file back, and takes the conversation with it", async () => {
    const { id, page } = await session("Rewind", "acceptEdits");
    await say(page, `First.\n${script(write(cli.path("note"), "one\n"), "---", "say One written.")}`);
    await said(page, "One written.").waitFor();
    await rested(id);
    await say(page, `Second.\n${script(read("note"), "---", write(cli.path("note"), "two\n"), "---", "say Two written.")}`);
    await said(page, "Two written.").waitFor();
    await rested(id);
    expect(cli.read("note")).toBe("two\n");
    await page.getByRole("main").getByRole("button", { name: "Session: Rewind" }).click();
    await page.getByRole("menuitem", { name: "Rewind or fork" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 file would be put back").waitFor();
    await dialog.getByRole("button", { name: "Rewind both" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(cli.read("note")).toBe("one\n");
    await until(async () => (await composer(page).inputValue()).startsWith("Second."), "the prompt to be given back");
    await say(page, script("say Otherwise."));
    await said(page, "Otherwise.").waitFor();
    const told = await heard();
    expect(told).toContain("One written.");
    expect(told).not.toContain("Two written.");
  });

  it("is not needed in a fork: it knows what was said up to there", async () => {
    const { id, page } = await session("Fork");
    for (const word of ["Early", "Late"]) {
      await say(page, script(`say ${word} words.`));
      await said(page, `${word} words.`).waitFor();
      await rested(id);
    }
    await talk(page).locator(".row", { hasText: "Early words." }).getByRole("button", { name: "Fork from here" }).last().press("Enter");
    await page.getByRole("heading", { name: "Fork (fork)" }).waitFor();
    await say(page, script("say In the copy."));
    await said(page, "In the copy.").waitFor();
    const told = await heard();
    expect(told).toContain("Early words.");
    expect(told).not.toContain("Late words.");
  });

  it("a session that was stopped is resumed, and remembers", async () => {
    const { id, page } = await session("Resume");
    await say(page, script("say Remember the walrus."));
    await said(page, "Remember the walrus.").waitFor();
    await rested(id);
    await bed.api("POST", `/sessions/${id}/stop`);
    await page.reload();
    await said(page, "Remember the walrus.").waitFor();
    await say(page, script("say I do."));
    await said(page, "I do.").waitFor();
    expect(await heard()).toContain("Remember the walrus.");
  });
});
