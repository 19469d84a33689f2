/**
 * What a block holds, as a tree of tokens. Total and bounded: what would cost too much to take
 * apart, or is nested deeper than anybody writes, is given back as plain text.
 */

import { Lexer, type MarkedToken, type Token, type Tokens } from "marked";
import type { Block, Links } from "./blocks";

/** Text that is shown as it stands. */
export type Plain = { readonly type: "plain"; readonly raw: string };

/** Code between fences. */
export type Fenced = { readonly type: "fenced"; readonly raw: string; readonly lang: string; readonly text: string; readonly open: boolean };

/** A thing in a block. */
export type Part = MarkedToken | Plain | Fenced;

// Marked is quadratic on some texts (runs of brackets, quotes, emphasis) and recursive on nested
// ones: hostile.test.ts holds what these bounds let through to a time.
const LONGEST_LINE = 8_000;
const LONGEST_PARAGRAPH = 24_000;
const LONGEST_BLOCK = 128_000;
const DEEPEST = 16;

const FENCE = /^(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})[ \t]*([^\s`]*)[^\n]*(?:\n|$)/;
const RULE = /^[ \t]{0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** Takes a block apart. */
export function partsOf(block: Pick<Block, "source" | "links" | "finished">): Part[] {
  const fenced = fence(block.source, block.finished);
  if (fenced !== null) return [fenced];
  if (isTooMuch(block.source)) return [{ type: "plain", raw: block.source }];
  try {
    return lex(block.source, block.links).map(known);
  } catch {
    return [{ type: "plain", raw: block.source }];
  }
}

function lex(source: string, links: Links): Token[] {
  const lexer = new Lexer({ gfm: true, breaks: false });
  for (const [label, link] of Object.entries(links)) lexer.tokens.links[label] = { href: link.href, title: link.title ?? null };
  return lexer.lex(source);
}

/** Narrows what an extension could have added; there are no extensions. */
export function known(token: Token): MarkedToken {
  return token as MarkedToken;
}

function fence(source: string, finished: boolean): Fenced | null {
  const opening = FENCE.exec(source);
  if (opening === null) return null;
  const marks = opening[1] ?? "";
  const body = source.slice(opening[0].length).trimEnd();
  const lastLine = body.slice(body.lastIndexOf("\n") + 1).trim();
  const closed = lastLine.length >= marks.length && lastLine === (marks[0] ?? "").repeat(lastLine.length);
  const text = closed ? body.slice(0, Math.max(0, body.lastIndexOf("\n"))) : source.slice(opening[0].length).replace(/\n$/, "");
  return { type: "fenced", raw: source, lang: opening[2] ?? "", text, open: !closed && !finished };
}

function isTooMuch(source: string): boolean {
  if (source.length > LONGEST_BLOCK) return true;
  let paragraph = 0;
  for (const line of source.split("\n")) {
    if (line.length > LONGEST_LINE) return true;
    // Each item and row is taken apart by itself; a paragraph goes on to the next blank line.
    paragraph = /^\s*(?:$|[-*+|]|\d{1,9}[.)])/.test(line) ? 0 : paragraph + line.length;
    if (paragraph > LONGEST_PARAGRAPH || depth(line) > DEEPEST) return true;
  }
  return false;
}

/** How deep the marks at a line's beginning, and its indentation, may nest. */
function depth(line: string): number {
  const lead = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*/.exec(line)?.[0] ?? "";
  if (RULE.test(line)) return 0;
  const marks = lead.match(/>|[-*+]|\d+[.)]/g)?.length ?? 0;
  return /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line) ? marks + Math.floor((/^[ \t]*/.exec(line)?.[0].length ?? 0) / 2) : marks;
}

export type { Tokens };
