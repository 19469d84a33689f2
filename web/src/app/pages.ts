/**
 * The pages besides the list, each loaded when it is first looked at. A new page is a place in
 * `route.svelte.ts` and an entry here; it gets its place as a property.
 */

import type { Component } from "svelte";

import type { Place } from "./route.svelte";

/** A page, as the frame sees it. */
export type Page = Component<{ place: Place }>;

export const pages: Partial<Record<Place["at"], () => Promise<{ default: Page }>>> = {
  session: page(() => import("../conversation/SessionPage.svelte")),
  pictures: page(() => import("../pictures/Pictures.svelte")),
  settings: page(() => import("../settings/SettingsPage.svelte")),
  approvals: page(() => import("../approvals/ApprovalsPage.svelte")),
};

/** A page takes its own kind of place only, and its entry above gives it no other. */
function page<P extends Place>(load: () => Promise<{ default: Component<{ place: P }> | Component<Record<string, never>> }>): () => Promise<{ default: Page }> {
  return load as unknown as () => Promise<{ default: Page }>;
}
