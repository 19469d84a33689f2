/** What has been written of policies and not saved: looking at another one does not lose it. Lives as long as the page. */

import { SvelteMap } from "svelte/reactivity";

/** A text that is not saved, and the name it is to have. */
export type Draft = { readonly name: string; readonly text: string };

/** By what is edited: see `placeOf`. */
export const unsaved = new SvelteMap<string, Draft>();

/** A policy that is there, or a new one, by what it was begun from. */
export type Edited = { readonly policy: string } | { readonly begunFrom: string | null };

export function placeOf(edited: Edited): string {
  return "policy" in edited ? `policy ${edited.policy}` : `new ${edited.begunFrom ?? ""}`;
}

/** Keeps what is written, or forgets it where it says nothing new. */
export function keep(place: string, draft: Draft, before: Draft): void {
  if (draft.text === before.text && draft.name === before.name) unsaved.delete(place);
  else unsaved.set(place, draft);
}
