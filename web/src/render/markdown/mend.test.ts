import { expect, test } from "vitest";
import { mend } from "./mend";

test.each([
  ["closes bold", "some **bold te", "some **bold te**"],
  ["closes emphasis", "an *emphas", "an *emphas*"],
  ["closes nested marks in order", "a **b *c", "a **b *c***"],
  ["closes code", "call `foo(", "call `foo(`"],
  ["closes code of two ticks", "``a ` b", "``a ` b``"],
  ["leaves out marks that have opened nothing", "a **", "a "],
  ["leaves out ticks that have opened nothing", "a `", "a "],
  ["leaves out half of a closing mark", "a **b*", "a **b**"],
  ["leaves out half of another closing mark", "a ~~b~", "a ~~b~~"],
  ["leaves closed marks alone", "a **b** and `c` d", "a **b** and `c` d"],
  ["leaves snake_case alone", "a snake_case_name", "a snake_case_name"],
  ["leaves multiplication alone", "2 * 3", "2 * 3"],
  ["shows the text of half a link", "see [the page](https://exa", "see the page"],
  ["leaves out what may become an underline", "Title\n-", "Title"],
  ["leaves out what may become a table", "| a | b |\n|--", "| a | b |"],
  ["leaves out half a bullet", "- a\n-", "- a"],
  ["looks at the last item only", "- a ** b\n- c **d", "- a ** b\n- c **d**"],
  ["looks at the last paragraph only", "a ** b\n\nc", "a ** b\n\nc"],
  ["leaves code between fences alone", "- x\n  ```js\n  a **b", "- x\n  ```js\n  a **b"],
  ["keeps escapes", "a \\*b", "a \\*b"],
  ["keeps an end of line", "**a\n", "**a**\n"],
])("%s", (_, half, whole) => {
  expect(mend(half)).toBe(whole);
});
