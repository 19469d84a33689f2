/** What a person has asked for by a key gets the focus, wherever it was. */

import type { Attachment } from "svelte/attachments";

export const takeFocus: Attachment<HTMLElement> = (element) => {
  element.focus({ preventScroll: true });
};
