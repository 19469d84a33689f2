/** What is half said in a session: its text and its files. One for each session, so that an upload ends where it belongs. */

import { Attachments } from "./attach.svelte";
import { keep, read, type KeptFile } from "./kept";

export class Draft {
  readonly attachments: Attachments;
  readonly #session: string;
  #text = $state("");

  constructor(session: string) {
    this.#session = session;
    const { text, files } = read(localStorage, session);
    this.#text = text;
    this.attachments = new Attachments(session, () => this.#keep());
    this.attachments.restore(files);
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#keep();
  }

  /** Another tab may have written, or sent it. */
  reread(): void {
    this.#text = read(localStorage, this.#session).text;
  }

  /** Puts something back, before what was written since. */
  giveBack(text: string, files: readonly KeptFile[]): void {
    this.attachments.restore(files);
    this.text = [text, this.#text].filter(Boolean).join("\n\n");
  }

  clear(): void {
    this.attachments.clear();
    this.text = "";
  }

  #keep(): void {
    keep(localStorage, this.#session, { text: this.#text, files: this.attachments.kept });
  }
}

const drafts = new Map<string, Draft>();

export function draftOf(session: string): Draft {
  let draft = drafts.get(session);
  if (!draft) drafts.set(session, (draft = new Draft(session)));
  return draft;
}
