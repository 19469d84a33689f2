/** Model and tool output that means harm goes through everything and does none. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { EventPage } from "../api/types";
import { Bed, script, until } from "./bed";
import { LOOKS } from "./look";

let bed: Bed;
let session: string;

const HTML = [
  `<script>window.harmed = "script"</script>`,
  `<img src=x onerror="window.harmed = 'img'">`,
  `<svg onload="window.harmed = 'svg'"><script>window.harmed = 'svg script'</script></svg>`,
  `<iframe srcdoc="<script>parent.harmed = 'frame'</script>"></iframe>`,
  `<form action="https://harm.invalid/"><input name=id><button>Send</button></form>`,
  `<a href="javascript:window.harmed='link'">a link</a>`,
  `<div style="position:fixed;inset:0;background:red">over everything</div>`,
  `<style>* { display: none }</style>`,
  `<base href="https://harm.invalid/"><meta http-equiv="refresh" content="0;url=https://harm.invalid/">`,
  `<img id="app" name="body"><a id="house" name="talk"></a>`,
].join("\n");

const MARKDOWN = [
  "[a](javascript:window.harmed='markdown')",
  "[b](data:text/html,<script>parent.harmed='data'</script>)",
  "![remote picture](https://harm.invalid/pixel.png)",
  '[c]: https://harm.invalid/ "onclick=window.harmed"',
  "<https://harm.invalid/auto>",
  `${"> ".repeat(400)}deep`,
  `${"* ".repeat(400)}nested`,
  "`".repeat(5000),
  `|${" a |".repeat(300)}\n|${"---|".repeat(300)}\n|${" b |".repeat(300)}`,
  "```html\n<script>window.harmed = 'code'</script>\n```",
  "\u202egnp.exe\u202c and \u2066hidden\u2069",
  "**".repeat(2000),
].join("\n\n");

/** Reorders what follows, and steers a terminal. */
const UNSEEN = "\u202egnp.exe\u2066\u009b2J\u0007";

const LONG = "x".repeat(300_000);
/** Each stands at the end of something, so that all before it has been drawn. */
const SEEN = ["End of the HTML.", "End of the Markdown."];

beforeAll(async () => {
  bed = await Bed.open();
  const output = `\u001b]0;title\u0007\u001b]8;;javascript:window.harmed='osc'\u0007a link\u001b]8;;\u0007 \u001b[31mred${HTML}\u001b[0m\r\u001b[2J\u001b[999;999H\u0000\u0008${LONG}\n`;
  writeFileSync(join(bed.path("work"), "hostile.txt"), output);
  const profile = { mode: "acceptEdits", allowed_tools: ["Bash", "Read"] };
  session = (await bed.session({ title: `Harm ${UNSEEN} ${HTML.slice(0, 380)}`, profile, tags: [`<img src=x onerror="window.harmed=1">${UNSEEN}`] })).id;
  await bed.say(
    session,
    [
      HTML,
      script(
        `think ${JSON.stringify(HTML + MARKDOWN)}`,
        `say ${JSON.stringify(`${HTML}\n\n${SEEN[0]}`)}`,
        `tool Bash ${JSON.stringify({ command: "cat hostile.txt", description: UNSEEN + HTML })}`,
        `tool Bash ${JSON.stringify({ command: "cat hostile.txt >&2; exit 3", description: "Fail" })}`,
        "---",
        `tool Read ${JSON.stringify({ file_path: join(bed.path("work"), "hostile.txt") })}`,
        `tool Write ${JSON.stringify({ file_path: join(bed.path("work"), `<img src=x onerror=alert(1)>${UNSEEN}.html`), content: HTML + LONG })}`,
        "---",
        `tool TodoWrite ${JSON.stringify({ todos: [1, 2, 3].map((at) => ({ id: "same", content: `Entry ${at} ${UNSEEN}`, activeForm: "Doing it", status: "pending" })) })}`,
        "---",
        `say ${JSON.stringify(`${MARKDOWN}\n\n${SEEN[1]}`)}`,
        `say ${LONG}`,
      ),
    ].join("\n"),
  );
  // A name that hides characters is one that a policy asks about.
  await bed.rest(session);
});

afterAll(async () => {
  await bed.close();
  // What the page's policy refuses would be told here too: it must not even be tried.
  expect(bed.complaints).toEqual([]);
});

