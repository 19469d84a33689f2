/**
 * The page's half of a login.
 *
 * The browser sends the cookie to every server on this host, whatever its port, so the daemon does not
 * accept it alone. The page keeps a key in `localStorage`, which belongs to this origin only, and never
 * sends it: each request carries an HMAC of its method, its path and the daemon's challenge. A server
 * that takes the port while the daemon is down learns nothing that the next daemon accepts.
 *
 * The HMAC is not the browser's own, because `crypto.subtle` is absent on plain http of other machines.
 */

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

const PLACE = "pilothouse.page-key";
const CHALLENGE = "x-pilothouse-challenge";
/** What keys and challenges are made of. `WebSocket` throws for a subprotocol with other characters. */
const TOKEN = /^[\w-]{1,200}$/;

/** Where the browser keeps nothing, the key lasts as long as the page. */
let unkept: string | null = null;
/** The latest challenge of the daemon. Before the first there is one that it refuses, and answers with its own. */
let challenge = "none";

/** Keeps the key of a login that has begun. */
export function keepKey(key: string): void {
  unkept = key;
  try {
    // First, so that a full storage does not leave the key of the login before in it.
    localStorage.removeItem(PLACE);
    localStorage.setItem(PLACE, key);
  } catch {
    // Private windows of some browsers.
  }
}

/** Forgets the key of a login that has ended. */
export function forgetKey(): void {
  unkept = null;
  try {
    localStorage.removeItem(PLACE);
  } catch {
    // There is none.
  }
}

/** Remembers the challenge of a response. Whoever has the port may have sent it. */
export function learn(response: Response): void {
  const given = response.headers.get(CHALLENGE);
  if (given !== null && TOKEN.test(given)) challenge = given;
}

/** The proof for a request, or null where there is no key. */
export function proof(method: string, address: string): string | null {
  const key = kept();
  if (key === null) return null;
  const text = `pilothouse-proof-1\n${method}\n${address}\n${challenge}`;
  return `${challenge}.${encoded(hmac(sha256, decoded(key), new TextEncoder().encode(text)))}`;
}

/** The subprotocols to offer for a WebSocket: browsers can set no headers there. */
export function subprotocols(address: string): string[] {
  const given = proof("GET", address);
  return given === null ? ["pilothouse.1"] : ["pilothouse.1", `proof.${given}`];
}

/** Read each time: another tab may have logged in since. */
function kept(): string | null {
  try {
    const key = localStorage.getItem(PLACE) ?? unkept;
    return key !== null && isKey(key) ? key : null;
  } catch {
    return unkept;
  }
}

/** Whether `decoded` takes it: no base64 has one letter more than a multiple of four. */
function isKey(text: string): boolean {
  return TOKEN.test(text) && text.length % 4 !== 1;
}

function decoded(base64url: string): Uint8Array {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function encoded(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
