/** Where things are on a page. */

import type { Page } from "playwright-core";

export const composer = (page: Page) => page.getByRole("combobox", { name: "Message" });
export const talk = (page: Page) => page.getByRole("region", { name: "Conversation" });
/** A request whose keys work. */
export const card = (page: Page) => page.locator("section[data-approval].armed");

/** A text as a whole, in the conversation. */
export const said = (page: Page, text: string) => talk(page).getByText(text, { exact: true });

/** Says something and waits until the page has taken it. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}
