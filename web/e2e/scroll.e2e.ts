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

it("is read when somebody comes back to it, not while nobody can see it", async () => {
  const isUnread = async () => (await bed.api<{ unread: boolean }>("GET", `/sessions/${session}`)).unread;
  const show = (state: "visible" | "hidden") =>
    page.evaluate((now) => {
      Object.defineProperty(document, "visibilityState", { value: now, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, state);
  await until(async () => !(await isUnread()), "it to be read");
  await show("hidden");
  await bed.say(session, script("say While you were away."));
  await scroller().getByText("While you were away.", { exact: true }).waitFor();
  await until(isUnread, "it to be unread");
  await show("visible");
  await until(async () => !(await isUnread()), "it to be read again");
});

it("says what happens to those who hear it, the same words twice if they come twice", async () => {
  const log = page.getByRole("log", { name: "What happens in this session" });
  const once = await log.locator("p").elementHandles();
  for (const _ of ["once", "again"]) {
    await bed.say(session, script("say The same words."));
    await log.getByText("Turn done.", { exact: true }).waitFor();
    await until(async () => !(await once.at(-1)?.evaluate((element) => element.isConnected)), "another announcement");
    once.push(...(await log.locator("p").elementHandles()));
  }
  // What went wrong long ago is not told when it comes into sight.
  expect(await scroller().getByRole("alert").count()).toBe(0);
});

it("tells that going back could not be loaded", async () => {
  // Without the worker, which keeps what there was.
  const other = await bed.browser({ serviceWorkers: "block" });
  await other.route(/\/assets\/Rewind-.*\.js/, (route) => route.fulfill({ status: 403 }));
  await other.goto(`${bed.address}/s/${session}`);
  const message = other.getByRole("region", { name: "Conversation" }).locator("[data-kind=user]").last();
  await message.getByRole("button", { name: "Rewind to before this" }).press("Enter");
  await other.getByText("Rewinding could not be loaded.").waitFor();
  await other.context().close();
});
