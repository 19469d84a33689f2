/** What is run within the page to see how it does. Each function stands alone: it is sent as text. */

/**
 * Notes when the first and the last of a session arrived, and when its last words were painted.
 *
 * @param {string} words
 */
export function observePaint(words) {
  let first = 0;
  let last = 0;
  globalThis.WebSocket = class extends WebSocket {
    /** @param {string | URL} address @param {string | string[]} [protocols] */
    constructor(address, protocols) {
      super(address, protocols);
      // Heard before the client hears it.
      this.addEventListener("message", ({ data }) => {
        const beginning = String(data).slice(0, 20);
        if (!first && beginning.startsWith('[{"type":"events"')) first = performance.now();
        if (!last && beginning.startsWith('[{"type":"live"')) last = performance.now();
      });
    }
  };
  const look = () => {
    const text = first > 0 ? document.querySelector("[aria-label=Conversation]") : null;
    const rows = text?.querySelectorAll("[data-kind=text]") ?? [];
    const row = rows[rows.length - 1];
    const frame = text?.getBoundingClientRect();
    const box = row?.textContent?.includes(words) ? row.getBoundingClientRect() : null;
    if (!box || !frame || box.bottom > frame.bottom || box.bottom < frame.top) {
      requestAnimationFrame(look);
      return;
    }
    // A message is delivered after the frame that is being made has been drawn.
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      globalThis.painted = { first, last, painted: performance.now() };
    };
    channel.port2.postMessage(null);
  };
  requestAnimationFrame(look);
}

/** Counts frames and long tasks from now on. */
export function observeFrames() {
  /** @type {number[]} */
  const gaps = [];
  let tasks = 0;
  new PerformanceObserver((list) => (tasks += list.getEntries().length)).observe({ type: "longtask" });
  let before = 0;
  const frame = (/** @type {number} */ now) => {
    if (before) gaps.push(now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  globalThis.frames_seen = () => ({ gaps, tasks });
}
