/** What a session takes: its meters, where its time went, what all of them cost. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";

import type { ApprovalRowPage } from "../api/types";
import { Bed, script, until } from "./bed";
import { look, LOOKS } from "./look";

let bed: Bed;
let session: string;

const meters = (page: Page) => page.getByRole("button", { name: /^Meters:/ });
const panel = (page: Page) => page.getByRole("dialog", { name: "Context, cost and limits" });

beforeAll(async () => {
  bed = await Bed.open();
  session = (await bed.session({ title: "Faster parser" })).id;
  const turns = [
    script("think The benchmark first.", "usage 800 4200 12000 30000", "say Looking at the parser.", 'tool Bash {"command":"sleep 0.4; echo measured","description":"Measure the parser"}', "---", "usage 20 1900 400 61000", "say It is **twice** as fast."),
    script("usage 60 700 200 63000", "say Documented."),
  ];
  for (const [at, text] of turns.entries()) {
    await bed.say(session, text);
    if (at === 0) {
      const open = async () => (await bed.api<ApprovalRowPage>("GET", `/sessions/${session}/approvals?state=open`)).items[0];
      await until(async () => (await open()) !== undefined, "the question whether to run it");
      await bed.api("POST", `/sessions/${session}/approvals/${(await open())?.approval}/decision`, { kind: "allow" });
    }
    await until(async () => (await bed.api<{ status: string }>("GET", `/sessions/${session}`)).status === "idle", "the turn to end");
  }
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

describe("meters", () => {
  it("tell context and cost in the bar, the rest when opened, by keyboard", async () => {
    const page = await bed.browser();
    await page.goto(`${bed.address}/s/${session}`);
    await meters(page).filter({ hasText: "%" }).waitFor();
    expect(await meters(page).innerText()).toMatch(/context\s+\d+ %\s+cost\s+\$\d/);
    await meters(page).focus();
    await page.keyboard.press("Enter");
    await panel(page).getByText("of 1M tokens").waitFor();
    await panel(page).getByRole("row", { name: /Cost/ }).waitFor();
    await panel(page).getByRole("button", { name: "What fills it?" }).click();
    await panel(page).getByRole("list", { name: "What fills the context" }).getByText("Messages").waitFor();
    await panel(page).getByText("Connected", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await panel(page).waitFor({ state: "hidden" });
    await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("Meters:"));
  });

  it("of a session in which nothing happened say so", async () => {
    const { id } = await bed.session({ title: "Nothing yet" });
    const page = await bed.browser();
    await page.goto(`${bed.address}/s/${id}`);
    await meters(page).click();
    await panel(page).getByText("Known after the first answer.").waitFor();
    await panel(page).getByRole("link", { name: "Where the time went" }).click();
    await page.getByText("No time was spent yet").waitFor();
  });
});

describe("the time", () => {
  it("is told as a picture and as a table, and leads to the turn", async () => {
    const page = await bed.browser();
    await page.goto(`${bed.address}/s/${session}/timeline`);
    const whole = page.getByRole("img", { name: /Model .*, Tools .*, Waiting for you/ });
    await whole.waitFor();
    expect(await whole.getAttribute("aria-label")).not.toContain("Tools 0 ms");
    await page.getByRole("link", { name: "echo measured" }).waitFor();
    await page.getByText("Table", { exact: true }).click();
    expect(await page.getByRole("row", { name: /Go on/ }).count()).toBe(2);
    await page.getByRole("row", { name: /Go on/ }).last().getByRole("link").click();
    await page.getByText("Looking at the parser.", { exact: true }).waitFor();
  });
});

describe("costs", () => {
  it("are there by day, model and project", async () => {
    const page = await bed.browser();
    await page.getByRole("button", { name: "Costs and tokens" }).click();
    await page.getByRole("img", { name: /^Cost by day/ }).waitFor();
    const models = page.getByRole("table", { name: "By model" });
    expect(await models.getByRole("row").count()).toBeGreaterThan(1);
    await page.getByRole("table", { name: "By project" }).getByText("work").waitFor();
    await page.getByText("Tokens", { exact: true }).click();
    await page.getByRole("img", { name: /^Tokens by day/ }).waitFor();
    await page.getByText("Table", { exact: true }).click();
    await page.getByRole("table", { name: /^Days/ }).waitFor();
    const known = await bed.api<{ items: { type: string; total_cost_usd?: number }[] }>("GET", `/sessions/${session}/events?limit=1000`);
    const cost = known.items.findLast((event) => event.type === "complete")?.total_cost_usd ?? 0;
    expect(cost).toBeGreaterThan(0);
    await page.getByText(`$${cost.toFixed(2)}`).first().waitFor();
  });
});

describe.each(LOOKS)("$name", ({ name, ...options }) => {
  it("looks right", async () => {
    const page = await bed.browser(options);
    await page.goto(`${bed.address}/s/${session}`);
    await meters(page).filter({ hasText: "%" }).waitFor();
    await meters(page).click();
    await panel(page).getByRole("button", { name: "What fills it?" }).click();
    await panel(page).getByRole("list", { name: "What fills the context" }).waitFor();
    await look(page, "meters", name);
    await page.goto(`${bed.address}/s/${session}/timeline`);
    await page.getByRole("link", { name: "echo measured" }).waitFor();
    await look(page, "timeline", name);
    await page.goto(`${bed.address}/pictures`);
    await page.getByRole("table", { name: "By model" }).waitFor();
    await look(page, "costs", name);
  });
});
