/** Plans, with each of the four things to do with one, and questions. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Page } from "playwright-core";

import { Bed, script, until } from "./bed";
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
const card = (page: Page) => page.locator("section[data-approval].armed");

async function open(page: Page, session: string) {
  await page.goto(`${bed.address}/s/${session}`);
  await page.getByRole("combobox", { name: "Message" }).waitFor();
}

const PLAN = "# Greet by name\n\n1. Read the **argument**\n2. Print it\n\n```rust\nlet name = args().nth(1);\n```\n";

async function planning(title: string, plan: string, ...then: string[]): Promise<string> {
  const { id } = await bed.session({ title, profile: { mode: "plan" } });
  const path = join(bed.path("home"), `.claude/plans/${title.replaceAll(" ", "-")}.md`);
  await bed.say(id, script(`tool Write ${JSON.stringify({ file_path: path, content: plan })}`, "---", "tool ExitPlanMode {}", "---", ...then));
  // The simulated CLI asks about the file that the plan is kept in, too.
  const write = await asked(id, "tool");
  await bed.api("POST", `/sessions/${id}/approvals/${write}/decision`, { kind: "allow" });
  await asked(id, "plan");
  return id;
}

/** Waits until a session asks something of a kind. */
async function asked(session: string, kind: string): Promise<number> {
  let found: number | undefined;
  await until(async () => {
    const { items } = await bed.api<{ items: { approval: number; request: { subject: { kind: string } } }[] }>("GET", `/sessions/${session}/approvals?state=open`);
    found = items.find((row) => row.request.subject.kind === kind)?.approval;
    return found !== undefined;
  }, `a request of the kind ${kind}`);
  return found!;
}

const mode = async (session: string) => (await bed.api<{ mode: string | null }>("GET", `/sessions/${session}`)).mode;

