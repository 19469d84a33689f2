/**
 * What programs print for terminals, as styled runs of text. Colours become names of classes, so
 * that no style is ever written into the page. Total and linear: every input gives some runs; no
 * sequence moves outside its line, sets a title, opens a link or answers anything, and one that
 * does not end hides nothing.
 */

/** A run of text that looks the same. `classes` is empty for plain text. */
export type Run = { readonly text: string; readonly classes: string };

type Style = {
  fg: number | null;
  bg: number | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
};

const PLAIN: Style = {
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
};

// A string sequence that does not end within this is no sequence: else one byte could swallow
// everything that follows.
const LONGEST_STRING = 4096;
const LONGEST_CSI = 256;

const CUBE = [0, 95, 135, 175, 215, 255];
// The sixteen as xterm has them; only distances are taken from this, the theme has the colours.
const SIXTEEN: readonly (readonly [number, number, number])[] = [
  [0, 0, 0], [205, 0, 0], [0, 205, 0], [205, 205, 0], [0, 0, 238], [205, 0, 205], [0, 205, 205], [229, 229, 229],
  [127, 127, 127], [255, 0, 0], [0, 255, 0], [255, 255, 0], [92, 92, 255], [255, 0, 255], [0, 255, 255], [255, 255, 255],
];

function nearest(r: number, g: number, b: number): number {
  let best = 0;
  let least = Infinity;
  for (const [index, [x, y, z]] of SIXTEEN.entries()) {
    const distance = (r - x) ** 2 + (g - y) ** 2 + (b - z) ** 2;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function indexed(n: number): number | null {
  if (!(n >= 0 && n <= 255)) return null;
  if (n < 16) return n;
  if (n >= 232) return nearest(8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10);
  const at = n - 16;
  return nearest(CUBE[Math.floor(at / 36)] ?? 0, CUBE[Math.floor(at / 6) % 6] ?? 0, CUBE[at % 6] ?? 0);
}

/** The colour after 38 or 48, and how many parameters it took. */
function extended(codes: readonly number[], at: number): { colour: number | null; took: number } {
  if (codes[at] === 5) return { colour: indexed(codes[at + 1] ?? -1), took: 2 };
  if (codes[at] === 2) {
    return { colour: nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), took: 4 };
  }
  return { colour: null, took: 0 };
}

function withCodes(style: Style, parameters: string): Style {
  const next = { ...style };
  // 38:2::r:g:b has an empty place for a colour space.
  const codes = parameters.replace(/([34]8):2:[^:;]*:(\d+:\d+:\d+)/g, "$1:2:$2").split(/[;:]/).map(Number);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 0) Object.assign(next, PLAIN);
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4 || code === 21) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 9) next.strike = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.inverse = false;
    else if (code === 29) next.strike = false;
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code >= 90 && code <= 97) next.fg = code - 82;
    else if (code >= 100 && code <= 107) next.bg = code - 92;
    else if (code === 39) next.fg = null;
    else if (code === 49) next.bg = null;
    else if (code === 38 || code === 48) {
      const { colour, took } = extended(codes, i + 1);
      // What follows a colour that is none cannot be told apart.
      if (took === 0) break;
      if (code === 38) next.fg = colour;
      else next.bg = colour;
      i += took;
    }
    // 8 (conceal) is not obeyed: what was printed is shown.
  }
  return next;
}

function classesOf(style: Style): string {
  const names: string[] = [];
  if (style.fg !== null) names.push(`a-f${style.fg}`);
  if (style.bg !== null) names.push(`a-b${style.bg}`);
  if (style.bold) names.push("a-bold");
  if (style.dim) names.push("a-dim");
  if (style.italic) names.push("a-italic");
  if (style.underline) names.push("a-underline");
  if (style.strike) names.push("a-strike");
  if (style.inverse) names.push("a-inverse");
  return names.join(" ");
}

/** The line that is being written: characters that can be written over, each with its look. */
class Line {
  private cells: string[] = [];
  private looks: string[] = [];
  private column = 0;

  write(text: string, look: string): void {
    for (const character of text) {
      for (; this.cells.length < this.column; this.looks.push("")) this.cells.push(" ");
      this.cells[this.column] = character;
      this.looks[this.column] = look;
      this.column++;
    }
  }

  back(): void {
    this.column = Math.max(0, this.column - 1);
  }

  toStart(): void {
    this.column = 0;
  }

  erase(how: number): void {
    if (how === 0) this.cells.length = this.looks.length = Math.min(this.column, this.cells.length);
    else if (how === 1) {
      this.cells.fill(" ", 0, this.column + 1);
      this.looks.fill("", 0, this.column + 1);
    } else if (how === 2) this.cells.length = this.looks.length = 0;
  }

