/** The composer: commands, files, pictures, drafts, what was said before, modes; and a page without its daemon. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
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
    await field().pressSequentially("/comp");
    await page.getByRole("option", { name: /compact/ }).waitFor();
    const atOnce = await field().evaluate((element: HTMLTextAreaElement) => {
      element.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true }));
      return { text: element.value, caret: element.selectionEnd };
    });
    expect(atOnce, "whoever types on at once").toEqual({ text: "/compact ", caret: 9 });
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

  it("keeps files with the draft, and gives them back with a prompt that is taken back", async () => {
    // Another file than before, though it looks the same.
    const picture = { name: "pier.png", mimeType: "image/png", buffer: Buffer.concat([PNG, Buffer.from("pier")]) };
    const list = { name: "boats.txt", mimeType: "text/plain", buffer: Buffer.from("a,b,c") };
    const attach = (...files: (typeof picture)[]) => page.locator("input[type=file]").setInputFiles(files);
    const files = page.getByRole("list", { name: "Attached files" });
    const both = async () => {
      await files.getByText("pier.png", { exact: true }).waitFor();
      await files.getByText("boats.txt", { exact: true }).waitFor();
      expect(await files.getByRole("listitem").count()).toBe(2);
    };
    await attach(picture, list);
    await files.getByText("5 B", { exact: true }).waitFor();
    await files.getByText(`${picture.buffer.length} B`, { exact: true }).waitFor();
    await page.goto(`${bed.address}/s/${session}/raw`);
    await page.getByRole("region", { name: "Wire log" }).waitFor();
    await page.goto(`${bed.address}/s/${session}`);
    await both();
    await until(() => files.locator("img").evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth === 1), "the picture");
    // The same file again, after it was taken out.
    await files.getByRole("button", { name: "Remove boats.txt" }).click();
    await attach(list);
    await both();

    // Said while a turn works, so it waits; then it is taken back.
    await bed.say(session, script("say Busy.", "hold busy"));
    await bed.held("busy");
    await field().fill("");
    await field().press("Enter");
    const queue = page.getByRole("list", { name: "Waiting to be heard" });
    await queue.getByText("2 files").waitFor();
    await files.waitFor({ state: "detached" });
    await queue.getByRole("button", { name: "Cancel" }).click();
    await both();
    bed.release("busy");
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });
    await field().fill(script("say Both came."));
    await field().press("Enter");
    await answered("Both came.");
    type Told = { items: { type: string; attachments?: { title: string }[] }[] };
    const { items } = await bed.api<Told>("GET", `/sessions/${session}/events?limit=500`);
    expect(items.findLast((event) => event.type === "user_message")?.attachments?.map((one) => one.title)).toEqual(["pier.png", "boats.txt"]);
  });

  it("does not send without a file that could not be uploaded, and pastes a text as one", async () => {
    const problem = { type: "about:blank", title: "Too large", status: 422, detail: "It is too large." };
    await page.route(/\/attachments\?/, (route) => route.fulfill({ status: 422, contentType: "application/problem+json", body: JSON.stringify(problem) }));
    await page.locator("input[type=file]").setInputFiles({ name: "lost.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    const files = page.getByRole("list", { name: "Attached files" });
    await files.getByText("lost.txt").waitFor();
    await files.getByText("It is too large.").waitFor();
    await field().fill("With what is lost");
    await field().press("Enter");
    await page.getByText("A file could not be uploaded.").waitFor();
    expect(await field().inputValue()).toBe("With what is lost");
    await page.unroute(/\/attachments\?/);
    await files.getByRole("button", { name: "Remove lost.txt" }).click();
    // Not prevented: the browser pastes the text.
    const isPasted = await field().evaluate((element) => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], "image.png", { type: "image/png" }));
      data.setData("text/plain", "a\tb");
      return element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    expect(isPasted).toBe(true);
    expect(await files.count()).toBe(0);
    await field().fill("");
  });

  it("shows what was sent, in every tab and after a reload, and opens it large", async () => {
    const seen = async (where: Page) => {
      const picture = where.getByRole("button", { name: "Show large: pixel.png" });
      await picture.waitFor();
      const img = picture.locator("img");
      await until(() => img.evaluate((img: HTMLImageElement) => img.src.startsWith("blob:") && img.complete && img.naturalWidth === 1), "the picture");
      return picture;
    };
    await (await seen(page)).click();
    const large = page.getByRole("dialog", { name: "pixel.png" });
    await large.getByText(`image/png · ${PNG.length} B`).waitFor();
    // What it was opened from may scroll away, and is then taken from the page.
    const size = page.viewportSize()!;
    await page.setViewportSize({ ...size, height: 300 });
    await page.getByRole("region", { name: "Conversation", includeHidden: true }).evaluate((box) => (box.scrollTop = box.scrollHeight));
    await page.locator('[aria-label="Show large: pixel.png"]').waitFor({ state: "detached" });
    expect(await large.isVisible()).toBe(true);
    await page.setViewportSize(size);
    await page.keyboard.press("Escape");
    await large.waitFor({ state: "hidden" });
    await page.reload();
    await seen(page);
    const other = await bed.tab(page.context());
    await other.goto(`${bed.address}/s/${session}`);
    await seen(other);
    // By key: rows above may still find their height, and a pointer would miss what moves.
    const [saved] = await Promise.all([other.waitForEvent("download"), other.getByRole("button", { name: /list\.txt/ }).press("Enter")]);
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
        // As browsers do: they still have a last word, and end only then.
        abort = () => {
          queueMicrotask(() => {
            this.onresult?.({ results: [Object.assign([{ transcript: "a late word" }], { isFinal: true })] });
            this.onend?.();
          });
        };
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
    // What is written meanwhile stays.
    await message.press("End");
    await message.pressSequentially(", today");
    await hear("look at ", "the harbour", " and the pier");
    expect(await message.inputValue()).toBe("Please look at the harbour and the pier, today");
    // What was sent does not come back.
    await message.press("Enter");
    await ear.getByRole("region", { name: "Conversation" }).getByText("Please look at the harbour and the pier, today", { exact: true }).waitFor();
    await ear.getByRole("button", { name: "Dictate" }).waitFor();
    expect(await message.inputValue()).toBe("");
    await ear.getByRole("button", { name: "Dictate" }).click();
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

  it("is left backwards by who came by Tab, and after Escape, without another mode", async () => {
    const mode = page.getByRole("button", { name: /^Permissions/ });
    const isIn = () => field().evaluate((element) => element === document.activeElement);
    await field().focus();
    await field().press("Escape");
    await page.keyboard.press("Shift+Tab");
    expect(await isIn()).toBe(false);
    await page.keyboard.press("Tab");
    expect(await isIn()).toBe(true);
    await page.keyboard.press("Shift+Tab");
    expect(await isIn()).toBe(false);
    await page.keyboard.press("Tab");
    // Who writes has come to stay.
    await page.keyboard.type("a");
    await page.keyboard.press("Shift+Tab");
    expect(await isIn()).toBe(true);
    await mode.getByText("Act").waitFor();
    await mode.click();
    await page.getByRole("menuitemradio", { name: /^Ask/ }).click();
    await mode.getByText("Ask").waitFor();
    await field().fill("");
  });

  it("chooses a model and how hard it thinks, from what the CLI offers", async () => {
    const model = page.getByRole("button", { name: /^Model:/ });
    await model.click();
    const offers = page.getByRole("menu", { name: "Model" }).getByRole("menuitemradio");
    const other = offers.and(page.locator("[aria-checked=false]")).last();
    const name = (await other.locator(".name").textContent()) ?? "";
    await other.click();
    await model.getByText(name, { exact: true }).waitFor();
    const effort = page.getByRole("button", { name: /^How hard the model thinks/ });
    await effort.click();
    await page.getByRole("menuitemradio", { name: "high", exact: true }).click();
    await effort.getByText("high", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: /^How much the model thinks/ }).count()).toBe(0);
    type Told = { items: { type: string; thinking?: { effort: string | null } }[] };
    const { items } = await bed.api<Told>("GET", `/sessions/${session}/events?limit=1000`);
    expect(items.findLast((event) => event.type === "thinking_changed")?.thinking?.effort).toBe("high");
    expect(items.some((event) => event.type === "model_changed")).toBe(true);
  });

  it("limits thinking where models know no efforts; names that come twice are two", async () => {
    const old = await bed.browser();
    // As older CLIs have it; and as one may have it that means no good.
    await old.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
      const server = socket.connectToServer();
      const doubled = (message: string) => message.replaceAll(/"efforts":\[[^\]]*\]/g, '"efforts":[]').replaceAll(/"(models|commands)":\[(\{.*?\})\]/g, '"$1":[$2,$2]');
      server.onMessage((message) => socket.send(typeof message === "string" ? doubled(message) : message));
    });
    await old.goto(`${bed.address}/s/${session}`);
    const thinking = old.getByRole("button", { name: /^How much the model thinks/ });
    await thinking.click();
    await old.getByRole("menuitemradio", { name: /^No thinking/ }).click();
    await thinking.getByText("No thinking").waitFor();
    await thinking.click();
    await old.getByRole("menuitemradio", { name: /^Thinks up to 10k/ }).click();
    await thinking.getByText("Thinks up to 10k").waitFor();
    type Told = { items: { type: string; thinking?: { max_tokens: number | null } }[] };
    const { items } = await bed.api<Told>("GET", `/sessions/${session}/events?limit=1000`);
    expect(items.filter((event) => event.type === "thinking_changed").map((event) => event.thinking?.max_tokens).slice(-2)).toEqual([0, 10_000]);
    await old.getByRole("combobox", { name: "Message" }).pressSequentially("/compact");
    const commands = old.getByRole("option", { name: /^\/compact/ });
    await commands.first().waitFor();
    expect(await commands.count()).toBe(2);
    await old.getByRole("combobox", { name: "Message" }).fill("");
    await old.getByRole("button", { name: /^Model:/ }).click();
    const names = await old.getByRole("menu", { name: "Model" }).locator(".name").allTextContents();
    expect(new Set(names).size).toBe(names.length / 2);
    await old.close();
  });

  it("says why there are no commands in a session that has not begun", async () => {
    const young = await bed.session({ title: "Young" });
    const fresh = await bed.browser();
    await fresh.goto(`${bed.address}/s/${young.id}`);
    await fresh.getByRole("combobox", { name: "Message" }).pressSequentially("/");
    await fresh.getByText("The CLI tells its commands when it has started").waitFor();
    await fresh.getByRole("combobox", { name: "Message" }).fill("");
    await fresh.close();
    await bed.api("DELETE", `/sessions/${young.id}`);
  });
});

describe("in a low window", () => {
  it("the composer stays whole, and what waits can be scrolled to", async () => {
    const asking = await bed.session({ title: "Asking" });
    const low = await bed.browser({ viewport: { width: 640, height: 330 }, hasTouch: true, isMobile: true });
    await bed.say(asking.id, script(`tool Bash ${JSON.stringify({ command: Array.from({ length: 30 }, (_, at) => `touch low-${at}`).join("\n"), description: "Much" })}`));
    await low.goto(`${bed.address}/s/${asking.id}`);
    const allow = low.locator("section[data-approval]").getByRole("button", { name: /^Allow/ }).first();
    await allow.waitFor();
    const inside = async (what: Locator) => {
      const box = await what.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= 330;
    };
    await until(() => inside(low.getByRole("form", { name: "Say something" })), "the composer");
    await allow.scrollIntoViewIfNeeded();
    expect(await inside(allow)).toBe(true);
    await low.screenshot({ path: join(import.meta.dirname, "shots/low-window.png") });
    await allow.tap();
    await allow.waitFor({ state: "detached" });
    await low.context().close();
    await bed.api("DELETE", `/sessions/${asking.id}`);
  });
});

describe("without the daemon", () => {
  it("the page opens, says so, and goes on when the daemon is back", async () => {
    await page.evaluate(() => navigator.serviceWorker.ready);
    await bed.stop();
    await page.reload();
    await page.getByText("Not connected.").waitFor();
    await bed.start();
    await talk().getByText("Please look at the harbour and the pier, today", { exact: true }).waitFor();
  });
});
