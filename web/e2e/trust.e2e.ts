/** A repository with settings of its own, opened in the page with Claude Code itself. */

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { SessionRow } from "../api/types";
import { Bed, script, until } from "./bed";
import { look, LOOKS } from "./look";
import { card, composer, say } from "./page";
import { RealCli } from "./real";

let bed: Bed;
let cli: RealCli;

/** A hostile repository for the stories of a group. */
function planted(version: string) {
  beforeAll(async () => {
    cli = await RealCli.open(version);
    await cli.plant();
    bed = await Bed.open(cli.place);
  });

  afterAll(async () => {
    await bed?.close();
    await cli?.close();
    expect(bed.complaints).toEqual([]);
  });
}

const review = (page: Page) => page.getByRole("dialog", { name: "Trust this repository?" });
const row = (id: string) => bed.api<SessionRow>("GET", `/sessions/${id}`);
const write = (name: string) => `tool Write ${JSON.stringify({ file_path: cli.path(name), content: "x" })}`;

describe.each(["2.1.326", "2.1.325", "2.1.62", "2.1.7"])("a hostile repository, with Claude Code %s", (version) => {
  planted(version);

  it("runs nothing until it is trusted, then only what was listed", async () => {
    const page = await bed.browser();
    await page.keyboard.press("Alt+n");
    await page.getByRole("combobox", { name: "Directory" }).fill(cli.place.cwd);
    await page.getByRole("button", { name: "Create" }).click();
    // The first session in the directory asks by itself.
    await review(page).waitFor();
    await review(page).getByText("sh ./tools/hook-SessionStart.sh").waitFor();
    await review(page).getByText("ANTHROPIC_BASE_URL=").first().waitFor();
    expect(await review(page).getByRole("button", { name: "Always trust" }).isDisabled()).toBe(true);
    // What enables it is in sight, however much is listed.
    const box = await review(page).getByRole("checkbox", { name: /approve tool calls/ }).boundingBox();
    expect(box?.y).toBeLessThan(800 - (box?.height ?? 0));
    await review(page).getByRole("button", { name: "Not now" }).click();
    const id = new URL(page.url()).pathname.split("/").at(-1)!;

    await say(page, script(write("written.txt"), "---", "say Done."));
    await card(page).waitFor();
    expect(await cli.ran()).toEqual({ programs: [], diverted: 0 });
    await card(page).getByRole("button", { name: /^Deny/ }).first().click();
    await page.keyboard.press("Enter");
    await until(async () => (await row(id)).status === "idle", "the turn to end");
    expect(await cli.ran()).toEqual({ programs: [], diverted: 0 });
    expect(cli.read("written.txt")).toBeNull();
    await page.getByText(/were left out/).first().waitFor();

    await page.getByRole("button", { name: "Review" }).click();
    await review(page).getByRole("checkbox", { name: /approve tool calls/ }).check();
    await review(page).getByRole("button", { name: "Always trust" }).click();
    await review(page).waitFor({ state: "detached" });
    await page.getByText("The settings are used when the session starts again.").waitFor();
    await bed.api("POST", `/sessions/${id}/stop`);
    await until(async () => ["ended", "dormant"].includes((await row(id)).status), "the run to end");
    await composer(page).waitFor();
    await say(page, script("say Hello."));
    await until(async () => (await cli.ran()).programs.includes("hook-SessionStart"), "a hook to run");

    await page.goto(`${bed.address}/settings/trust`);
    await page.getByRole("list", { name: "Trusted repositories" }).getByText(/^Trusted/).waitFor();
    await page.getByRole("button", { name: /^Remove/ }).click();
    await page.getByText("No decisions yet").waitFor();
    await page.close();
  });
});

describe("the question", () => {
  planted("2.1.326");

  for (const { name, ...options } of LOOKS) {
    it(`can be read and used: ${name}`, async () => {
      const { id } = await bed.session({ title: "Looked at", cwd: cli.place.cwd });
      const page = await bed.browser(options);
      await page.goto(`${bed.address}/s/${id}`);
      await review(page).waitFor();
      // On a phone it is as wide as the screen.
      if (options.viewport.width < 400) expect(await review(page).evaluate((dialog) => (dialog as HTMLElement).offsetWidth)).toBe(options.viewport.width);
      await look(page, "trust-review", name);
      await page.keyboard.press("Escape");
      await review(page).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Review" }).waitFor();
      await look(page, "trust-banner", name);
      await page.goto(`${bed.address}/settings/trust`);
      await page.getByRole("heading", { name: "Trusted repositories" }).waitFor();
      await look(page, "trust-settings", name);
      await page.close();
    });
  }
});
