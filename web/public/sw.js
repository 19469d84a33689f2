/**
 * Keeps the page itself, so that it opens while the daemon is away. Nothing of the API is kept.
 * Files under /assets/ have their contents' hash in their names: what is kept stays right.
 */

const CACHE = "pilothouse-1";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.add("/")));
  self.skipWaiting();
});

self.addEventListener("activate", (event) => {
  event.waitUntil(self.clients.claim());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/")) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(kept(request));
  else if (request.mode === "navigate") event.respondWith(page(request));
});

async function kept(request) {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known) return known;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Every route is the same page. A new one makes the files of the old one useless. */
async function page(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) {
      const [before, now] = await Promise.all([cache.match("/").then((old) => old?.text()), response.clone().text()]);
      if (before !== now) {
        const stale = (await cache.keys()).filter((key) => new URL(key.url).pathname.startsWith("/assets/"));
        await Promise.all(stale.map((key) => cache.delete(key)));
        await cache.put("/", response.clone());
      }
    }
    return response;
  } catch (error) {
    const known = await cache.match("/");
    if (known) return known;
    throw error;
  }
}
