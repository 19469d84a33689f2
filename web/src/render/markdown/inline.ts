/**
 * Draws what stands within a line: emphasis, code, links. The page is made node by node from
 * tokens: no HTML is ever made or parsed, so there is nothing in a text that could become an
 * element, an attribute or a script unless it is named here.
 */

import type { Attachment } from "svelte/attachments";
import type { Token, Tokens } from "marked";
import { appendVisible } from "../text/visible";
import { safeAddress } from "./address";
import { known } from "./lex";

// HTML that people write within Markdown and that says something; without attributes.
const TAGS = new Set(["b", "br", "code", "del", "em", "i", "ins", "kbd", "mark", "s", "strong", "sub", "sup", "u"]);
const TAG = /^<(\/?)([a-z]+)\s*\/?>$/i;
const DEEPEST = 40;

const drawn = new WeakMap<Element, string>();

/** Fills an element with what a line holds; an element that shows `raw` already is left alone. */
export function inline(tokens: readonly Token[], raw: string): Attachment {
  return (element) => {
    if (drawn.get(element) === raw) return;
    drawn.set(element, raw);
    element.replaceChildren();
    draw(element, tokens, 0);
  };
}

/** Appends tokens to an element. */
export function draw(to: Element, tokens: readonly Token[], depth: number): void {
  // Where inline HTML is open, what follows goes into it.
  const open: Element[] = [to];
  for (const token of tokens) {
    const into = open.at(-1) ?? to;
    if (token.type === "html") tag(token.raw, open);
    else if (depth > DEEPEST) appendVisible(into, token.raw, "prose");
    else one(into, token, depth);
  }
}

function tag(raw: string, open: Element[]): void {
  const match = TAG.exec(raw);
  const name = match?.[2]?.toLowerCase() ?? "";
  const into = open.at(-1);
  if (into === undefined) return;
  if (!TAGS.has(name)) appendVisible(into, raw, "prose");
  else if (name === "br") into.appendChild(document.createElement("br"));
  else if (match?.[1] === "/") {
    if (open.length > 1 && into.localName === name) open.pop();
  } else if (open.length < DEEPEST) {
    const element = document.createElement(name);
    into.appendChild(element);
    open.push(element);
  }
}

function one(into: Element, generic: Token, depth: number): void {
  const token = known(generic);
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return nest(into, token.type, token.tokens, depth);
    case "codespan": {
      const code = document.createElement("code");
      appendVisible(code, token.text, "code");
      into.appendChild(code);
      return;
    }
    case "br":
      into.appendChild(document.createElement("br"));
      return;
    case "link":
      return link(into, token, depth);
    case "image":
      return image(into, token);
    case "checkbox": {
      // Not an input: nothing can be ticked here.
      const box = document.createElement("span");
      box.className = token.checked ? "box done" : "box";
      box.setAttribute("role", "img");
      box.setAttribute("aria-label", token.checked ? "done" : "to do");
      into.appendChild(box);
      return;
    }
    case "escape":
      return appendVisible(into, token.text, "prose");
    case "text":
      if (token.tokens !== undefined) return draw(into, token.tokens, depth + 1);
      return appendVisible(into, unescapeEntities(token.text), "prose");
    default:
      return appendVisible(into, token.raw, "prose");
  }
}

function nest(into: Element, name: string, tokens: readonly Token[], depth: number): void {
  const element = document.createElement(name);
  draw(element, tokens, depth + 1);
  into.appendChild(element);
}

function link(into: Element, token: Tokens.Link, depth: number): void {
  const href = safeAddress(token.href);
  if (href === null) {
    // Shown with its address, so that nothing pretends to be a link that is none.
    draw(into, token.tokens, depth + 1);
    if (token.text !== token.href) appendVisible(into, ` (${token.href.slice(0, 200)})`, "code");
    return;
  }
  into.appendChild(anchor(href, (to) => draw(to, token.tokens, depth + 1)));
}

/** A picture from elsewhere would tell its server who reads this: it becomes a link. */
function image(into: Element, token: Tokens.Image): void {
  const href = safeAddress(token.href);
  const label = token.text === "" ? "image" : token.text;
  if (href === null) return appendVisible(into, `[${label}]`, "prose");
  const element = anchor(href, (to) => appendVisible(to, label, "prose"));
  element.classList.add("picture");
  into.appendChild(element);
}

function anchor(href: string, fill: (to: HTMLAnchorElement) => void): HTMLAnchorElement {
  const element = document.createElement("a");
  element.href = href;
  element.target = "_blank";
  element.rel = "noopener noreferrer";
  // The text may say anything; this says where it leads.
  element.title = href;
  fill(element);
  return element;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…",
  mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", bull: "•", middot: "·", times: "×", deg: "°",
  larr: "←", rarr: "→", uarr: "↑", darr: "↓", harr: "↔", euro: "€", pound: "£", sect: "§", para: "¶", le: "≤", ge: "≥", ne: "≠",
};

/** The characters that entities in Markdown stand for; those that are not known stay as they are. */
export function unescapeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, dec?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = dec === undefined ? Number.parseInt(hex ?? "", 16) : Number(dec);
    const isText = code > 0x1f && code <= 0x10ffff && !(code >= 0x7f && code <= 0x9f) && !(code >= 0xd800 && code <= 0xdfff);
    return isText ? String.fromCodePoint(code) : "\ufffd";
  });
}