/** Everything that would be harm, as sentences; none is good. */
async function harm(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { harmed } = globalThis as { harmed?: unknown };
    if (harmed !== undefined) found.push(`a script ran: ${String(harmed)}`);
    const app = document.getElementById("app");
    if (!app || document.querySelectorAll("#app").length > 1) found.push("an id is taken twice");
    for (const element of app?.querySelectorAll("*") ?? []) {
      const name = element.localName;
      if (["script", "iframe", "object", "embed", "base", "meta", "style"].includes(name)) found.push(`there is <${name}>`);
      // The composer is a form of ours.
      if (name === "form" && element.closest("[aria-label=Conversation]")) found.push("there is <form>");
      for (const { name: attribute, value } of element.attributes) {
        if (attribute.startsWith("on")) found.push(`<${name}> has ${attribute}`);
        const isAddress = attribute === "href" || attribute === "src" || attribute === "action";
        if (isAddress && /^\s*(javascript|data:text|vbscript)/i.test(value)) found.push(`<${name}> leads to ${value.slice(0, 40)}`);
        if (attribute === "src" && /^https?:\/\/harm/.test(value)) found.push(`<${name}> loads ${value}`);
      }
      if (name === "a" && element.getAttribute("href")?.startsWith("https://harm") && !element.getAttribute("rel")?.includes("noopener")) found.push("a link tells where it comes from");
    }
    // Named in titles, names and text alike.
    const unseen = /[\u202a-\u202e\u2066-\u2069]/;
    if (unseen.test(document.title)) found.push("the title is reordered");
    const texts = document.createTreeWalker(app ?? document, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode as Text;
      if (unseen.test(data)) found.push(`text in <${parentElement?.localName} class="${parentElement?.className}"> is reordered`);
    }
    for (const element of app?.querySelectorAll("[title], [aria-label]") ?? []) {
      if (unseen.test(`${element.getAttribute("title")}${element.getAttribute("aria-label")}`)) found.push(`<${element.localName}> is named by what reorders text`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
    const talk = document.querySelector("[aria-label=Conversation], [aria-label='Wire log']");
    if (talk && talk.scrollWidth > talk.clientWidth) found.push(`the conversation is ${talk.scrollWidth} wide in ${talk.clientWidth}`);
    const composer = document.querySelector("[aria-label=Message]");
    if (composer) {
      const { left, top, width, height } = composer.getBoundingClientRect();
      const there = document.elementFromPoint(left + width / 2, top + height / 2);
      if (there !== composer) found.push("something lies over the composer");
    }
    return [...new Set(found)];
  });
}

describe.each(LOOKS.filter((one) => one.name !== "desktop-dark" && one.name !== "phone-light"))("$name", ({ name, ...options }) => {
  it("no script runs, nothing is asked of others, the layout holds", async () => {
    const page = await bed.browser(options);
    const elsewhere: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(bed.address) && !url.startsWith("blob:") && !url.startsWith("data:")) elsewhere.push(url.slice(0, 100));
    });
    page.on("dialog", (dialog) => {
      elsewhere.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("popup", () => elsewhere.push("a window"));

    await page.goto(`${bed.address}/s/${session}`);
    const talk = page.getByRole("region", { name: "Conversation" });
    // The long line is folded, and is the last thing there is.
    await talk.getByText(/KiB more/).last().waitFor();
    expect(await harm(page)).toEqual([]);
    // Every item, with all that can be opened in it opened.
    const { items } = await bed.api<EventPage>("GET", `/sessions/${session}/events?limit=1000`);
    for (const event of items) {
      if (!["user_message", "reasoning", "message", "tool_call"].includes(event.type)) continue;
      await page.goto("about:blank");
      await page.goto(`${bed.address}/s/${session}#e${event.seq}`);
      await talk.locator("[data-kind]").first().waitFor();
      // What is opened may push it off the page, so it is looked for first.
      const end = event.type === "message" ? SEEN.find((words) => event.text.endsWith(words)) : undefined;
      if (end) await talk.getByText(end, { exact: true }).waitFor({ state: "attached" });
      await talk.evaluate((element) => {
        for (const closed of element.querySelectorAll<HTMLElement>("button[aria-expanded=false]")) closed.click();
      });
      expect(await harm(page), `event ${event.seq}`).toEqual([]);
    }
    await page.screenshot({ path: join(import.meta.dirname, `shots/hostile-${name}.png`) });

    await page.goto(`${bed.address}/s/${session}/raw`);
    await page.getByRole("region", { name: "Wire log" }).waitFor();
    const earlier = page.getByRole("button", { name: "Read earlier lines" });
    await until(async () => {
      if ((await earlier.count()) === 0) return true;
      await earlier.first().click({ timeout: 1000 }).catch(() => {});
      return false;
    }, "the whole log");
    await page.getByRole("searchbox", { name: "Filter lines and events" }).fill("harmed");
    await page.getByRole("region", { name: "Wire log" }).getByRole("button", { expanded: false }).first().click();
    expect(await harm(page)).toEqual([]);
    await page.goto(`${bed.address}/s/${session}/timeline`);
    await page.getByText("Tools that took longest").waitFor();
    expect(await harm(page)).toEqual([]);
    await page.goto(bed.address);
    await page.getByText("Harm <U+202E>gnp.exe<U+2066><U+009B>2J<U+0007>").first().waitFor();
    expect(await harm(page)).toEqual([]);
    expect(elsewhere).toEqual([]);
    // One that loads nothing else ends where it began.
    expect(new URL(page.url()).origin).toBe(bed.address);
  }, 180_000);
});

