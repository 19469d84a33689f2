/**
 * After the build: tells the service worker which files there are, compresses what pays, and refuses
 * an entry that is too large.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** What is loaded before a conversation can be seen: the page and its first chunk. */
const ENTRY_LIMIT = 150 * 1024;
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
  const page = readFileSync(join(out, "index.html"), "utf8");
  const scripts = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? "");
  const talk = files.filter((file) => /^assets\/SessionPage-[^/]*\.js$/.test(file));
  const size = [...scripts, ...talk].reduce((sum, file) => sum + gzipSync(readFileSync(join(out, file))).length, 0);
  console.log(`entry: ${(size / 1024).toFixed(1)} KiB gzip, the conversation included`);
  if (scripts.length === 0 || talk.length === 0 || size > ENTRY_LIMIT) {
    throw new Error(`the entry must be there and have at most ${ENTRY_LIMIT / 1024} KiB`);
  }
}
