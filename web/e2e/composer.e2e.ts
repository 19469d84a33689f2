/** The composer: commands, files, pictures, drafts, what was said before, modes; and a page without its daemon. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { Bed, script, until } from "./bed";

let bed: Bed;
let page: Page;
let session: string;

/** A picture of one pixel. */
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

beforeAll(async () => {
  bed = await Bed.open();
  mkdirSync(join(bed.path("work"), "src"));
  bed.write("src/harbour.rs", "");
  bed.write("notes.md", "");
  session = (await bed.session({ title: "Composer" })).id;
  page = await bed.browser();
  await page.goto(`${bed.address}/s/${session}`);
  await field().waitFor();
});

afterAll(async () => {
  await bed.close();
  expect(bed.complaints).toEqual([]);
});

const field = () => page.getByRole("combobox", { name: "Message" });
const talk = () => page.getByRole("region", { name: "Conversation" });

async function answered(text: string) {
  await talk().getByText(text, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
}

describe("the composer", () => {
  it("says several lines, and again what was said before", async () => {
    const text = script("say First answer.");
    await field().fill(text);
    await field().press("Enter");
    await answered("First answer.");
    await field().press("ArrowUp");
    expect(await field().inputValue()).toBe(text);
    await field().press("End");
    await field().press("ArrowDown");
    expect(await field().inputValue()).toBe("");
    await field().pressSequentially("one");
    await field().press("Shift+Enter");
    await field().pressSequentially("two");
    expect(await field().inputValue()).toBe("one\ntwo");
  });

  it("keeps a draft for each session, over a reload", async () => {
    await field().fill("half a thought");
    const other = await bed.session({ title: "Another" });
    await page.getByRole("link", { name: /Another/ }).click();
    await page.getByRole("heading", { name: "Another" }).waitFor();
    expect(await field().inputValue()).toBe("");
    await page.goto(`${bed.address}/s/${session}`);
    expect(await field().inputValue()).toBe("half a thought");
    await field().fill("");
    await bed.api("DELETE", `/sessions/${other.id}`);
  });

  it("completes commands and names of files by keys alone", async () => {
    await field().pressSequentially("/comp");
    await page.getByRole("option", { name: /compact/ }).waitFor();
    await field().press("Tab");
    expect(await field().inputValue()).toBe("/compact ");
    await field().fill("");
    await field().pressSequentially("Look at @harb");
    await page.getByRole("option", { name: "src/harbour.rs" }).waitFor();
    await field().press("Enter");
    expect(await field().inputValue()).toBe("Look at @src/harbour.rs ");
    await field().fill("");
    await field().pressSequentially("/");
    await page.getByRole("listbox", { name: "Commands" }).waitFor();
    await field().press("Escape");
    await page.getByRole("listbox", { name: "Commands" }).waitFor({ state: "detached" });
    await field().fill("");
  });

  it("sends pictures that were pasted, and files that were dropped", async () => {
    const give = (how: "paste" | "drop", name: string, type: string, base64: string) =>
      field().evaluate(
        (element, { how, name, type, base64 }) => {
          const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
          const data = new DataTransfer();
          data.items.add(new File([bytes], name, { type }));
          const event =
            how === "paste"
              ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
              : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
          element.dispatchEvent(event);
        },
        { how, name, type, base64 },
      );
    await give("paste", "pixel.png", "image/png", PNG.toString("base64"));
    await give("drop", "list.txt", "text/plain", Buffer.from("a,b").toString("base64"));
    const files = page.getByRole("list", { name: "Attached files" });
    await files.getByText("3 B", { exact: true }).waitFor();
    await files.getByText(`${PNG.length} B`, { exact: true }).waitFor();
    await field().fill(script("say I have seen it."));
    await field().press("Enter");
    await answered("I have seen it.");
    expect(await files.count()).toBe(0);
    type Told = { items: { type: string; attachments?: { media_type: string }[] }[] };
    const { items } = await bed.api<Told>("GET", `/sessions/${session}/events?limit=500`);
    const last = items.findLast((event) => event.type === "user_message");
    expect(last?.attachments?.map((one) => one.media_type)).toEqual(["image/png", "text/plain"]);
  });

  it("shows what was sent, in every tab and after a reload, and opens it large", async () => {
    const seen = async (where: Page) => {
      const picture = where.getByRole("button", { name: "Show large: pixel.png" });
      await picture.waitFor();
      const img = picture.locator("img");
      await until(() => img.evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth === 1), "the picture");
      return picture;
    };
    await (await seen(page)).click();
    const large = page.getByRole("dialog", { name: "pixel.png" });
    await large.getByText(`image/png · ${PNG.length} B`).waitFor();
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "hidden" });
    await page.reload();
    await seen(page);
    const other = await bed.tab(page.context());
    await other.goto(`${bed.address}/s/${session}`);
    await seen(other);
    const [saved] = await Promise.all([other.waitForEvent("download"), other.getByRole("link", { name: /list\.txt/ }).click()]);
    expect(saved.suggestedFilename()).toBe("list.txt");
    await other.close();
  });

  it("writes down what is spoken, after what was written", async () => {
    const ear = await bed.browser();
    // Browsers hear with services that are not there under test.
    await ear.addInitScript(() => {
      class Ear {
        onresult: ((event: unknown) => void) | null = null;
        onend: (() => void) | null = null;
        onerror: ((event: { error: string }) => void) | null = null;
        start = () => Object.assign(globalThis, { ear: this });
        stop = () => this.onend?.();
      }
      Object.assign(globalThis, { SpeechRecognition: Ear });
    });
    await ear.goto(`${bed.address}/s/${session}`);
    const message = ear.getByRole("combobox", { name: "Message" });
    await message.fill("Please");
    await ear.getByRole("button", { name: "Dictate" }).click();
    const hear = (...pieces: string[]) =>
      ear.evaluate((heard) => {
        const { ear } = globalThis as unknown as { ear: { onresult(event: unknown): void } };
        ear.onresult({ results: heard.map((transcript) => Object.assign([{ transcript }], { isFinal: true })) });
      }, pieces);
    await hear("look at");
    await hear("look at ", "the harbour");
    expect(await message.inputValue()).toBe("Please look at the harbour");
    await ear.getByRole("button", { name: "Stop listening" }).click();
    await ear.getByRole("button", { name: "Dictate" }).click();
    await ear.evaluate(() => {
      const { ear } = globalThis as unknown as { ear: { onerror(event: { error: string }): void; onend(): void } };
      ear.onerror({ error: "not-allowed" });
      ear.onend();
    });
    await ear.getByText("The browser may not use the microphone").waitFor();
    await ear.getByRole("button", { name: "Dictate" }).waitFor();
    await message.fill("");
    await ear.close();
  });

  it("changes the mode by keys and by hand", async () => {
    const mode = page.getByRole("button", { name: /^Permissions/ });
    await field().press("Shift+Tab");
    await mode.getByText("Act").waitFor();
    await field().press("Shift+Tab");
    await mode.getByText("Plan").waitFor();
    await mode.click();
    await page.getByRole("menuitemradio", { name: /^Ask/ }).click();
    await mode.getByText("Ask").waitFor();
    await until(async () => (await bed.api<{ mode: string }>("GET", `/sessions/${session}`)).mode === "default", "the mode");
  });
});

describe("without the daemon", () => {
  it("the page opens, says so, and goes on when the daemon is back", async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await bed.stop();
    await page.reload();
    await page.getByText("Not connected.").waitFor();
    await bed.start();
    await talk().getByText("First answer.", { exact: true }).waitFor();
  });
});
