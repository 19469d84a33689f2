/**
 * Pictures shown large. They are on the page itself, not in the row that shows them small: a row that
 * scrolls out of sight is taken away, and what it contains with it.
 */

import { mount, unmount } from "svelte";

import LargePicture from "./LargePicture.svelte";

export type Large = { source: string; alt: string; facts: string };

export function showLarge(picture: Large): void {
  const shown = mount(LargePicture, { target: document.body, props: { ...picture, onclose: () => void unmount(shown) } });
}
