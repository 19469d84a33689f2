/** Numbers and names in the transcript, as people read them. */

import { named } from "./text/visible";

export { bytes, count, dollars, duration } from "../ui/time";

/** Milliseconds between two times as the API writes them; none where one of them is missing. */
export function between(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null;
  const ms = Date.parse(to) - Date.parse(from);
  return Number.isFinite(ms) && ms >= 0 ? ms : null;
}

/** `1 line`, `3,000 lines`. */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${String(n).replaceAll(/\B(?=(\d{3})+$)/g, ",")} ${n === 1 ? one : many}`;
}

/** A path's directory, with its slash, and its name. */
export function splitPath(path: string): { readonly directory: string; readonly name: string } {
  const at = Math.max(path.lastIndexOf("/", path.length - 2), path.lastIndexOf("\\", path.length - 2));
  return { directory: path.slice(0, at + 1), name: path.slice(at + 1) };
}

/** A text in one line, cut. */
export function oneLine(text: string, length = 160): string {
  const line = named(text.slice(0, length * 4).replace(/\s+/g, " ").trim());
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
