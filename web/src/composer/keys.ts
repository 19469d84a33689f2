/** What keys and the clipboard mean in the composer. Pure. */

/** What a key wants. */
export type Wish = "leave alone" | "next mode" | "send" | "send now" | "let go";

/** Where the composer stands when a key is pressed. */
export type Around = {
  /** Enter sends. On glass, where nobody can press Shift, it begins a line. */
  readonly hasKeys: boolean;
  /** Somebody walks through the page by Tab: who came so, or has pressed Escape, goes on so until something is written. */
  readonly isPassing: boolean;
};

type Key = Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

export function wishOf(key: Key, { hasKeys, isPassing }: Around): Wish {
  switch (key.key) {
    case "Escape":
      return "let go";
    case "Tab":
      return key.shiftKey && !isPassing ? "next mode" : "leave alone";
    case "Enter":
      if (key.ctrlKey || key.metaKey || key.altKey) return "send now";
      return key.shiftKey || !hasKeys ? "leave alone" : "send";
    default:
      return "leave alone";
  }
}

/**
 * Whether files are meant by what is pasted. Spreadsheets give a picture of what is a text; who copies
 * files gets their names as a text besides.
 */
export function meansFiles(text: string, names: readonly string[]): boolean {
  if (names.length === 0) return false;
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  return lines.every((line) => names.some((name) => line === name || line.endsWith(`/${encodeURI(name)}`) || line.endsWith(`/${name}`)));
}
