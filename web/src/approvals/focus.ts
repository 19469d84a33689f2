/** Who gets the focus when it appears. */

import type { Attachment } from "svelte/attachments";

import { mayTakeFocus } from "./keys";

/** What is most likely wanted, unless somebody is in the middle of something else. */
export const offerFocus: Attachment<HTMLElement> = (element) => {
  if (mayTakeFocus()) element.focus({ preventScroll: true });
};

/** What a person has asked for by a key, wherever the focus was. */
export const takeFocus: Attachment<HTMLElement> = (element) => {
  element.focus({ preventScroll: true });
};
