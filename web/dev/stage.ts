/** One component at a time, put on the page by tests through `stage`. */

import { flushSync, mount, unmount, type Component } from "svelte";
import Ansi from "../src/render/ansi/Ansi.svelte";
import Code from "../src/render/code/Code.svelte";
import DiffView from "../src/render/diff/DiffView.svelte";
import ItemView from "../src/render/ItemView.svelte";
import Growing from "./Growing.svelte";
import "../src/style/tokens.css";
import "../src/style/base.css";
import "./gallery.css";

const COMPONENTS = { Ansi, Code, DiffView, ItemView };
const target = document.getElementById("stage") ?? document.body;

let current: Record<string, unknown> | null = null;

async function clear(): Promise<void> {
  if (current !== null) await unmount(current);
  current = null;
}

const stage = {
  /** Shows a component; answers how many milliseconds that took, layout included. */
  async show(name: keyof typeof COMPONENTS, props: Record<string, unknown>): Promise<number> {
    await clear();
    const start = performance.now();
    current = mount(COMPONENTS[name] as Component<Record<string, unknown>>, { target, props });
    flushSync();
    void target.offsetHeight;
    return performance.now() - start;
  },

  /** Begins a text that grows. */
  async begin(): Promise<(text: string, live: boolean) => void> {
    await clear();
    const growing = mount(Growing, { target });
    current = growing;
    return (text, live) => flushSync(() => growing.grow(text, live));
  },
};

/** What tests can do on the page. */
export type Stage = typeof stage;

Object.assign(globalThis, { stage });
