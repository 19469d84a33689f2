/** The keys of the list. Pure. */

/**
 * Alt+N, also while something is written: with Alt nothing is typed. By the letter where the key has
 * one; on a Mac the key with Option is an accent, and only its place says which it was.
 */
export function opensNew(event: Pick<KeyboardEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "key" | "code">): boolean {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
  return /^[a-z]$/i.test(event.key) ? event.key.toLowerCase() === "n" : event.code === "KeyN";
}
