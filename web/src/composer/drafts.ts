/** What is half said, per session: kept in this browser, so that neither a reload nor a look elsewhere loses it. */

const PREFIX = "pilothouse.draft.";

export function draftOf(session: string): string {
  return localStorage.getItem(PREFIX + session) ?? "";
}

export function keepDraft(session: string, text: string): void {
  if (text === "") localStorage.removeItem(PREFIX + session);
  else localStorage.setItem(PREFIX + session, text);
}

/** The composer that is shown, for those who have a text for it. */
class Composers {
  #shown: { session: string; take: (text: string) => void } | null = null;

  show(session: string, take: (text: string) => void): () => void {
    const shown = { session, take };
    this.#shown = shown;
    return () => {
      if (this.#shown === shown) this.#shown = null;
    };
  }

  /** Puts a text back, before what was written since. */
  giveBack(session: string, text: string): void {
    if (this.#shown?.session === session) this.#shown.take(text);
    else keepDraft(session, [text, draftOf(session)].filter(Boolean).join("\n\n"));
  }
}

export const composers = new Composers();