it("names what cannot be seen in questions, forms and what is always allowed", async () => {
  const questions = [{ question: `Which ${UNSEEN}?`, header: UNSEEN, multiSelect: false, options: ["a", "b"].map((label) => ({ label: `${label}${UNSEEN}`, description: UNSEEN, preview: UNSEEN })) }];
  const touch = `tool Bash ${JSON.stringify({ command: `touch x${UNSEEN}`, description: UNSEEN })}`;
  const asking: Record<string, string> = {};
  for (const [title, tool] of [["Asked", `tool AskUserQuestion ${JSON.stringify({ questions })}`], ["Always", touch], ["Form", touch]] as const) {
    asking[title] = (await bed.session({ title })).id;
    await bed.say(asking[title], script(tool, "---", "say Over."));
  }
  const page = await bed.browser();
  // The simulated CLI sends neither elicitations nor rules of this kind.
  await page.route(/\/api\/v1\/approvals\?/, async (route) => {
    const response = await route.fetch();
    const told = (await response.json()) as { items: { session: string; request: { subject: unknown; suggestions: unknown } }[] };
    for (const { session: id, request } of told.items) {
      if (id === asking["Always"]) {
        const rules = [{ toolName: `Bash${UNSEEN}`, ruleContent: `rm ${UNSEEN}` }];
        const odd = { type: "odd", what: UNSEEN };
        request.suggestions = [{ type: "addRules", rules, behavior: "allow", destination: UNSEEN }, { type: "addDirectories", directories: [`/${UNSEEN}`] }, { type: "setMode", mode: UNSEEN }, odd];
      }
      if (id === asking["Form"]) {
        const properties = { colour: { type: "string", title: UNSEEN, description: UNSEEN, enum: [UNSEEN] }, size: { type: "string", description: UNSEEN } };
        request.subject = { kind: "elicitation", elicitation_id: null, message: UNSEEN, server: UNSEEN, url: `https://harm.invalid/${UNSEEN}`, schema: { type: "object", properties } };
      }
    }
    await route.fulfill({ response, json: told });
  });
  await until(async () => (await bed.api<{ items: unknown[] }>("GET", "/approvals")).items.length === 3, "the requests");
  await page.goto(`${bed.address}/approvals`);
  const list = page.getByRole("list", { name: "What waits for an answer" });
  const card = page.locator("section[data-approval]");

  await list.getByRole("button", { name: /Asked/ }).click();
  await card.getByRole("group", { name: /Which/ }).waitFor();
  expect(await harm(page)).toEqual([]);

  await list.getByRole("button", { name: /Form/ }).click();
  // The text is the address that the link opens, percent-encoded.
  await card.getByRole("link", { name: "https://harm.invalid/%E2%80%AEgnp.exe%E2%81%A6%C2%9B2J" }).waitFor();
  expect(await card.getByRole("option").last().textContent()).toBe("<U+202E>gnp.exe<U+2066><U+009B>2J<U+0007>");
  expect(await harm(page)).toEqual([]);

  await list.getByRole("button", { name: /Always/ }).click();
  await card.getByRole("button", { name: "Always…" }).click();
  // A text field shows reordered text, so the exact rule is repeated below it.
  await card.getByText("Bash<U+202E>gnp.exe<U+2066><U+009B>2J<U+0007>(rm <U+202E>gnp.exe<U+2066><U+009B>2J<U+0007>)").waitFor();
  await card.getByText("What else this fits cannot be told from here.").waitFor();
  expect(await harm(page)).toEqual([]);
  await page.screenshot({ path: join(import.meta.dirname, "shots/hostile-always.png") });
  await page.context().close();
  for (const id of Object.values(asking)) await bed.api("DELETE", `/sessions/${id}`);
});

it("what cannot be drawn is one row, and the rest goes on", async () => {
  const broken = (await bed.session({ title: "Broken" })).id;
  await bed.say(broken, script("say Before it.", 'tool Glob {"pattern":"*"}', "---", "say Poison.", 'tool Glob {"pattern":"a*"}', "---", "say After it."));
  const page = await bed.browser();
  // A daemon that is newer than the page may say what the page takes for something else.
  await page.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => socket.send(typeof message === "string" ? message.replaceAll('"text":"Poison."', '"text":7') : message));
  });
  await page.goto(`${bed.address}/s/${broken}`);
  const talk = page.getByRole("region", { name: "Conversation" });
  await talk.getByText("After it.", { exact: true }).waitFor();
  await talk.getByText("Before it.", { exact: true }).waitFor();
  await talk.getByText("This could not be shown").waitFor();
  await talk.getByRole("button", { name: "Try again" }).click();
  await talk.getByText("This could not be shown").waitFor();
  await page.screenshot({ path: join(import.meta.dirname, "shots/hostile-row.png") });
  await page.context().close();
});
