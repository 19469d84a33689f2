/** Every hostile text in every place that shows text: none runs, loads, or breaks out. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { EventPage } from "../api/types";
import { Bed, script, until } from "./bed";
import { composer, talk } from "./page";
import { PAYLOADS } from "./payloads";

let bed: Bed;

beforeAll(async () => {
  bed = await Bed.open();
});

afterAll(async () => {
  await bed.close();
  // Whatever the pages' policy refuses is reported here too: it must not even be tried.
  expect(bed.complaints).toEqual([]);
});

const texts = PAYLOADS.map(([, text]) => text);
/** As a name of a file: no slash, no NUL, not too long. */
const asName = (text: string) => [...text.replaceAll("/", "∕").replaceAll("\0", "")].slice(0, 50).join("");
const onOneLine = (text: string) => text.replaceAll(/[\n\r\0]/g, " ");
const json = JSON.stringify;
const rested = (id: string) => until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${id}`)).status === "idle", "the turn to end");

/** A page that records what must not happen. */
class Watched {
  readonly seen: string[] = [];

  private constructor(readonly page: Page) {
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(bed.address) && !/^(blob|data|about):/.test(url)) this.seen.push(`a request for ${url.slice(0, 100)}`);
    });
    page.on("dialog", (dialog) => {
      this.seen.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("popup", () => this.seen.push("a window"));
    page.on("frameattached", () => this.seen.push("a frame"));
  }

  static async open(): Promise<Watched> {
    // So high that dozens of items are drawn at once.
    const page = await bed.browser({ viewport: { width: 1280, height: 6000 } });
    await page.addInitScript(() => {
      const violations: string[] = [];
      Object.assign(globalThis, { violations });
      document.addEventListener("securitypolicyviolation", (event) => violations.push(`${event.violatedDirective} ${event.blockedURI}`));
    });
    return new Watched(page);
  }

  /** Fails unless nothing has happened and nothing hostile is in the document. */
  async isClean(where: string): Promise<void> {
    const found = await this.page.evaluate(() => {
      const { harmed, violations } = globalThis as { harmed?: unknown; violations?: string[] };
      const found = (violations ?? []).map((violation) => `the policy refused ${violation}`);
      if (harmed !== undefined) found.push("a script ran");
      if (document.querySelectorAll("#app").length !== 1) found.push("an id is taken twice");
      for (const element of document.querySelectorAll("body *")) {
        const name = element.localName;
        if (["script", "iframe", "object", "embed", "base", "meta", "style", "math", "audio", "video", "marquee", "foreignobject", "animate"].includes(name) && !element.matches("body > script")) found.push(`there is <${name}>`);
        for (const { name: attribute, value } of element.attributes) {
          if (attribute.startsWith("on") || attribute === "srcdoc" || attribute === "formaction") found.push(`<${name}> has ${attribute}`);
          if (["href", "src", "action", "srcset", "poster", "xlink:href"].includes(attribute)) {
            const address = [...value].filter((letter) => letter > " ").join("").toLowerCase();
            if (/^(javascript|vbscript|data:text)/.test(address)) found.push(`<${name}> leads to ${address.slice(0, 40)}`);
            if (attribute !== "href" && address.includes("harm.invalid")) found.push(`<${name}> loads ${address.slice(0, 40)}`);
          }
        }
      }
      return [...new Set(found)];
    });
    expect([...this.seen, ...found], where).toEqual([]);
    expect(new URL(this.page.url()).origin, where).toBe(bed.address);
  }

  async goTo(path: string): Promise<void> {
    // Nothing of the last page stays.
    await this.page.goto("about:blank");
    await this.page.goto(`${bed.address}${path}`);
  }

  /** Looks at a session: as it is opened, then at each item with all of it unfolded. */
  async walk(session: string, where: string): Promise<void> {
    await this.goTo(`/s/${session}`);
    await talk(this.page).locator("[data-kind]").first().waitFor();
    await this.isClean(where);
    const { items } = await bed.api<EventPage>("GET", `/sessions/${session}/events?limit=1000`);
    const shown = items.filter((event) => ["user_message", "reasoning", "message", "tool_call", "approval_requested", "error"].includes(event.type));
    for (const event of shown.filter((_, at) => at % 24 === 0).concat(shown.slice(-1))) {
      await this.goTo(`/s/${session}#e${event.seq}`);
      await talk(this.page).locator("[data-kind]").first().waitFor();
      await talk(this.page).evaluate((element) => {
        for (const closed of element.querySelectorAll<HTMLElement>("button[aria-expanded=false]")) closed.click();
      });
      await this.isClean(`${where}, event ${event.seq}`);
    }
    for (const view of ["raw", "timeline"]) {
      await this.goTo(`/s/${session}/${view}`);
      await this.page.getByRole("main").waitFor();
      await this.isClean(`${where}, ${view}`);
    }
  }
}

