/**
 * Saves a file of the API.
 *
 * A link cannot prove the page's key, so the file is fetched and handed to the browser as a blob, which
 * browsers keep on disk where it is large. Addresses that work without the key, even once, would be one
 * more way in.
 */

import { fetched } from "./rest";

/** The browser has begun to save long before. */
const KEPT = 60_000;

/** Saves what is at an address of the API under a name. Throws `Refused` or `Unreachable`. */
export async function save(address: string, name: string): Promise<void> {
  const blob = await fetched(address, "long");
  // Never something that a browser would open as a page of this origin.
  const url = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT);
}
