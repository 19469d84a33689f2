/** What a directory picker offers for what is typed. Pure. */

import type { Directories } from "../../api/types";

/** What is looked for: names that begin so, in a directory; with neither, wherever the daemon begins. */
export type Sought = { readonly path: string | null; readonly starts: string };

/** The text up to its last slash, and what comes after it. */
export function soughtBy(text: string): Sought {
  const end = text.lastIndexOf("/");
  if (end < 0) return { path: null, starts: text };
  return { path: text.slice(0, end) || "/", starts: text.slice(end + 1) };
}

/** Something that can be chosen. */
export type Choice = {
  readonly kind: "recent" | "up" | "inside";
  readonly name: string;
  /** What is typed then: with a slash at its end, one looks on in it. */
  readonly text: string;
};

const RECENT = 6;

/** Recent ones first: all of them until something else is typed, then those that have it in them. */
export function choices(text: string, recent: readonly string[], found: Directories | null): Choice[] {
  const typed = text.trim();
  const isOne = recent.includes(typed);
  const before = recent.filter((one) => isOne || one.includes(typed)).slice(0, RECENT);
  const offered: Choice[] = before.map((path) => ({ kind: "recent", name: path, text: path }));
  if (found === null) return offered;
  const { starts } = soughtBy(text);
  if (found.parent !== null && starts === "") offered.push({ kind: "up", name: "..", text: below(found.parent, "") });
  for (const name of found.names) {
    // The answer may be to what was typed a letter ago.
    if (name.toLowerCase().startsWith(starts.toLowerCase())) offered.push({ kind: "inside", name, text: `${below(found.path, name)}/` });
  }
  return offered;
}

/**
 * What Tab makes of it: as in a shell, what has begun is completed. A name that is whole, or a directory
 * that is known, is meant as it is, whatever else begins so.
 */
export function completion(text: string, recent: readonly string[], found: Directories | null): Choice | null {
  const { starts } = soughtBy(text);
  if (starts === "" || recent.includes(text.trim()) || found === null || found.names.includes(starts)) return null;
  return choices(text, recent, found).find((one) => one.kind === "inside") ?? null;
}

function below(path: string, name: string): string {
  return path.endsWith("/") ? path + name : `${path}/${name}`;
}

/** The directory that is meant. */
export function meant(text: string): string {
  const typed = text.trim();
  return typed.replace(/(?<=.)\/+$/, "");
}