  /** Moves the line's runs to the end of `runs` and begins anew, in the first column. */
  flush(runs: Run[], end: string): void {
    let text = "";
    let look = this.looks[0] ?? "";
    for (const [index, cell] of this.cells.entries()) {
      const here = this.looks[index] ?? "";
      if (here !== look) {
        push(runs, text, look);
        text = "";
        look = here;
      }
      text += cell;
    }
    push(runs, text, look);
    push(runs, end, "");
    this.cells = [];
    this.looks = [];
    this.column = 0;
  }
}

function push(runs: Run[], text: string, classes: string): void {
  if (text === "") return;
  const last = runs.at(-1);
  if (last?.classes === classes) runs[runs.length - 1] = { text: last.text + text, classes };
  else runs.push({ text, classes });
}

/** Where an escape sequence that starts at `at` ends, and its style codes if it is one of colours. */
function sequence(text: string, at: number): { end: number; sgr?: string; erase?: number } {
  const introducer = text[at] === "\u001b" ? text[at + 1] : text[at];
  const body = text[at] === "\u001b" ? at + 2 : at + 1;
  if (introducer === "[" || introducer === "\u009b") {
    for (let i = body; i < text.length && i - body < LONGEST_CSI; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x40 && code <= 0x7e) {
        const parameters = text.slice(body, i);
        if (text[i] === "m" && /^[\d;:]*$/.test(parameters)) return { end: i + 1, sgr: parameters };
        if (text[i] === "K") return { end: i + 1, erase: Number(parameters) || 0 };
        return { end: i + 1 };
      }
      if (code < 0x20 || code > 0x3f) return { end: i };
    }
    // One that the text ends in is left out: the rest of it may still come.
    return { end: text.length - body < LONGEST_CSI ? text.length : body };
  }
  if (introducer !== undefined && "]PX^_\u0090\u0098\u009d\u009e\u009f".includes(introducer)) {
    for (let i = body; i < text.length && i - body < LONGEST_STRING; i++) {
      if (text[i] === "\u0007" || text[i] === "\u009c") return { end: i + 1 };
      if (text[i] === "\u001b") return { end: text[i + 1] === "\\" ? i + 2 : i };
      if (text[i] === "\n") break;
    }
    return { end: body };
  }
  if (text[at] !== "\u001b") return { end: at + 1 };
  // Two-character escapes, with the intermediates that choose character sets.
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) >= 0x20 && text.charCodeAt(end) <= 0x2f && end - at < 4) end++;
  const final = text.charCodeAt(end);
  return { end: final >= 0x30 && final <= 0x7e ? end + 1 : end };
}

// What is special here: C0 without tab, DEL and C1.
// eslint-disable-next-line no-control-regex
const SPECIAL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g;

/** Whether there is anything in a text that is not just text. */
export function isPlain(text: string): boolean {
  SPECIAL.lastIndex = 0;
  for (let match = SPECIAL.exec(text); match !== null; match = SPECIAL.exec(text)) if (match[0] !== "\n") return false;
  return true;
}

/** Cuts what a program printed into runs. */
export function runsOf(text: string): Run[] {
  if (isPlain(text)) return text === "" ? [] : [{ text, classes: "" }];
  const runs: Run[] = [];
  const line = new Line();
  let style = PLAIN;
  let look = "";
  let from = 0;
  SPECIAL.lastIndex = 0;
  for (let match = SPECIAL.exec(text); match !== null; match = SPECIAL.exec(text)) {
    const at = match.index;
    if (at > from) line.write(text.slice(from, at), look);
    from = at + 1;
    const code = text.charCodeAt(at);
    if (code === 0x0a) line.flush(runs, "\n");
    else if (code === 0x0d) {
      if (text[at + 1] !== "\n") line.toStart();
    } else if (code === 0x08) line.back();
    else if (code === 0x1b || code >= 0x80) {
      const { end, sgr, erase } = sequence(text, at);
      if (sgr !== undefined) look = classesOf((style = withCodes(style, sgr)));
      if (erase !== undefined) line.erase(erase);
      from = end;
    } else if (code !== 0x07 && code !== 0x0e && code !== 0x0f) {
      // The picture of a control character, so that it can be seen and does nothing.
      line.write(String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code), look);
    }
    SPECIAL.lastIndex = from;
  }
  if (from < text.length) line.write(text.slice(from), look);
  line.flush(runs, "");
  return runs;
}

/** The same, line by line; an end of line at the end begins no other line. */
export function linesOf(text: string): Run[][] {
  const lines: Run[][] = [[]];
  for (const run of runsOf(text)) {
    for (const [index, part] of run.text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, classes: run.classes });
    }
  }
  if (lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** What a program printed, without looks. */
export function plainText(text: string): string {
  return runsOf(text).map((run) => run.text).join("");
}
