/** Dialogs that are open: while one is, everything outside of it is out of reach, also what is told in passing. */

import { getContext, setContext, untrack, type Snippet } from "svelte";

class Modals {
  #open = $state.raw<readonly symbol[]>([]);

  /** Whether it is the one on top; without a name, whether there is none. */
  isTop(dialog?: symbol): boolean {
    return this.#open.at(-1) === dialog;
  }

  /** One is shown. Call what comes back when it is gone. */
  show(dialog: symbol): () => void {
    // Whoever shows one does not depend on which others are shown.
    this.#open = [...untrack(() => this.#open), dialog];
    return () => (this.#open = this.#open.filter((one) => one !== dialog));
  }
}

export const modals = new Modals();

const TOLD = Symbol("told");

/** What is told in passing, for whatever dialog lies on top. */
export function setTold(told: Snippet): void {
  setContext(TOLD, told);
}

export function getTold(): Snippet | undefined {
  return getContext<Snippet | undefined>(TOLD);
}
