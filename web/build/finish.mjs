/**
 * After the build: compresses what pays, and refuses an entry that is too large. The entry is what the
 * page loads before it shows anything.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const ENTRY_LIMIT = 150 * 1024;
const WORTH_IT = /\.(js|css|html|svg|webmanifest)$/;

const out = process.env["PILOTHOUSE_WEB_OUT"] ?? join(import.meta.dirname, "../dist");

for (const file of readdirSync(out, { recursive: true, encoding: "utf8" })) {
  if (!WORTH_IT.test(file)) continue;
  const bytes = readFileSync(join(out, file));
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const small = brotliCompressSync(bytes, { params });
  if (small.length < bytes.length * 0.9) writeFileSync(join(out, `${file}.br`), small);
}

const page = readFileSync(join(out, "index.html"), "utf8");
const scripts = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((match) => match[1] ?? "");
const size = scripts.reduce((sum, script) => sum + gzipSync(readFileSync(join(out, script))).length, 0);
console.log(`entry: ${(size / 1024).toFixed(1)} KiB gzip in ${scripts.length} files`);
if (scripts.length === 0 || size > ENTRY_LIMIT) {
  console.error(`the entry must be there and have at most ${ENTRY_LIMIT / 1024} KiB`);
  process.exitCode = 1;
}
