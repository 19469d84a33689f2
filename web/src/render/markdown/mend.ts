/**
 * Makes the end of a half-written block read as it will when it is whole: what is open is closed,
 * what is not yet anything is left out. Only the last paragraph is looked at, and only while the
 * text is being written; a finished text is never touched.
 */

// A last line that may become a rule, an underline of a heading, an item, a fence or a table's
// second line, and would be taken for another of these until it is whole.
const UNDECIDED = /^[ \t>]*(?:[-=*_+~#]{1,6}|\d{1,9}[.)]?|`{1,2}|[-*+][ \t]+\[[ x]?|\|?[ \t]*:?-[-:| \t]*)[ \t]*$/;
const LONGEST_UNDECIDED = 200;
const LONGEST = 20_000;

/** The block's source as it is to be drawn now. */
export function mend(source: string): string {
  const lineStart = source.lastIndexOf("\n") + 1;
  if (isInFence(source)) return source;
  let text = source;
  if (source.length - lineStart < LONGEST_UNDECIDED && UNDECIDED.test(source.slice(lineStart))) text = source.slice(0, lineStart).trimEnd();
  const blank = text.lastIndexOf("\n\n");
  const paragraph = Math.max(blank === -1 ? 0 : blank + 2, lastItem(text));
  if (text.length - paragraph > LONGEST) return text;
  return text.slice(0, paragraph) + closeInline(text.slice(paragraph));
}

function isInFence(source: string): boolean {
  let fence: string | null = null;
  for (const match of source.matchAll(/^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})(.*)$/gm)) {
    const marks = match[1] ?? "";
    if (fence === null) fence = marks;
    else if (marks[0] === fence[0] && marks.length >= fence.length && match[2]?.trim() === "") fence = null;
  }
  return fence !== null;
}

function lastItem(text: string): number {
  let start = 0;
  for (const match of text.matchAll(/^[ \t>]*(?:[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+|^[ \t]*\|/gm)) start = match.index + match[0].length;
  return start;
}

/** Closes emphasis and code, and shows the text of a link whose address is not whole. */
function closeInline(text: string): string {
  const open: string[] = [];
  const marks = /\\[\s\S]|`+|\*{1,3}|_{1,3}|~~/g;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const mark = match[0];
    if (mark.startsWith("\\")) continue;
    if (mark.startsWith("`")) {
      const end = closingTicks(text, mark, marks.lastIndex);
      if (end === -1) return endSpan(text, match.index, mark, open);
      marks.lastIndex = end;
      continue;
    }
    const before = text[match.index - 1] ?? " ";
    const after = text[marks.lastIndex] ?? " ";
    if (mark.startsWith("_") && /\w/.test(before) && /\w/.test(after)) continue;
    if (open.at(-1) === mark && !/\s/.test(before)) open.pop();
    else if (!/\s/.test(after)) open.push(mark);
  }
  const link = /!?\[([^[\]\n]*)\]\([^()\s]*$/.exec(text);
  const shown = link === null ? text : text.slice(0, link.index) + (link[1] ?? "");
  return closeAll(shown, open);
}

function closingTicks(text: string, ticks: string, from: number): number {
  for (let at = text.indexOf(ticks, from); at !== -1; ) {
    let end = at;
    while (text[end] === "`") end++;
    if (end - at === ticks.length) return end;
    at = text.indexOf(ticks, end);
  }
  return -1;
}

function endSpan(text: string, at: number, ticks: string, open: readonly string[]): string {
  const inside = text.slice(at + ticks.length);
  if (inside.trim() === "" || inside.endsWith("`")) return closeAll(text.slice(0, at), open);
  return closeAll(`${text}${ticks}`, open);
}

function closeAll(text: string, open: readonly string[]): string {
  if (open.length === 0 || open.length > 8) return stripOpening(text);
  let shown = stripHalf(stripOpening(text), open.at(-1) ?? "");
  const trailing = shown.slice(shown.trimEnd().length);
  shown = shown.trimEnd();
  for (const mark of open.toReversed()) shown += mark;
  return shown + trailing;
}

/** Of a closing mark of several characters the first may be there already. */
function stripHalf(text: string, mark: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark[0]) end--;
  return text.length - end < mark.length ? text.slice(0, end) : text;
}

/** Marks that stand at the very end have opened nothing yet, or are half of a closing pair. */
function stripOpening(text: string): string {
  return text.replace(/(^|[\s([])(?:\*{1,3}|_{1,3}|~{1,2})$/, "$1");
}
