/**
 * How much of a long text is put into the page. Nothing is lost: what is folded away is counted,
 * and the whole text stays at hand for copying and for "show all".
 */

/** How much is shown at once. */
export type Bounds = { readonly lines: number; readonly width: number };

/** What is shown of a text. */
export type Folded = {
  readonly text: string;
  /** Lines that are not shown. */
  readonly hiddenLines: number;
  /** Shown lines that are cut. */
  readonly cutLines: number;
  /** Lines of the whole. */
  readonly lines: number;
};

/** How many lines a text has; an end of line at its end begins no other line. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function cut(line: string, width: number): string {
  // Not between the halves of a surrogate pair.
  const last = line.charCodeAt(width - 1);
  return line.slice(0, last >= 0xd800 && last <= 0xdbff ? width - 1 : width);
}

/** The beginning of a text within bounds. */
export function foldEnd(text: string, bounds: Bounds): Folded {
  const kept: string[] = [];
  let cutLines = 0;
  let from = 0;
  while (from < text.length && kept.length < bounds.lines) {
    const end = text.indexOf("\n", from);
    const line = text.slice(from, end === -1 ? text.length : end);
    const isLong = line.length > bounds.width;
    if (isLong) cutLines++;
    kept.push(isLong ? `${cut(line, bounds.width)}…` : line);
    from = end === -1 ? text.length : end + 1;
  }
  const lines = countLines(text);
  return { text: kept.join("\n"), hiddenLines: lines - kept.length, cutLines, lines };
}

/** The end of a text within bounds: what a program printed last says most. */
export function foldStart(text: string, bounds: Bounds): Folded {
  const lines = countLines(text);
  let end = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let kept = 0; kept < bounds.lines && end >= 0; kept++) end = end === 0 ? -1 : text.lastIndexOf("\n", end - 1);
  const shown = foldEnd(text.slice(end + 1), bounds);
  return { ...shown, hiddenLines: lines - shown.lines, lines };
}