describe("a hostile text", () => {
  it("is noticed where it works", async () => {
    const { page, seen } = await Watched.open();
    await page.goto(bed.address);
    await page.evaluate(() => {
      const image = document.createElement("img");
      image.setAttribute("onerror", "window.harmed=1");
      image.src = "https://harm.invalid/pixel.png";
      document.body.append(image);
    });
    await until(() => page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations.length > 1), "both violations");
    await page.context().close();
    expect(seen).toEqual(["a request for https://harm.invalid/pixel.png"]);
    expect(bed.complaints.length).toBe(2);
    bed.complaints.length = 0;
  });

  it("does nothing as a message, a thought or a prompt", async () => {
    const { id } = await bed.session({ title: "Messages" });
    const lines = texts.flatMap((text) => [`think ${json(text)}`, `say ${json(text)}`, "---"]);
    // The last reply ends the turn; each before it goes on by a call.
    const replies = lines.flatMap((line) => (line === "---" ? ['tool Glob {"pattern":"*"}', line] : [line]));
    await bed.say(id, `${texts.join("\n\n")}\n${script(...replies, "say Over.")}`);
    await rested(id);
    await (await Watched.open()).walk(id, "messages");
  }, 300_000);

  it("does nothing as the input and output of a tool", async () => {
    const { id } = await bed.session({ title: "Tools", profile: { mode: "acceptEdits", allowed_tools: ["Bash", "Read", "Write"] } });
    const work = bed.path("work");
    mkdirSync(join(work, "named"));
    const calls = texts.flatMap((text, at) => {
      writeFileSync(join(work, `p${at}.txt`), text);
      const named = join(work, "named", asName(text));
      writeFileSync(named, text);
      return [
        `tool Bash ${json({ command: `cat p${at}.txt # ${onOneLine(text)}`, description: text })}`,
        `tool Bash ${json({ command: `cat p${at}.txt >&2; exit 3`, description: text })}`,
        `tool Read ${json({ file_path: named })}`,
        `tool Write ${json({ file_path: join(work, "named", `w${at} ${asName(text)}`), content: text })}`,
        `tool Grep ${json({ pattern: text, path: text })}`,
        `tool Glob ${json({ pattern: text })}`,
        `tool TodoWrite ${json({ todos: [{ content: text, activeForm: text, status: "in_progress" }] })}`,
        "---",
      ];
    });
    await bed.say(id, script(...calls, "say Over."));
    // Paths that cannot be resolved are asked about.
    await bed.rest(id);
    await (await Watched.open()).walk(id, "tools");
  }, 300_000);

  it("does nothing as the name of a tool, a model or an error", async () => {
    const { id } = await bed.session({ title: "Names" });
    const word = (text: string) => onOneLine(text).replaceAll(/\s/g, "_").slice(0, 100);
    const calls = texts.flatMap((text) => [`model ${word(text)}`, `tool mcp__${word(text)}__${word(text)} ${json({ [text]: text })}`, `tool ${word(text)} ${json({ a: text })}`, "---"]);
    await bed.say(id, script(...calls, "say Over."));
    await rested(id);
    const failing = (await bed.session({ title: "Errors" })).id;
    const watched = await Watched.open();
    await bed.say(failing, script(...texts.slice(0, 3).map((text) => `error 400 x99 message=${onOneLine(text)}`), "say Over."));
    await until(async () => (await bed.api<EventPage>("GET", `/sessions/${failing}/events?limit=1000`)).items.some((event) => event.type === "complete"), "the turn to fail");
    await watched.walk(id, "names");
    await watched.walk(failing, "errors");
  }, 300_000);

  it("does nothing in a request, a question or a plan", async () => {
    const watched = await Watched.open();
    const asking: string[] = [];
    for (let at = 0; at < texts.length; at += 4) {
      const some = texts.slice(at, at + 4);
      const title = (some[0] ?? "").slice(0, 200);
      const bash = (await bed.session({ title })).id;
      await bed.say(bash, script(...some.map((text) => `tool Bash ${json({ command: `touch ${onOneLine(text)}\n# ${text}`, description: text })}`), "---", "say Over."));
      const questions = some.map((text, number) => ({
        question: `${text} ${number}`,
        header: text.slice(0, 12),
        multiSelect: number % 2 === 1,
        options: some.map((label, option) => ({ label: `${label} ${option}`, description: label, preview: label })),
      }));
      const question = (await bed.session({ title })).id;
      await bed.say(question, script(`tool AskUserQuestion ${json({ questions })}`, "---", "say Over."));
      asking.push(bash, question);
    }
    const plan = (await bed.session({ title: "Plan", profile: { mode: "plan" } })).id;
    await bed.say(plan, script(`tool ExitPlanMode ${json({ plan: texts.join("\n\n") })}`, "---", "say Over."));
    asking.push(plan);
    await until(async () => (await bed.api<{ items: unknown[] }>("GET", "/approvals?limit=200")).items.length >= asking.length, "all requests");
    await watched.goTo("/approvals");
    await watched.page.locator("section[data-approval]").first().waitFor();
    await watched.isClean("the list of requests");
    for (const id of asking) {
      await watched.goTo(`/s/${id}`);
      await watched.page.locator("section[data-approval]").first().waitFor();
      await watched.isClean(`the request of ${id}`);
    }
    for (const id of asking) await bed.api("DELETE", `/sessions/${id}`);
  }, 300_000);

  it("does nothing as a title, a tag, a policy, a server or a file to complete", async () => {
    const watched = await Watched.open();
    let named = 0;
    for (const text of texts) {
      // A name that the API refuses is not shown either.
      const made = await bed.session({ title: text.slice(0, 400), tags: [onOneLine(text).slice(0, 40)] }).catch(() => null);
      named += made ? 1 : 0;
    }
    expect(named).toBeGreaterThan(40);
    await watched.goTo("/");
    await watched.page.getByRole("navigation", { name: "Sessions" }).waitFor();
    await watched.isClean("the list of sessions");

    const rules = texts.map((text, at) => `[[rule]]\ntool = "Write"\npath = "denied-${at}"\ndeny = ${json(text)}\n`);
    await bed.api("PUT", "/policies/harm", { text: rules.join("\n") });
    const denied = (await bed.session({ title: "Denied", policy: "harm" })).id;
    const writes = texts.flatMap((_, at) => [`tool Write ${json({ file_path: join(bed.path("work"), `denied-${at}`), content: "x" })}`, "---"]);
    await bed.say(denied, script(...writes, "say Over."));
    await rested(denied);
    await watched.walk(denied, "a policy's reason");
    await watched.goTo("/settings/policies");
    await watched.page.getByRole("list", { name: "Policies" }).getByRole("button", { name: /harm/ }).click();
    await watched.isClean("a policy's text");

    const servers: Record<string, unknown> = {};
    for (const text of texts.filter((it) => it !== "__proto__")) servers[text] = { type: "stdio", command: text, args: [text] };
    const served = await bed.session({ title: "Served", profile: { mcp_servers: servers } }).catch(() => null);
    for (const path of ["/settings", "/settings/mcp", served ? `/s/${served.id}` : "/"]) {
      await watched.goTo(path);
      await watched.page.getByRole("main").waitFor();
      await watched.isClean(path);
    }

    const { id } = await bed.session({ title: "Complete" });
    await watched.goTo(`/s/${id}`);
    await composer(watched.page).fill("");
    await composer(watched.page).pressSequentially("@named/");
    await watched.page.getByRole("option").first().waitFor();
    await watched.isClean("files to complete");
  }, 300_000);
});
