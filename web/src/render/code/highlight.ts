/**
 * Colours code. The highlighter and each language are loaded when they are first needed; what is
 * too large, or in no language we know, stays plain. Never fails: without colours code is still code.
 */

import type { HLJSApi } from "highlight.js";
import { languageNamed, load, type Language } from "./languages";
import { linesOfHighlighted, plainLines, type CodeLine } from "./tokens";

const LARGEST = 200_000;
const LONGEST_LINE = 5_000;

let core: HLJSApi | null = null;
const ready = new Set<Language>();
const pending = new Map<Language, Promise<boolean>>();

/** Whether a language can be used now. */
export function isReady(language: Language): boolean {
  return ready.has(language);
}

/** Makes a language ready; false where it could not be loaded. */
export function prepare(language: Language): Promise<boolean> {
  if (ready.has(language)) return Promise.resolve(true);
  let loading = pending.get(language);
  if (loading === undefined) {
    loading = fetchLanguage(language);
    pending.set(language, loading);
  }
  return loading;
}

async function fetchLanguage(language: Language): Promise<boolean> {
  try {
    const [hljs, grammar] = await Promise.all([import("highlight.js/lib/core"), load(language)]);
    core ??= hljs.default;
    core.registerLanguage(language, grammar.default);
    ready.add(language);
    return true;
  } catch {
    // Offline, or a newer client was put there meanwhile; asked again next time.
    return false;
  } finally {
    pending.delete(language);
  }
}

/** Whether a text is worth colouring. */
export function isColourable(text: string): boolean {
  if (text.length > LARGEST) return false;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    if ((end === -1 ? text.length : end) - from > LONGEST_LINE) return false;
    if (end === -1) break;
    from = end + 1;
  }
  return true;
}

/** The lines of a text, coloured if its language is ready. */
export function colour(text: string, language: Language | null): CodeLine[] {
  if (language === null || core === null || !ready.has(language) || !isColourable(text)) return plainLines(text);
  try {
    return linesOfHighlighted(core.highlight(text, { language, ignoreIllegals: true }).value);
  } catch {
    return plainLines(text);
  }
}

export { languageNamed };
