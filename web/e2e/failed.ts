/** Tells what the pages showed when a story failed. */

import { afterEach } from "vitest";

import { pages } from "./bed";

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  for (const page of pages) {
    const seen = await page.locator("body").innerText();
    process.stderr.write(`\n${task.name}: ${page.url()} showed\n${seen}\n`);
  }
});
