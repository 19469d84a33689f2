/** For those who have something for a composer, be it shown or not. */

import { draftOf } from "./draft.svelte";
import type { KeptFile } from "./kept";

class Composers {
  #shown: { session: string; focus: () => void } | null = null;

  /** A composer is there; call what comes back when it is not any more. */
  show(session: string, focus: () => void): () => void {
    const shown = { session, focus };
    this.#shown = shown;
    return () => {
      if (this.#shown === shown) this.#shown = null;
    };
  }

  /** Puts a prompt back, before what was written since. */
  giveBack(session: string, text: string, files: readonly KeptFile[] = []): void {
    draftOf(session).giveBack(text, files);
    if (this.#shown?.session === session) this.#shown.focus();
  }
}

export const composers = new Composers();
