/** When a key is an answer, and when it belongs to something else. */

/** After a request appears, so long its keys do nothing: who was typing meant something else. */
export const GUARD = 400;

const FIELDS = 'input:not([type="checkbox"], [type="radio"], [type="button"]), textarea, select, [contenteditable="true"]';

/** Something is written where the focus is. */
export function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(FIELDS);
}

/** A plain key that nobody else wants. */
export function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  // Whatever lies over the page has the keys.
  return !isWriting(event.target) && document.querySelector("dialog[open], :popover-open") === null;
}

/** Whether the focus may be taken: nobody is in the middle of something. */
export function mayTakeFocus(): boolean {
  const at = document.activeElement;
  if (at === null || at === document.body) return true;
  return at instanceof HTMLTextAreaElement && at.value === "";
}
