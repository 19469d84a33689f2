/**
 * Makes sure that the type check checks: a file with a type error in it must be reported. The checker
 * has been seen to report nothing at all with some compiler versions.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const directory = mkdtempSync(join(root, "src/canary-"));
try {
  const component = '<script lang="ts">const wrong: number = "a string";</script>\n{wrong}\n';
  writeFileSync(join(directory, "Canary.svelte"), component);
  const config = { extends: "../../tsconfig.json", include: ["."], exclude: [] };
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
  const check = join(root, "node_modules/svelte-check/bin/svelte-check");
  const { status, stdout } = spawnSync(process.execPath, [check, "--workspace", directory, "--tsconfig", join(directory, "tsconfig.json")], {
    encoding: "utf8",
  });
  if (status === 0 || !stdout.includes("not assignable")) {
    console.error(`the type check did not see an error that is there:\n${stdout}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(directory, { recursive: true });
}
