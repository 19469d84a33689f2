/** Requests: in their session and in the queue of all, by hand and by key. */

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
/** A request whose keys work. */
const card = (page: Page) => page.locator("section[data-approval].armed");

async function open(page: Page, session: string) {
  await page.goto(`${bed.address}/s/${session}`);
  await page.getByRole("combobox", { name: "Message" }).waitFor();
}

const file = (name: string) => join(bed.path("work"), name);
const bash = (command: string) => `tool Bash ${JSON.stringify({ command })}`;
const edit = (name: string, before: string, after: string) =>
  `tool Edit ${JSON.stringify({ file_path: file(name), old_string: before, new_string: after })}`;

async function asking(title: string, ...lines: string[]): Promise<string> {
  const { id } = await bed.session({ title });
  await bed.say(id, script(...lines));
  return id;
}

describe("a request in its session", () => {
  it("shows a change as a diff, and y allows it", async () => {
    bed.write("colours.txt", "red\ngreen\n");
    const id = await asking("Diff", `tool Read {"file_path":${JSON.stringify(file("colours.txt"))}}`, "---", edit("colours.txt", "green", "blue"), "---", "say Painted.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByText("Make this change?").waitFor();
    await card(page).getByText(file("colours.txt"), { exact: true }).waitFor();
    const diff = card(page).getByRole("region", { name: /Change to/ });
    await diff.getByText("green").waitFor();
    await diff.getByText("blue").waitFor();
    expect(readFileSync(file("colours.txt"), "utf8")).toBe("red\ngreen\n");
    await page.keyboard.press("y");
    await talk(page).getByText("Painted.", { exact: true }).waitFor();
    expect(readFileSync(file("colours.txt"), "utf8")).toBe("red\nblue\n");
    await talk(page).getByText("Allowed by e2e").waitFor();
    // Who was in the composer before is there again.
    await until(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label") === "Message"), "the focus to return");
  });

  it("takes no key from somebody who writes", async () => {
    const { id } = await bed.session({ title: "Writing" });
    const page = await bed.browser();
    await open(page, id);
    await page.getByRole("combobox", { name: "Message" }).fill("wh");
    await bed.say(id, script(bash("touch typed")));
    await card(page).waitFor();
    await page.keyboard.type("y not");
    expect(await page.getByRole("combobox", { name: "Message" }).inputValue()).toBe("why not");
    expect(await card(page).count()).toBe(1);
  });

  it("is denied with a reason that the model hears", async () => {
    const id = await asking("Deny", bash("touch unwanted"), "---", "say As you wish.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByText("Run this command?").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "What should be done instead?" }).waitFor();
    await page.keyboard.type("Use the other one.");
    await page.keyboard.press("Enter");
    await talk(page).getByText("As you wish.", { exact: true }).waitFor();
    await talk(page).getByText("Denied by e2e").waitFor();
    await talk(page).getByText("Use the other one.").first().waitFor();
  });

  it("stops the turn with Escape; in a panel Escape only goes back", async () => {
    const id = await asking("Escape", bash("touch stopped"), "---", "say Not reached.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await page.keyboard.press("n");
    await page.getByRole("textbox", { name: "What should be done instead?" }).waitFor();
    await page.keyboard.press("Escape");
    await card(page).getByRole("button", { name: "Allow" }).waitFor();
    await page.keyboard.press("Escape");
    await talk(page).getByText("and the turn stopped").waitFor();
    expect(await talk(page).getByText("Not reached.", { exact: true }).count()).toBe(0);
  });

  it("is allowed with another input", async () => {
    const id = await asking("Edit", bash("touch one"), "---", "say Touched.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await page.keyboard.press("e");
    const field = card(page).getByRole("textbox", { name: "command" });
    await field.fill("touch two");
    await field.press("Control+Enter");
    await talk(page).getByText("Touched.", { exact: true }).waitFor();
    await talk(page).getByText("with a changed input").waitFor();
    expect(() => readFileSync(file("two"))).not.toThrow();
    expect(() => readFileSync(file("one"))).toThrow();
  });

  it("is always allowed: the rule, where it is kept, and what else it fits", async () => {
    const id = await asking("Always", bash("touch first"), "---", bash("touch second"), "---", bash("touch third"), "---", "say All touched.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await page.keyboard.press("y");
    await card(page).getByText("touch second", { exact: true }).first().waitFor();
    await page.keyboard.press("a");
    const rule = card(page).getByRole("textbox", { name: "Rule for Bash" });
    await rule.fill("touch:*");
    await card(page).getByText("It would also have allowed 1 call").waitFor();
    await card(page).getByText("Run touch first").waitFor();
    const where = card(page).getByRole("combobox", { name: "Where" });
    expect(await where.locator("option").allTextContents()).toEqual(["this session", "this project (just you)", "this project (shared)", "all projects"]);
    await where.selectOption("this project (shared)");
    await card(page).getByText("Saves to .claude/settings.json (shared with team)").waitFor();
    await card(page).getByRole("button", { name: "Always allow" }).click();
    await talk(page).getByText("All touched.", { exact: true }).waitFor();
    await talk(page).getByText("always Bash(touch:*) in this project (shared)").waitFor();
    expect(readFileSync(file(".claude/settings.json"), "utf8")).toContain("touch:*");
    await bed.api("DELETE", `/sessions/${id}`);
    // What is kept for the project would answer for the stories that follow.
    bed.write(".claude/settings.json", "{}");
  });

  it("that somebody else has answered says so", async () => {
    const id = await asking("Elsewhere", bash("sleep 0"), "hold elsewhere", bash("true"));
    bed.release("elsewhere");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    const { items } = await bed.api<{ items: { approval: number }[] }>("GET", `/sessions/${id}/approvals?state=open`);
    await bed.api("POST", `/sessions/${id}/approvals/${items[0]!.approval}/decision`, { kind: "deny", message: "Not now." });
    await page.getByText("Answered elsewhere:").waitFor();
  });

  it("that somebody else has answered says so, also when the turn ends in the same moment", async () => {
    const id = await asking("At once", bash("touch once"), "---", "say Over at once.");
    const page = await bed.browser();
    const line = await Line.of(page);
    await open(page, id);
    await card(page).waitFor();
    line.hold();
    const { items } = await bed.api<{ items: { approval: number }[] }>("GET", `/sessions/${id}/approvals?state=open`);
    await bed.api("POST", `/sessions/${id}/approvals/${items[0]!.approval}/decision`, { kind: "allow" });
    await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "idle", "the turn to end");
    line.release();
    await talk(page).getByText("Over at once.", { exact: true }).waitFor();
    await page.getByText("Answered elsewhere:").waitFor();
    // With the next turn it is old.
    await bed.say(id, script("say Next."));
    await talk(page).getByText("Next.", { exact: true }).waitFor();
    await page.getByText("Answered elsewhere:").waitFor({ state: "detached" });
  });

  it("that was answered here is nobody else's, also when the connection broke before the daemon said so", async () => {
    const id = await asking("Broken line", bash("touch line"), "---", "say Carried", "hold line", 'more " on."');
    const page = await bed.browser();
    const line = await Line.of(page);
    await open(page, id);
    await card(page).waitFor();
    line.hold();
    await page.keyboard.press("y");
    await until(async () => (await bed.api<{ items: unknown[] }>("GET", `/sessions/${id}/approvals?state=decided`)).items.length === 1, "the answer to arrive");
    await line.break();
    bed.release("line");
    await talk(page).getByText("Carried on.", { exact: true }).waitFor();
    await talk(page).getByText("Allowed by e2e").waitFor();
    expect(await page.getByText("Answered elsewhere:").count()).toBe(0);
    expect(await page.locator(".toast").allTextContents()).toEqual([]);
  });

  it("that is not needed any more says so", async () => {
    const id = await asking("Withdrawn", bash("touch withdrawn"));
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await card(page).waitFor({ state: "detached" });
    await talk(page).getByText("Withdrawn: the CLI does not need an answer any more").waitFor();
  });

  it("is still there after the daemon was away, and can be answered", async () => {
    const id = await asking("Restart", bash("touch survived"), "---", "say Survived.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await bed.stop();
    await page.getByText("Not connected.").waitFor();
    await bed.start();
    await page.getByText("Not connected.").waitFor({ state: "detached" });
    await card(page).getByRole("button", { name: "Allow" }).click();
    await talk(page).getByText("Survived.", { exact: true }).waitFor();
  });
});

describe("the queue", () => {
  it("walks through all sessions by key", async () => {
    const first = await asking("Queue one", bash("touch q1"), "---", "say One done.");
    // The queue is in the order of the requests, not of the sessions.
    await until(async () => (await bed.api<{ open_approvals: number }>("GET", `/sessions/${first}`)).open_approvals === 1, "the first to ask");
    const second = await asking("Queue two", bash("touch q2"), "---", "say Two done.");
    const page = await bed.browser();
    await page.getByRole("link", { name: /^Answer \d+$/ }).click();
    const list = page.getByRole("list", { name: "What waits for an answer" });
    await list.getByText("Queue two").waitFor();
    await list.getByRole("button", { name: /Queue one/ }).click();
    await card(page).getByText("touch q1", { exact: true }).first().waitFor();
    await page.keyboard.press("j");
    await card(page).getByText("touch q2", { exact: true }).first().waitFor();
    await page.keyboard.press("k");
    await card(page).getByText("touch q1", { exact: true }).first().waitFor();
    await page.keyboard.press("y");
    await list.getByText("Queue one").waitFor({ state: "detached" });
    // The next has taken its place.
    await card(page).getByText("touch q2", { exact: true }).first().waitFor();
    const { items } = await bed.api<{ items: { approval: number }[] }>("GET", `/sessions/${second}/approvals?state=open`);
    await bed.api("POST", `/sessions/${second}/approvals/${items[0]!.approval}/decision`, { kind: "deny" });
    await page.getByText(/Queue two.*answered elsewhere/).waitFor();
    await until(async () => (await bed.api<{ open_approvals: number }>("GET", `/sessions/${first}`)).open_approvals === 0, "the answer to arrive");
  });
});

describe("a request in the queue", () => {
  it("says what else a rule fits, of this rule and no other", async () => {
    const id = await asking("Fitting", bash("touch seen"), "---", bash("touch unseen"), "---", "say Fitted.");
    const page = await bed.browser();
    await page.goto(`${bed.address}/approvals`);
    await page.getByRole("list", { name: "What waits for an answer" }).getByRole("button", { name: /Fitting/ }).click();
    await card(page).getByText("touch seen", { exact: true }).first().waitFor();
    await page.keyboard.press("y");
    await page.getByRole("list", { name: "What waits for an answer" }).getByRole("button", { name: /touch unseen/ }).click();
    await card(page).getByText("touch unseen", { exact: true }).first().waitFor();
    await page.keyboard.press("a");
    await card(page).getByText("It fits nothing else").waitFor();
    const answers: (() => void)[] = [];
    await page.route("**/api/v1/policies/replay", async (route) => {
      await new Promise<void>((done) => answers.push(done));
      await route.continue();
    });
    await card(page).getByRole("textbox", { name: "Rule for Bash" }).fill("touch:*");
    await until(() => answers.length > 0, "the rule to be tried");
    expect(await card(page).getByText("It fits nothing else").count()).toBe(0);
    answers[0]!();
    await card(page).getByText("It would also have allowed 1 call").waitFor();
    await card(page).getByRole("listitem").getByText("touch seen").waitFor();
    await page.close();
    await bed.api("DELETE", `/sessions/${id}`);
  });

  it("that cannot be drawn can be denied, and the others are there", async () => {
    const id = await asking("Undrawable", bash("touch undrawn"), "---", "say Not drawn.");
    const page = await bed.browser();
    await page.route(/\/api\/v1\/approvals\?/, async (route) => {
      const response = await route.fetch();
      const told = (await response.json()) as { items: { session: string; request: { suggestions: unknown } }[] };
      for (const row of told.items) if (row.session === id) row.request.suggestions = null;
      await route.fulfill({ response, json: told });
    });
    await page.goto(`${bed.address}/approvals`);
    await page.getByRole("list", { name: "What waits for an answer" }).getByRole("button", { name: /Undrawable/ }).click();
    await card(page).getByRole("alert").getByText("This request cannot be shown").waitFor();
    await card(page).getByText("touch undrawn").first().waitFor();
    await look(page, "request-broken", "desktop-light");
    await card(page).getByRole("button", { name: "Deny", exact: true }).click();
    await until(async () => (await bed.api<{ open_approvals: number }>("GET", `/sessions/${id}`)).open_approvals === 0, "the answer to arrive");
    // It was told to whoever looks for faults, too.
    await until(() => bed.complaints.length > 0, "the fault to be told");
    expect(bed.complaints.splice(0).filter((one) => !one.includes("length"))).toEqual([]);
    await page.close();
    await bed.api("DELETE", `/sessions/${id}`);
  });
});

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  it("pictures", async () => {
    bed.write("greet.rs", 'fn main() {\n    println!("Hello");\n}\n');
    const change = edit("greet.rs", '    println!("Hello");', '    let name = std::env::args().nth(1).unwrap_or_else(|| "world".into());\n    println!("Hello, {name}");');
    const id = await asking("Greet by name", "say I will change the greeting.", `tool Read {"file_path":${JSON.stringify(file("greet.rs"))}}`, "---", change);
    const other = await asking("Clean up", bash("rm -rf target && cargo clean && find . -name '*.orig' -print -delete"));
    const page = await bed.browser(options);
    await open(page, id);
    await card(page).waitFor();
    await look(page, "approval-edit", name);
    await card(page).getByRole("button", { name: "Deny…" }).click();
    await look(page, "approval-deny", name);
    await open(page, other);
    await card(page).getByRole("button", { name: "Always…" }).click();
    await card(page).getByText(/It fits nothing else|It would also/).waitFor();
    await look(page, "approval-always", name);
    await page.goto(`${bed.address}/approvals`);
    await card(page).waitFor();
    await look(page, "queue", name);
    // It would ask for what comes next, which is taken away now.
    await page.close();
    await bed.api("DELETE", `/sessions/${id}`);
    await bed.api("DELETE", `/sessions/${other}`);
  });
});
