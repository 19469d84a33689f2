/**
 * Keeps what has not changed. A block that grows is taken apart anew each time; parts that read
 * as before stay the same objects, so that nothing of them is drawn again.
 */

import type { Token, Tokens } from "marked";
import type { Part } from "./lex";

/** The new parts, with those of before in the place of their equals. */
export function keep(before: readonly Part[], next: readonly Part[]): Part[] {
  return next.map((part, index) => keepOne(before[index], part));
}

function keepOne<T extends Part | Token>(before: T | undefined, next: T): T {
  if (before === undefined || before.type !== next.type) return next;
  if (before.raw === next.raw) return before;
  if (before.type === "list" && next.type === "list") {
    const [old, list] = [before as Tokens.List, next as Tokens.List];
    return { ...next, items: list.items.map((item, index) => keepItem(old.items[index], item)) };
  }
  if (before.type === "blockquote" && next.type === "blockquote") {
    return { ...next, tokens: keepAll((before as Tokens.Blockquote).tokens, (next as Tokens.Blockquote).tokens) };
  }
  if (before.type === "table" && next.type === "table") {
    const [old, table] = [before as Tokens.Table, next as Tokens.Table];
    return { ...next, rows: table.rows.map((row, index) => keepRow(old.rows[index], row)) };
  }
  return next;
}

function keepAll(before: readonly Token[], next: readonly Token[]): Token[] {
  return next.map((token, index) => keepOne(before[index], token));
}

function keepItem(before: Tokens.ListItem | undefined, next: Tokens.ListItem): Tokens.ListItem {
  // An item's paragraphs depend on whether its list has blank lines, which its own text does not tell.
  if (before === undefined || before.loose !== next.loose) return next;
  return before.raw === next.raw ? before : { ...next, tokens: keepAll(before.tokens, next.tokens) };
}

function keepRow(before: Tokens.TableCell[] | undefined, next: Tokens.TableCell[]): Tokens.TableCell[] {
  return before?.length === next.length && next.every((cell, index) => cell.text === before[index]?.text) ? before : next;
}
