import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { ProxyOptions } from "vite";
import { defineConfig } from "vitest/config";

const daemon = process.env["PILOTHOUSE_DAEMON"] ?? "http://127.0.0.1:7717";

/** The daemon lets in only pages of its own: in development this server is one. */
const api: ProxyOptions = {
  target: daemon,
  changeOrigin: true,
  ws: true,
  configure: (proxy) => {
    proxy.on("proxyReq", (request) => request.setHeader("origin", daemon));
    proxy.on("proxyReqWs", (request) => request.setHeader("origin", daemon));
  },
};

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
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // By themselves: else the bundler's own helpers end up in the highlighter, and everything loads it.
            { name: "helpers", test: /rolldown[/:]runtime/ },
            { name: "highlighter", test: /highlight\.js\/(?:lib|es)\/core\.js/ },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": api } },
  test: {
    include: ["src/**/*.test.ts", "build/**/*.test.ts"],
    environment: "node",
  },
});
