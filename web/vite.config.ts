import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

const daemon = process.env["PILOTHOUSE_DAEMON"] ?? "http://127.0.0.1:7717";

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: process.env["PILOTHOUSE_WEB_OUT"] ?? "dist",
    emptyOutDir: true,
    target: "es2023",
    // The policy of the pages allows no inline script and no data: font.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
  },
  server: { proxy: { "/api": { target: daemon, ws: true } } },
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
  },
});
