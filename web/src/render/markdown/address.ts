/** Which addresses a link may lead to. Everything else is shown as text. */

const SAFE = new Set(["http:", "https:", "mailto:"]);

/** The address, made whole, where it may be followed; else none. */
export function safeAddress(href: string): string | null {
  // Relative addresses would lead into this application.
  if (!/^(?:https?:\/\/|mailto:)/i.test(href) || href.length > 8192) return null;
  try {
    const url = new URL(href);
    return SAFE.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}
