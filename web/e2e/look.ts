/** Pictures of a page as it is seen, and what axe finds wrong with it. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const LOOKS = [
  { name: "desktop-light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { name: "desktop-dark", viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  { name: "phone-light", viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true, hasTouch: true },
  { name: "phone-dark", viewport: { width: 390, height: 844 }, colorScheme: "dark", isMobile: true, hasTouch: true },
] as const;

/** Takes a picture, `shots/<what>-<name>.png`, and looks for what some people, or all, could not use. */
export async function look(page: Page, what: string, name: string): Promise<void> {
  // Moving things are looked at when they rest; one that is taken away does not come to its end.
  await page.waitForFunction(() => document.getAnimations().every((one) => one.playState !== "running" || one.effect?.getTiming().iterations === Infinity));
  expect(await outside(page), what).toEqual([]);
  await page.screenshot({ path: join(import.meta.dirname, `shots/${what}-${name}.png`) });
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  const serious = violations
    .filter((one) => one.impact === "serious" || one.impact === "critical")
    .map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
  expect(serious, what).toEqual([]);
}

/** Buttons that stand outside of the window, where nobody can press them; what can be scrolled to is not. */
function outside(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isScrolled = (element: Element | null): boolean =>
      element !== null && (/auto|scroll/.test(getComputedStyle(element).overflowX) || isScrolled(element.parentElement));
    return [...document.querySelectorAll("main button, dialog button")]
      .filter((button) => button.checkVisibility() && !button.closest("[popover]") && !isScrolled(button.closest("ul, ol, pre, table, .pickers")))
      .filter((button) => button.getBoundingClientRect().right > innerWidth + 1)
      .map((button) => button.outerHTML.slice(0, 120));
  });
}
