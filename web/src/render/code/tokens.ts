/** Coloured text as tokens, line by line: what a highlighter says, without its HTML. */

/** A piece of a line that looks the same; `class` is empty for plain text. */
export type CodeToken = { readonly text: string; readonly class: string };

/** A line of code. */
export type CodeLine = readonly CodeToken[];

const ENTITY: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
const PIECE = /<span class="([^"]*)">|<\/span>|[^<]+|</g;

/** Lines of plain text. */
export function plainLines(text: string): CodeLine[] {
  return text.split("\n").map((line) => (line === "" ? [] : [{ text: line, class: "" }]));
}

/**
 * Reads the highlighter's output, which knows only spans with a class and escaped text, into
 * lines. Whatever else would stand there becomes text.
 */
export function linesOfHighlighted(html: string): CodeLine[] {
  const lines: CodeToken[][] = [[]];
  const classes: string[] = [];
  for (const match of html.matchAll(PIECE)) {
    const piece = match[0];
    if (match[1] !== undefined) {
      classes.push(match[1]);
      continue;
    }
    if (piece === "</span>") {
      classes.pop();
      continue;
    }
    const text = piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITY[entity] ?? entity);
    // A grammar within a grammar opens a span that says nothing about looks.
    const look = classes.findLast((name) => name.startsWith("hljs-")) ?? "";
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, class: look });
    }
  }
  return lines;
}

/** Parts of a line, as places in its text: from and to. */
export type Mark = readonly [number, number];

/** Cuts tokens where marks begin and end, and adds a class to what is marked. */
export function markLine(line: CodeLine, marks: readonly Mark[], name: string): CodeLine {
  if (marks.length === 0) return line;
  const cut: CodeToken[] = [];
  let at = 0;
  for (const token of line) {
    let from = 0;
    for (const [start, end] of marks) {
      const first = Math.min(Math.max(start - at, from), token.text.length);
      const last = Math.min(Math.max(end - at, first), token.text.length);
      if (last <= first) continue;
      if (first > from) cut.push({ text: token.text.slice(from, first), class: token.class });
      cut.push({ text: token.text.slice(first, last), class: `${token.class} ${name}`.trim() });
      from = last;
    }
    if (from < token.text.length) cut.push({ text: token.text.slice(from), class: token.class });
    at += token.text.length;
  }
  return cut;
}

/** Whether two lines look the same. */
export function isSameLine(a: CodeLine, b: CodeLine): boolean {
  if (a === b) return true;
  return a.length === b.length && a.every((token, i) => token.text === b[i]?.text && token.class === b[i]?.class);
}
