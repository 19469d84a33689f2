/** The main pages as pictures, light and dark, large and small, and what axe finds wrong with them. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Bed, script } from "./bed";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const LOOKS = [
  { name: "desktop-light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "desktop-dark", viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  { name: "phone-light", viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true },
  { name: "phone-dark", viewport: { width: 390, height: 844 }, colorScheme: "dark", isMobile: true, hasTouch: true },
] as const;

const TODOS = [
  { content: "Read the file", status: "completed", activeForm: "Reading the file" },
  { content: "Greet by name", status: "in_progress", activeForm: "Greeting by name" },
  { content: "Write a test", status: "pending", activeForm: "Writing a test" },
];

const ANSWER = `The program now greets by **name**.

- without an argument it says \`Hello, world\`
- with one it says that

\`\`\`rust
let name = std::env::args().nth(1);
\`\`\`

| argument | greeting |
|---|---|
| none | Hello, world |
| Ada | Hello, Ada |

Shall I add a test?`;

let bed: Bed;
let rich: string;

beforeAll(async () => {
  bed = await Bed.open();
  bed.write("greet.rs", 'fn main() {\n    println!("Hello");\n}\n');
  const file = JSON.stringify(join(bed.path("work"), "greet.rs"));
  const env = { SIM_SCRIPT: bed.path("demo.txt") };
  const profile = { mode: "acceptEdits", allowed_tools: ["Bash", "TodoWrite"], env };
  bed.put("demo.txt", [
    "think The user wants a greeting by name. I look at the file first, then change it.",
    "say I will look at the file first.",
    `tool Read {"file_path":${file}}`,
    "---",
    `tool Edit {"file_path":${file},"old_string":"    println!(\\"Hello\\");","new_string":"    let name = std::env::args().nth(1).unwrap_or_else(|| \\"world\\".into());\\n    println!(\\"Hello, {name}\\");"}`,
    'tool Bash {"command":"ls -1 && echo done","description":"List the files"}',
    "---",
    `tool TodoWrite ${JSON.stringify({ todos: TODOS })}`,
    "---",
    `say ${JSON.stringify(ANSWER)}`,
  ]);
  rich = (await bed.session({ title: "Greet by name", profile, tags: ["demo"] })).id;
  await bed.session({ title: "Flaky test in the store" });
  const asking = await bed.session({ title: "Remove the old schema" });
  await bed.say(rich, "Let the program greet whoever it is told to, and the world if nobody is named.");
  await bed.say(asking.id, script('tool Bash {"command":"rm -rf schema/v1","description":"Remove the old schema"}'));
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  return violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

/** Buttons that stand outside of the window, where nobody can press them. */
function outside(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("main button, dialog button")]
      .filter((button) => button.checkVisibility() && !button.closest("[popover], .pickers, pre, table"))
      .filter((button) => button.getBoundingClientRect().right > innerWidth + 1)
      .map((button) => button.outerHTML.slice(0, 120)),
  );
}

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  async function look(page: Page, what: string) {
    // Moving things are looked at when they rest.
    await page.evaluate(() => Promise.all(document.getAnimations().filter((one) => one.effect?.getTiming().iterations !== Infinity).map((one) => one.finished)));
    expect(await outside(page), what).toEqual([]);
    await page.screenshot({ path: join(import.meta.dirname, `shots/${what}-${name}.png`) });
    expect(await serious(page), what).toEqual([]);
  }

  it("logged out", async () => {
    const page = await bed.stranger(options);
    await page.goto(bed.address);
    await page.getByText("This browser is not logged in").waitFor();
    await look(page, "login");
  });

  it("the list and the first page", async () => {
    const page = await bed.browser(options);
    await page.getByText("Remove the old schema").first().waitFor();
    await page.getByRole("heading", { name: /^Needs you/ }).waitFor();
    await look(page, "home");
    await page.getByRole("button", { name: "New", exact: false }).first().click();
    await page.getByRole("dialog").waitFor();
    await look(page, "new-session");
  });

  it("a conversation", async () => {
    const page = await bed.browser(options);
    await page.goto(`${bed.address}/s/${rich}`);
    await page.getByText("Shall I add a test?").first().waitFor();
    await look(page, "conversation");
    const scroller = page.getByRole("region", { name: "Conversation" });
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole("button", { name: "To the end" }).waitFor();
    await look(page, "conversation-top");
    await page.getByRole("combobox", { name: "Message" }).fill("/");
    await page.getByRole("listbox", { name: "Commands" }).waitFor();
    await look(page, "commands");
  });

  it("a turn at work, with what waits", async () => {
    const hold = `work-${name}`;
    const { id } = await bed.session({ title: "At work" });
    const page = await bed.browser(options);
    await page.goto(`${bed.address}/s/${id}`);
    await bed.say(id, script("think First I have to see how it is done elsewhere.", "say The store has", `hold ${hold}`, 'more " a lock."'));
    await bed.held(hold);
    await bed.say(id, "And write down what you found.");
    await page.getByRole("list", { name: "Waiting to be heard" }).waitFor();
    await look(page, "at-work");
    bed.release(hold);
    await page.getByRole("region", { name: "Conversation" }).getByText("The store has a lock.", { exact: true }).waitFor();
    await bed.api("DELETE", `/sessions/${id}`);
  });

  it("a session in which nothing was said", async () => {
    const page = await bed.browser(options);
    const { id } = await bed.session({ title: "Empty" });
    await page.goto(`${bed.address}/s/${id}`);
    await page.getByText("Nothing has been said yet").waitFor();
    await look(page, "empty");
    await bed.api("DELETE", `/sessions/${id}`);
  });
});
