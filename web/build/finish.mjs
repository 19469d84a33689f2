/**
 * After the build: tells the service worker which files there are, compresses what pays, and refuses
 * an entry that is too large.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import { chunks, entryOf } from "./entry.mjs";

/** What may be loaded before a conversation can be seen. */
const ENTRY_LIMIT = 150 * 1024;
/** What not every conversation needs: the highlighter, changes of files, going back. */
const LATER = ["highlighter", "DiffView", "Rewind"];
const WORTH_IT = /\.(js|css|html|svg|webmanifest)$/;
const NO_BUILD = '{ version: "none", files: [] }';

const out = process.env["PILOTHOUSE_WEB_OUT"] ?? join(import.meta.dirname, "../dist");

const files = readdirSync(out, { recursive: true, encoding: "utf8" })
  .filter((file) => statSync(join(out, file)).isFile())
  .map((file) => file.replaceAll("\\", "/"))
  .toSorted();

listFiles();
files.forEach(compress);
checkEntry();

function listFiles() {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  const version = hash.digest("hex").slice(0, 12);
  const kept = files.filter((file) => file.startsWith("assets/") || file === "icon.svg").map((file) => `/${file}`);
  const worker = readFileSync(join(out, "sw.js"), "utf8");
  if (!worker.includes(NO_BUILD)) throw new Error("sw.js has no place for the list of files");
  writeFileSync(join(out, "sw.js"), worker.replace(NO_BUILD, JSON.stringify({ version, files: kept })));
}

/** @param {string} file */
function compress(file) {
  if (!WORTH_IT.test(file)) return;
  const bytes = readFileSync(join(out, file));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const small = brotliCompressSync(bytes, { params });
  if (small.length < bytes.length * 0.9) writeFileSync(join(out, `${file}.br`), small);
}

function checkEntry() {
  const { files: loaded, bytes } = entryOf(out);
  console.log(`entry: ${(bytes / 1024).toFixed(1)} KiB gzip, the conversation included`);
  if (bytes > ENTRY_LIMIT) throw new Error(`the entry must have at most ${ENTRY_LIMIT / 1024} KiB`);
  for (const name of LATER) {
    const found = chunks(out, name);
    if (found.length === 0) throw new Error(`${name} has no chunk of its own`);
    if (found.some((file) => loaded.includes(file))) throw new Error(`${name} must be loaded when it is needed, not with the entry`);
  }
}
