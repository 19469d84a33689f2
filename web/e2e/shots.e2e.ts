/** The main pages as pictures, light and dark, large and small, and what axe finds wrong with them. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Bed, script } from "./bed";
import { look, LOOKS } from "./look";

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

it("the picture of the README", async () => {
  const path = join(bed.path("work"), "tide.py");
  bed.write("tide.py", 'def next_high(times, now):\n    return [t for t in times if t > now][0]\n');
  const after = "    later = [t for t in times if t > now]\n    return min(later, default=None)";
  bed.put("tide.txt", [
    "think The list may be empty after the last tide of the day, and it need not be sorted.",
    "say `next_high` takes the first time that is later than now. After the last tide of the day there is none, so it fails with an `IndexError`; and if the times are not sorted, it picks the wrong one.",
    `tool Read ${JSON.stringify({ file_path: path })}`,
    "---",
    `tool Edit ${JSON.stringify({ file_path: path, old_string: "    return [t for t in times if t > now][0]", new_string: after })}`,
  ]);
  const { id } = await bed.session({ title: "Tide after midnight", profile: { env: { SIM_SCRIPT: bed.path("tide.txt") } } });
  const page = await bed.browser();
  await page.goto(`${bed.address}/s/${id}`);
  await bed.say(id, "The tide table crashes late in the evening. Why?");
  await page.locator("section[data-approval].armed").getByText("Make this change?").waitFor();
  // Copied by hand to docs/images/approval.png: tests change nothing that is kept.
  await look(page, "readme", "desktop-light");
  await bed.api("DELETE", `/sessions/${id}`);
});

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  it("logged out", async () => {
    const page = await bed.stranger(options);
    await page.goto(bed.address);
    await page.getByText("This browser is not logged in").waitFor();
    await look(page, "login", name);
  });

  it("the list and the first page", async () => {
    const page = await bed.browser(options);
    await page.getByText("Remove the old schema").first().waitFor();
    await page.getByRole("heading", { name: /^Needs you/ }).waitFor();
    await look(page, "home", name);
    await page.getByRole("button", { name: "New", exact: false }).first().click();
    await page.getByRole("dialog").waitFor();
    await look(page, "new-session", name);
  });

  it("a conversation", async () => {
    const page = await bed.browser(options);
    await page.goto(`${bed.address}/s/${rich}`);
    await page.getByText("Shall I add a test?").first().waitFor();
    await look(page, "conversation", name);
    const scroller = page.getByRole("region", { name: "Conversation" });
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole("button", { name: "To the end" }).waitFor();
    await look(page, "conversation-top", name);
    await page.getByRole("combobox", { name: "Message" }).fill("/");
    await page.getByRole("listbox", { name: "Commands" }).waitFor();
    await look(page, "commands", name);
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
    await look(page, "at-work", name);
    bed.release(hold);
    await page.getByRole("region", { name: "Conversation" }).getByText("The store has a lock.", { exact: true }).waitFor();
    await bed.api("DELETE", `/sessions/${id}`);
  });

  it("a session in which nothing was said", async () => {
    const page = await bed.browser(options);
    const { id } = await bed.session({ title: "Empty" });
    await page.goto(`${bed.address}/s/${id}`);
    await page.getByText("Nothing has been said yet").waitFor();
    await look(page, "empty", name);
    await bed.api("DELETE", `/sessions/${id}`);
  });
});
