/** The question about a repository's settings, with the simulated CLI. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { TrustReport, TrustRowPage } from "../api/types";
import { Bed, until } from "./bed";
import { Line } from "./line";
import { look, LOOKS } from "./look";

let bed: Bed;

beforeAll(async () => {
  bed = await Bed.open();
});

afterAll(async () => {
  await bed?.close();
  expect(bed.complaints).toEqual([]);
});

const review = (page: Page) => page.getByRole("dialog", { name: "Trust this repository?" });
const decisions = async (root: string) => (await bed.api<TrustRowPage>("GET", "/trust")).items.filter((row) => row.root === root);
const reportOf = (page: Page) => page.waitForResponse((response) => response.url().includes("/trust/report"));

/** A repository whose settings start a program. */
function repository(name: string, command: string): string {
  const root = bed.path(name);
  mkdirSync(join(root, ".claude"), { recursive: true });
  const hooks = { Stop: [{ hooks: [{ type: "command", command }] }] };
  writeFileSync(join(root, ".claude/settings.json"), JSON.stringify({ hooks }));
  return root;
}

it("opens when the report arrives before the session", async () => {
  const { id } = await bed.session({ title: "Late", cwd: repository("late", "sh late.sh") });
  const page = await bed.stranger();
  const line = await Line.of(page);
  await page.goto(await bed.link());
  const session = page.getByRole("navigation", { name: "Sessions" }).getByRole("link", { name: /Late/ });
  await session.waitFor();
  line.hold();
  const report = reportOf(page);
  await session.click();
  await (await report).finished();
  expect(await review(page).count()).toBe(0);
  line.release();
  await review(page).getByText("sh late.sh").waitFor();
  expect(new URL(page.url()).pathname).toBe(`/s/${id}`);
  await page.context().close();
});

it("is about what was read, also when the settings change meanwhile", async () => {
  const cwd = repository("changing", "sh first.sh");
  const { id } = await bed.session({ title: "Changing", cwd });
  const page = await bed.browser();
  await page.goto(`${bed.address}/s/${id}`);
  await review(page).getByText("sh first.sh").waitFor();
  repository("changing", "sh second.sh");
  const report = reportOf(page);
  await bed.say(id, "Hello.");
  await (await report).finished();
  await bed.rest(id);
  await review(page).getByText("sh first.sh").waitFor();
  expect(await review(page).getByText("sh second.sh").count()).toBe(0);

  await review(page).getByRole("button", { name: "Always trust" }).click();
  await review(page).getByRole("alert").getByText(/changed while you were reading/).waitFor();
  await review(page).getByText("sh second.sh").waitFor();
  expect(await decisions(cwd)).toEqual([]);
  await review(page).getByRole("button", { name: "Always trust" }).click();
  await review(page).waitFor({ state: "detached" });
  await until(async () => (await decisions(cwd)).some((row) => row.kind === "always"), "the decision");
  expect(await page.getByRole("button", { name: "Review" }).count()).toBe(0);
  await page.context().close();
});

it("counts the directories that the session adds", async () => {
  const cwd = repository("adding", "sh adding.sh");
  const { id } = await bed.session({ title: "Adding", cwd, profile: { add_dirs: [repository("added", "sh added.sh")] } });
  const page = await bed.browser();
  await page.goto(`${bed.address}/s/${id}`);
  await review(page).getByText("sh adding.sh").waitFor();
  await review(page).getByRole("button", { name: "Always trust" }).click();
  await review(page).waitFor({ state: "detached" });
  expect((await decisions(cwd)).map((row) => row.kind)).toEqual(["always"]);
  await page.context().close();
});

describe.each(LOOKS)("settings, $name", ({ name, ...options }) => {
  it("list each repository once", async () => {
    const cwd = repository(`listed-${name}`, "sh first.sh");
    const decide = async (directory: string, answer: string, session: string | null) => {
      const { digest } = await bed.api<TrustReport>("GET", `/trust/report?directory=${encodeURIComponent(directory)}`);
      await bed.api("PUT", "/trust", { directory, digest, answer, session });
    };
    await decide(cwd, "session", (await bed.session({ cwd })).id);
    await decide(cwd, "always", null);
    repository(`listed-${name}`, "sh second.sh");
    await decide(cwd, "always", null);
    await decide(repository(`never-${name}-${"in-a-directory-with-a-long-name-".repeat(3)}`, "sh never.sh"), "never", null);
    const page = await bed.browser(options);
    await page.goto(`${bed.address}/settings/trust`);
    const rows = page.getByRole("list", { name: "Trusted repositories" }).getByRole("listitem");
    await rows.filter({ hasText: cwd }).first().waitFor();
    expect(await rows.filter({ hasText: cwd }).allInnerTexts()).toEqual([expect.stringMatching(/Trusted, trusted for one session · /)]);
    await look(page, "trust-listed", name);
    await page.getByRole("button", { name: `Remove ${cwd}`, exact: true }).click();
    await rows.filter({ hasText: cwd }).waitFor({ state: "detached" });
    expect(await decisions(cwd)).toEqual([]);
    await page.context().close();
  });
});
