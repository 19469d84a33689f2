/** Which languages are coloured, by which names and endings they are known. Each is loaded when it is first seen. */

import type { LanguageFn } from "highlight.js";

type Loader = () => Promise<{ default: LanguageFn }>;

const LOADERS = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  sql: () => import("highlight.js/lib/languages/sql"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
} satisfies Record<string, Loader>;

/** A language that can be coloured. */
export type Language = keyof typeof LOADERS;

const ALSO: Readonly<Record<Language, string>> = {
  bash: "sh zsh shell console shellsession fish",
  c: "h",
  cpp: "c++ cc cxx hpp hh hxx",
  csharp: "cs c#",
  css: "scss less",
  diff: "patch",
  dockerfile: "docker containerfile",
  go: "golang mod",
  ini: "toml cfg conf properties lock editorconfig",
  java: "kt kotlin scala groovy",
  javascript: "js jsx mjs cjs",
  json: "jsonc json5 jsonl ipynb",
  markdown: "md mdx",
  python: "py pyi python3",
  ruby: "rb gemfile rakefile",
  rust: "rs",
  sql: "psql sqlite postgresql mysql",
  typescript: "ts tsx mts cts",
  xml: "html htm svg xhtml vue svelte plist",
  yaml: "yml",
};

const NAMES: ReadonlyMap<string, Language> = new Map(
  (Object.keys(LOADERS) as Language[]).flatMap((language) =>
    [language, ...ALSO[language].split(" ")].map((name) => [name, language] as const),
  ),
);

/** The language that somebody calls so. */
export function languageNamed(name: string): Language | null {
  return NAMES.get(name.toLowerCase()) ?? null;
}

/** The language of a file, by its name. */
export function languageOf(path: string): Language | null {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  return NAMES.get(name.slice(name.lastIndexOf(".") + 1)) ?? null;
}

/** Loads a language's grammar. */
export function load(language: Language): Promise<{ default: LanguageFn }> {
  return LOADERS[language]();
}
