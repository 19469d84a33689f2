import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const css = readFileSync(new URL("../style/tokens.css", import.meta.url), "utf8");

/** A colour, in the light and in the dark. */
function colour(name: string): [light: string, dark: string] {
  const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css);
  if (!found) throw new Error(`there is no --${name}`);
  return [found[1]!, found[2]!];
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** Those that are too faint on one of the grounds. */
function faint(names: readonly string[], grounds: readonly string[], least: number): string[] {
  return names.flatMap((name) =>
    grounds.flatMap((ground) =>
      [0, 1].flatMap((theme) => {
        const has = contrast(colour(name)[theme]!, colour(ground)[theme]!);
        return has >= least ? [] : [`${name} on ${ground}, ${theme === 0 ? "light" : "dark"}: ${has.toFixed(2)}`];
      }),
    ),
  );
}

it("text can be read on every ground", () => {
  expect(faint(["ink", "ink-2", "ink-3"], ["ground", "sunken", "surface", "raised", "mine", "code"], 4.5)).toEqual([]);
});

it("code can be read, also where it changes", () => {
  const kinds = ["keyword", "string", "number", "comment", "title", "type", "deletion"].map((kind) => `syn-${kind}`);
  expect(faint(kinds, ["code", "added", "removed"], 4.5)).toEqual([]);
});

it("the edge of what one writes into is seen", () => {
  expect(faint(["edge"], ["ground", "sunken", "surface", "raised"], 3)).toEqual([]);
});
