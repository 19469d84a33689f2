import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.e2e.ts"],
    globalSetup: ["./setup.ts"],
    setupFiles: ["./failed.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Each file has a daemon and a browser of its own; two at a time are enough for small machines.
    maxWorkers: 2,
  },
});
