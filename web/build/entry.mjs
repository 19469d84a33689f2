/** What a browser loads before a conversation can be seen. */

import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { parseAst } from "vite";

/** @typedef {{ readonly files: readonly string[], readonly bytes: number }} Entry */

/**
 * The scripts of the page and of the conversation with all that they import, and their size as gzip.
 * What is imported when it is needed (`import()`) is not part of it.
 *
 * @param {string} dist @returns {Entry}
 */
export function entryOf(dist) {
  const page = readFileSync(join(dist, "index.html"), "utf8");
  const scripts = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? "");
  const talk = chunks(dist, "SessionPage");
  if (scripts.length === 0 || talk.length === 0) throw new Error(`there is no entry in ${dist}`);
  const files = [...scripts, ...talk];
  const seen = new Set(files);
  // Grows while it is walked.
  for (const file of seen) for (const other of importsOf(dist, file)) seen.add(other);
  const bytes = [...seen].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0);
  return { files: [...seen], bytes };
}

/** The chunks of a module. @param {string} dist @param {string} name */
export function chunks(dist, name) {
  return readdirSync(join(dist, "assets"))
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith(".js"))
    .map((file) => `assets/${file}`);
}

/** @param {string} dist @param {string} file @returns {string[]} */
function importsOf(dist, file) {
  return parseAst(readFileSync(join(dist, file), "utf8")).body.flatMap((statement) => {
    const from = "source" in statement ? statement.source?.value : null;
    return typeof from === "string" && from.startsWith(".") ? [posix.join(posix.dirname(file), from)] : [];
  });
}
