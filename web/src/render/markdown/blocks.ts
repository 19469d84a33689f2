/**
 * Cuts Markdown that is still being written into blocks that can be drawn once. What follows a
 * block never changes how the block reads, with one exception: a link's address may be given
 * after the link, and only then is a block drawn anew.
 *
 * Cuts are made only where every reader of Markdown would see two blocks: before and after a
 * fence or a heading at the margin, at a blank line that no list reaches across, and between the
 * items of a list that has become long. A block may
 * still hold several things; which, is for the lexer to say. One pass over complete lines; the
 * line that is being written always belongs to the last block.
 */

/** Addresses of links that stand apart from their text, by label in lower case. */
export type Links = Readonly<Record<string, { readonly href: string; readonly title: string | undefined }>>;

/** A part of a text. */
export type Block = {
  /** Names it within its text, for keyed lists. */
  readonly id: string;
  readonly source: string;
  /** Nothing more comes. */
  readonly finished: boolean;
  readonly links: Links;
};

const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
const INNER_FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const DEFINITION = /^ {0,3}\[([^\]\n]{1,200})\]:[ \t]*<?([^\s<>]{1,2000})>?(?:[ \t]+["'(]([^\n]{0,400})["')])?[ \t]*$/;
const BLANK = /^[ \t\r]*$/;

// A longer list is cut before an item, which is not what Markdown says but reads the same.
const LONGEST_LIST = 4_000;

const NO_LINKS: Links = {};
// Nobody writes more; each costs a look at all blocks before it.
const MOST_LINKS = 100;

/** Splits a growing text. Belongs to one text; a text that did not just grow is split anew. */
export class Splitter {
  private text = "";
  private blocks: Block[] = [];
  private links: Links = NO_LINKS;
  private linkCount = 0;
  /** Where the open block begins, and the first line that was not looked at. */
  private start = 0;
  private at = 0;
  private fence: string | null = null;
  private isMargin = false;
  private inList = false;
  private afterBlank = false;
  private next = 0;

  /** The blocks of a text. Those that are finished are the same objects as before. */
  split(text: string, live: boolean): readonly Block[] {
    if (!text.startsWith(this.text)) this.reset();
    this.text = text;
    for (let end = text.indexOf("\n", this.at); end !== -1; end = text.indexOf("\n", this.at)) {
      this.line(text.slice(this.at, end), this.at, end + 1);
      this.at = end + 1;
    }
    const rest = text.slice(this.start);
    if (!live) this.define(text.slice(this.at));
    if (rest.trim() === "") return [...this.blocks];
    return [...this.blocks, { id: String(this.next), source: rest, finished: !live, links: this.links }];
  }

  private reset(): void {
    Object.assign(this, new Splitter());
  }

  private line(line: string, from: number, to: number): void {
    if (this.fence !== null) {
      if (closes(line, this.fence)) {
        this.fence = null;
        if (this.isMargin) this.cut(to);
      }
      return;
    }
    if (BLANK.test(line)) {
      this.afterBlank = true;
      return;
    }
    const margin = FENCE.exec(line);
    // Indented code goes on across blank lines, too.
    const reaches = /^(?: {4}|\t)/.test(line) || (this.inList && (LIST_ITEM.test(line) || /^[ \t]/.test(line)));
    if (this.afterBlank && !reaches) this.cut(from);
    if (this.inList && from - this.start > LONGEST_LIST && /^(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line)) {
      this.cut(from);
    }
    if (margin?.[1] === "" || HEADING.test(line)) this.cut(from);
    this.afterBlank = false;
    if (margin?.[2] !== undefined) {
      this.fence = margin[2];
      this.isMargin = margin[1] === "";
      return;
    }
    if (HEADING.test(line)) {
      this.cut(to);
      return;
    }
    if (LIST_ITEM.test(line)) this.inList = true;
    const inner = this.inList || line.startsWith(">") ? INNER_FENCE.exec(line) : null;
    // A fence in a quote ends with the quote, which is not followed here: quotes end at blank lines.
    if (inner?.[1] !== undefined && !/^[ \t]*>/.test(line)) {
      this.fence = inner[1];
      this.isMargin = false;
      return;
    }
    this.define(line);
  }

  /** Ends the open block before `at`. */
  private cut(at: number): void {
    const source = this.text.slice(this.start, at);
    if (source.trim() !== "") {
      this.blocks.push({ id: String(this.next), source, finished: true, links: this.links });
      this.next++;
    }
    this.start = at;
    this.inList = false;
    this.afterBlank = false;
  }

  /** Takes in the address of a link, and draws those blocks anew that may have waited for it. */
  private define(line: string): void {
    if (this.linkCount >= MOST_LINKS) return;
    const match = DEFINITION.exec(line);
    const label = match?.[1]?.replace(/\s+/g, " ").toLowerCase();
    const href = match?.[2];
    if (label === undefined || href === undefined || Object.hasOwn(this.links, label)) return;
    const links = { ...this.links, [label]: { href, title: match?.[3] } };
    this.links = links;
    this.linkCount++;
    this.blocks = this.blocks.map((block) =>
      block.source.toLowerCase().includes(`[${label}]`) ? { ...block, id: `${block.id}'`, links } : block,
    );
  }
}

function closes(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? "").repeat(trimmed.length);
}
