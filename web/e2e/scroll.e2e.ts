/** A long transcript: the end is followed until somebody scrolls away, and found again. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { EventPage } from "../api/types";
import { Bed, script, until } from "./bed";

const LINES = 40;

let bed: Bed;
let page: Page;
let session: string;

beforeAll(async () => {
  bed = await Bed.open();
  session = (await bed.session({ title: "Long" })).id;
  const paragraph = (at: number) => `say Paragraph ${at}. ${"It goes on for a while. ".repeat(12)}`;
  const turns = Array.from({ length: LINES }, (_, at) => [paragraph(at), `tool Glob {"pattern":"${at}*"}`, "---"]).flat();
  await bed.say(session, script(...turns, "say The end of it.", "hold more", 'more " And a new end."'));
  page = await bed.browser();
  await page.goto(`${bed.address}/s/${session}`);
  await bed.held("more");
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

const scroller = () => page.getByRole("region", { name: "Conversation" });
const fromEnd = () => scroller().evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);

it("opens at its end, with only what is near on the page", async () => {
  await scroller().getByText("The end of it.", { exact: true }).waitFor();
  await until(async () => (await fromEnd()) < 5, "the end");
  const state = await bed.api<{ last_seq: number }>("GET", `/sessions/${session}`);
  expect(state.last_seq).toBeGreaterThan(3 * LINES);
  expect(await scroller().locator(".row").count()).toBeLessThan(2 * LINES);
});

it("stays where somebody scrolled to, says that there is more, and follows again", async () => {
  await scroller().hover();
  await page.mouse.wheel(0, -1500);
  await page.getByRole("button", { name: "To the end" }).waitFor();
  const before = await scroller().evaluate((box) => box.scrollTop);
  bed.release("more");
  await page.getByRole("button", { name: /new below/ }).waitFor();
  expect(Math.abs((await scroller().evaluate((box) => box.scrollTop)) - before)).toBeLessThan(200);
  await page.getByRole("button", { name: /new below/ }).click();
  await scroller().getByText("The end of it. And a new end.", { exact: true }).waitFor();
  await until(async () => (await fromEnd()) < 5, "the end");

  await page.getByRole("combobox", { name: "Message" }).fill(script("say Followed.", ...Array.from({ length: 30 }, (_, at) => `say Line ${at}.`)));
  await page.getByRole("combobox", { name: "Message" }).press("Enter");
  await scroller().getByText("Line 29.", { exact: true }).waitFor();
  await until(async () => (await fromEnd()) < 5, "the end");
});

it("is left with the first small step up, whatever changes its size then", async () => {
  await until(async () => (await fromEnd()) < 5, "the end");
  // As the first frame of a wheel's way does; then something makes the list look again where it is.
  await scroller().evaluate(
    (box) =>
      new Promise<void>((done) => {
        box.addEventListener("scroll", () => done(), { once: true });
        box.scrollTop -= 12;
      }),
  );
  await page.setViewportSize({ width: 1280, height: 700 });
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  expect(await fromEnd()).toBeGreaterThan(5);
  await page.getByRole("button", { name: "To the end" }).click();
  await until(async () => (await fromEnd()) < 5, "the end");
  await page.setViewportSize({ width: 1280, height: 800 });
});

it("goes to what a link names, as often as it is asked for", async () => {
  const { items } = await bed.api<EventPage>("GET", `/sessions/${session}/events?limit=1000`);
  // A call knows its last event only; the link names its first.
  const call = items.find((event) => event.type === "tool_call" && event.title.includes("7*"))!;
  const row = scroller().locator("article", { hasText: "7*" }).first();
  for (const _ of ["once", "again"]) {
    await page.evaluate((address) => {
      const link = Object.assign(document.createElement("a"), { href: address, textContent: "There" });
      document.body.append(link);
      link.click();
      link.remove();
    }, `/s/${session}#e${call.seq}`);
    const isThere = () => Promise.all([scroller().boundingBox(), row.boundingBox({ timeout: 1000 })]).then(([box, it]) => box !== null && it !== null && Math.abs(it.y - box.y) < 60, () => false);
    await until(isThere, "the call");
    await scroller().focus();
    await page.keyboard.press("End");
    await until(async () => (await fromEnd()) < 5, "the end");
  }
});

it("goes to its first and last line by keys", async () => {
  await scroller().focus();
  await page.keyboard.press("Home");
  await until(() => scroller().evaluate((box) => box.scrollTop < 5), "the beginning");
  await page.keyboard.press("End");
  await until(async () => (await fromEnd()) < 5, "the end");
});
