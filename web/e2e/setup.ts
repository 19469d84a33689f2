/**
 * Builds what the stories need: the client, the daemon, the simulated CLI, and what brings the real one. Where they are built
 * already, `PILOTHOUSE_E2E_BIN` names the directory of the programs and `PILOTHOUSE_E2E_WEB` that of
 * the client.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    bin: string;
    web: string;
    chromium: string;
  }
}

const web = join(import.meta.dirname, "..");
const root = join(web, "..");

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export default function setup(project: TestProject): void {
  const run = (program: string, args: string[], cwd: string, env = {}) =>
    execFileSync(program, args, { cwd, stdio: "inherit", env: { ...process.env, ...env } });
  const chromium = process.env["CHROMIUM"] ?? BROWSERS.find((path) => existsSync(path));
  if (!chromium) throw new Error("there is no Chromium: install it (apt-get install chromium) or name it in CHROMIUM");

  let bin = process.env["PILOTHOUSE_E2E_BIN"];
  if (!bin) {
    const build = ["build", "-q", "-p", "pilothouse-host", "--bin", "pilothouse-daemon", "-p", "testkit", "--bin", "sim", "--bin", "real-cli"];
    run("cargo", build, root);
    bin = join(process.env["CARGO_TARGET_DIR"] ?? join(root, "target"), "debug");
  }
  let dist = process.env["PILOTHOUSE_E2E_WEB"];
  if (!dist) {
    dist = join(web, "node_modules/.e2e/dist");
    // Tests run in an environment of their own, which must not be built in.
    run("npm", ["run", "-s", "build"], web, { PILOTHOUSE_WEB_OUT: dist, NODE_ENV: "production" });
  }
  mkdirSync(join(web, "e2e/shots"), { recursive: true });
  project.provide("bin", bin);
  project.provide("web", dist);
  project.provide("chromium", chromium);
}
