/**
 * Puts lines of code into the page, one element each, and leaves alone those that have not
 * changed: code that is being written costs what its last lines cost.
 */

import type { Attachment } from "svelte/attachments";
import { appendVisible } from "../text/visible";
import { isSameLine, type CodeLine } from "./tokens";

const shown = new WeakMap<Element, CodeLine[]>();

/** Shows lines in an element. With `first`, lines are numbered from there. */
export function lines(code: CodeLine[], first: number | null): Attachment {
  return (element) => {
    const before = shown.get(element) ?? [];
    for (const [index, line] of code.entries()) {
      const old = before[index];
      const there = element.children[index];
      if (there !== undefined && old !== undefined && isSameLine(old, line) && index + 1 < code.length === index + 1 < before.length) continue;
      const made = lineElement(line, index + 1 < code.length, first === null ? null : first + index);
      if (there === undefined) element.appendChild(made);
      else there.replaceWith(made);
    }
    while (element.children.length > code.length) element.lastElementChild?.remove();
    shown.set(element, code);
  };
}

function lineElement(line: CodeLine, hasNext: boolean, number: number | null): HTMLElement {
  const element = document.createElement("span");
  element.className = "line";
  if (number !== null) element.dataset["n"] = String(number);
  appendTokens(element, line);
  // The end of line belongs to the text, so that what is selected can be copied.
  if (hasNext) element.appendChild(document.createTextNode("\n"));
  return element;
}

/** Appends a line's tokens. */
export function appendTokens(to: Element, line: CodeLine): void {
  for (const token of line) {
    if (token.class === "") {
      appendVisible(to, token.text, "code");
      continue;
    }
    const span = document.createElement("span");
    span.className = token.class;
    appendVisible(span, token.text, "code");
    to.appendChild(span);
  }
}

/** Shows one line in an element. */
export function tokens(line: CodeLine): Attachment {
  return (element) => {
    element.replaceChildren();
    appendTokens(element, line);
  };
}