describe("a plan", () => {
  it("is carried out in a new conversation with shift+tab, as it was edited", async () => {
    const id = await planning("Clear context", `${PLAN}\n#script\nsay Carried out.\n#end\n`);
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByText("Is this plan good?").waitFor();
    await card(page).locator("strong", { hasText: "argument" }).waitFor();
    await page.keyboard.press("e");
    const field = card(page).getByRole("textbox", { name: "The plan, in Markdown" });
    await field.fill((await field.inputValue()).replace("Carried out.", "Carried out as edited."));
    await field.press("Escape");
    await card(page).getByText("changed by you").waitFor();
    await page.keyboard.press("Shift+Tab");
    await talk(page).getByText("Carried out as edited.", { exact: true }).waitFor();
    expect(await mode(id)).toBe("acceptEdits");
  });

  it("is accepted, and edits go through", async () => {
    const id = await planning("Accept edits", PLAN, "say Edits go.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await page.keyboard.press("2");
    await talk(page).getByText("Edits go.", { exact: true }).waitFor();
    await until(async () => (await mode(id)) === "acceptEdits", "the mode to change");
  });

  it("is accepted, and each edit is asked", async () => {
    const id = await planning("By hand", PLAN, "say Edits are asked.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await card(page).getByRole("button", { name: "Yes, manually approve edits" }).click();
    await talk(page).getByText("Edits are asked.", { exact: true }).waitFor();
    await until(async () => (await mode(id)) === "default", "the mode to change");
  });

  it("is sent back with words", async () => {
    const id = await planning("Feedback", PLAN, "say Thinking again.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await page.keyboard.press("4");
    await page.getByRole("textbox", { name: "What should be different?" }).waitFor();
    await page.keyboard.type("Greet twice.");
    await page.keyboard.press("Enter");
    await talk(page).getByText("Thinking again.", { exact: true }).waitFor();
    await talk(page).getByText("Greet twice.").first().waitFor();
    expect(await mode(id)).toBe("plan");
  });

  it("is sent back with a picture", async () => {
    const id = await planning("Picture", PLAN, "say Not reached.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByRole("button", { name: "No, keep planning" }).click();
    const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==", "base64");
    await card(page).locator('input[type="file"]').setInputFiles({ name: "sketch.png", mimeType: "image/png", buffer: pixel });
    await card(page).getByText("sketch.png").waitFor();
    await card(page).getByRole("textbox", { name: "What should be different?" }).fill(script("say I see it."));
    await card(page).getByRole("button", { name: "Keep planning" }).click();
    await talk(page).getByText("I see it.", { exact: true }).waitFor();
    const { items } = await bed.api<{ items: { type: string; attachments?: { media_type: string }[] }[] }>("GET", `/sessions/${id}/events`);
    const said = items.findLast((event) => event.type === "user_message");
    expect(said?.attachments?.map((one) => one.media_type)).toEqual(["image/png"]);
  });
});

/** The simulated CLI enters plan mode without a word, unless it is told to ask. */
const ASKED = { permissions: { ask: ["EnterPlanMode"] } };

describe("a plan or none", () => {
  it("is stopped by a button that says so, and by its key", async () => {
    const id = await planning("Stopped", PLAN, "say Not reached.");
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByRole("button", { name: /^Stop/ }).getByText("Esc").waitFor();
    await page.keyboard.press("Escape");
    await card(page).waitFor({ state: "detached" });
    await talk(page).getByText("Not yet by e2e").waitFor();
    expect(await talk(page).getByText("Not reached.", { exact: true }).count()).toBe(0);
  });

  it("is made first where that is wanted", async () => {
    const { id } = await bed.session({ title: "Enter", profile: { settings: ASKED } });
    await bed.say(id, script("tool EnterPlanMode {}", "---", "say I look around."));
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByText("Make a plan first?").waitFor();
    await page.keyboard.press("y");
    await talk(page).getByText("I look around.", { exact: true }).waitFor();
    await until(async () => (await mode(id)) === "plan", "the mode to change");
  });

  it("is not made where it is not", async () => {
    const { id } = await bed.session({ title: "Start", profile: { settings: ASKED } });
    await bed.say(id, script("tool EnterPlanMode {}", "---", "say I begin."));
    const page = await bed.browser();
    await open(page, id);
    await card(page).waitFor();
    await page.keyboard.press("n");
    await talk(page).getByText("I begin.", { exact: true }).waitFor();
    await talk(page).getByText("start implementing now").first().waitFor();
    expect(await mode(id)).not.toBe("plan");
  });
});

describe("what is better denied", () => {
  const profile = { claude: join(import.meta.dirname, "cautious.sh"), env: { SIM: join(inject("bin"), "sim") }, settings: ASKED };

  it("is no plan that a key accepts, or a mode that a key enters", async () => {
    const { id } = await bed.session({ title: "Cautious plan", profile });
    await bed.say(id, script("tool EnterPlanMode {}", "---", "tool ExitPlanMode {}", "---", "say Over."));
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByText("This is better denied").waitFor();
    expect(await card(page).getByRole("button", { name: /enter plan mode/ }).getByText("Y", { exact: true }).count()).toBe(0);
    await page.keyboard.press("y");
    await card(page).getByRole("button", { name: /enter plan mode/ }).click();
    await card(page).getByText("Leave plan mode?").waitFor();
    await page.keyboard.press("1");
    // The second of the two is "no": it is still asked, so the first was not taken.
    await page.keyboard.press("2");
    await page.getByRole("textbox", { name: "What should be different?" }).waitFor();
    await page.keyboard.press("Escape");
    await card(page).getByRole("button", { name: /^Yes/ }).click();
    await talk(page).getByText("Over.", { exact: true }).waitFor();
  });
});

const QUESTIONS = [
  {
    question: "Which way should it greet?",
    header: "Greeting",
    multiSelect: false,
    options: [
      { label: "Formal", description: "With a title", preview: "+-----------------+\n| Good day, Ada.  |\n+-----------------+" },
      { label: "Casual", description: "With a wave", preview: "+------+\n| Hi!  |\n+------+" },
    ],
  },
];
const COLOURS = { question: "Which colours?", header: "Colours", multiSelect: true, options: [{ label: "Red", description: "Warm" }, { label: "Blue", description: "Cold" }] };

async function questioning(title: string, questions: unknown[]): Promise<string> {
  const { id } = await bed.session({ title });
  await bed.say(id, script(`tool AskUserQuestion ${JSON.stringify({ questions })}`, "---", "say Thank you."));
  return id;
}

async function answers(session: string): Promise<unknown> {
  const { items } = await bed.api<{ items: { decision: { answers: unknown } }[] }>("GET", `/sessions/${session}/approvals?state=decided`);
  return items[0]?.decision.answers;
}

describe("questions", () => {
  it("show what an answer would look like, and take it by key", async () => {
    const id = await questioning("Preview", QUESTIONS);
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByText("Which way should it greet?").waitFor();
    await card(page).getByText("Good day, Ada.").waitFor();
    await page.keyboard.press("2");
    await card(page).getByText("Hi!").waitFor();
    await page.keyboard.press("Enter");
    await talk(page).getByText("Thank you.", { exact: true }).waitFor();
    expect(await answers(id)).toMatchObject([{ question: "Which way should it greet?", answers: ["Casual"] }]);
  });

  it("can be answered where the model offers the same twice", async () => {
    const twice = { ...COLOURS, options: [...COLOURS.options, ...COLOURS.options] };
    const id = await questioning("Twice", [twice, twice]);
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByRole("checkbox", { name: /Blue/ }).first().check();
    expect(await card(page).getByRole("checkbox", { name: /Blue/ }).count()).toBe(4);
    await card(page).getByRole("button", { name: "Answer" }).click();
    await talk(page).getByText("Thank you.", { exact: true }).waitFor();
    expect(await answers(id)).toMatchObject([{ question: "Which colours?", answers: ["Blue"] }]);
  });

  it("take several answers, and words of one's own", async () => {
    const id = await questioning("Several", [COLOURS, ...QUESTIONS]);
    const page = await bed.browser();
    await open(page, id);
    await card(page).getByRole("checkbox", { name: /Blue/ }).check();
    await card(page).getByRole("checkbox", { name: /Red/ }).check();
    await card(page).getByText("1 of 2 without an answer").waitFor();
    await card(page).getByRole("textbox", { name: "Other answer to Which way should it greet?" }).fill("With a bow");
    await card(page).getByRole("button", { name: "Answer" }).click();
    await talk(page).getByText("Thank you.", { exact: true }).waitFor();
    expect(await answers(id)).toMatchObject([
      { question: "Which colours?", answers: ["Red", "Blue"] },
      { question: "Which way should it greet?", answers: ["With a bow"] },
    ]);
  });
});

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  it("pictures", async () => {
    const plan = await planning(`Greet by name ${name}`, PLAN, "say Fine.");
    const asking = await questioning("How to greet", [...QUESTIONS, COLOURS]);
    const page = await bed.browser(options);
    await open(page, plan);
    await card(page).waitFor();
    await look(page, "plan", name);
    await card(page).getByRole("button", { name: "No, keep planning" }).click();
    await look(page, "plan-feedback", name);
    await open(page, asking);
    await card(page).waitFor();
    await look(page, "question", name);
    await bed.api("DELETE", `/sessions/${plan}`);
    await bed.api("DELETE", `/sessions/${asking}`);
  });
});
