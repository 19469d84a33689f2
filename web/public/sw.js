/**
 * Keeps the client's own files, so that it opens while the daemon is away. Nothing of the API is kept.
 * The build puts the list of files here; another build is another list, and another cache.
 */

/** @type {{ version: string, files: string[] }} */
const BUILD = { version: "none", files: [] };

const CACHE = `pilothouse-${BUILD.version}`;

self.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(["/", ...BUILD.files]);
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener("activate", (event) => {
  const clear = async () => {
    const old = (await caches.keys()).filter((name) => name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clear());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || pathname.startsWith("/api/")) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (BUILD.files.includes(pathname)) event.respondWith(kept(request));
});

/**
 * Files have their contents' hash in their names: what is kept stays right.
 * @param {Request} request
 */
async function kept(request) {
  const known = await caches.match(request);
  return known ?? fetch(request);
}

/**
 * Every place is the same page, as new as the daemon has it.
 * @param {Request} request
 */
async function page(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const known = await caches.match("/");
    if (known) return known;
    throw error;
  }
}

/** A notification opens what it is about, in a window that is there already if one is. */
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const path = event.notification.data?.path ?? "/";
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(async ([window]) => {
      if (!window) return self.clients.openWindow(path);
      await window.focus();
      window.postMessage({ open: path });
    }),
  );
});
