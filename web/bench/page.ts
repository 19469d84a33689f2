/** Measures, in the page itself, how long transcripts take to be painted and how even their frames are. */

import "../src/style/tokens.css";
import "../src/style/base.css";
import "./page.css";

import { mount, unmount } from "svelte";

import Transcript from "../src/conversation/Transcript.svelte";
import { conversation, PROSE, SESSION } from "./made";
import { Shown } from "./shown.svelte";

const target = document.getElementById("app")!;
const frame = () => new Promise<number>((done) => requestAnimationFrame(done));

function open(items: number) {
  const events = conversation(items);
  const began = performance.now();
  const shown = new Shown(SESSION);
  shown.hear({ type: "events", session: SESSION, events }, { type: "live", session: SESSION, seq: events.length, open_items: [] });
  const view = mount(Transcript, { target, props: { watched: shown, outgoing: [], seq: null } });
  return { shown, view, began, count: shown.state.items.length, last: events.length };
}

/** Milliseconds from the events to the frame after the end of the transcript is on the page. */
async function paint(items: number): Promise<{ ms: number; count: number }> {
  const { shown, view, began, count } = open(items);
  const end = `[data-kind="turn_end"]`;
  const scroller = () => target.querySelector<HTMLElement>("section");
  for (;;) {
    await frame();
    const box = scroller();
    if (box?.querySelector(end) && box.scrollTop + box.clientHeight >= box.scrollHeight - 50) break;
  }
  // The frame that shows it has begun when the next one is asked for.
  await frame();
  const ms = performance.now() - began;
  await unmount(view);
  void shown;
  return { ms, count };
}

/** Times between frames while a session streams: pieces every 33 ms, and a call now and then. */
async function stream(items: number, ms: number): Promise<number[]> {
  const { shown, view, last } = open(items);
  for (let settle = 0; settle < 60; settle += 1) await frame();
  let seq = last;
  let item = items * 3;
  let text = "";
  const at = new Date().toISOString();
  const base = { session: SESSION, at, turn: 1, parent_tool_call_id: null };
  item += 1;
  const timer = setInterval(() => {
    const piece = PROSE.slice(text.length % PROSE.length).slice(0, 24);
    shown.hear({ type: "deltas", session: SESSION, deltas: [{ item, type: "message_chunk", offset: new TextEncoder().encode(text).length, text: piece }] });
    text += piece;
    if (text.length < 3000) return;
    seq += 1;
    shown.hear({ type: "events", session: SESSION, events: [{ ...base, seq, type: "message", item, text, uuid: null }] });
    item += 1;
    text = "";
  }, 33);
  const times: number[] = [];
  let before = await frame();
  const end = before + ms;
  while (before < end) {
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  clearInterval(timer);
  await unmount(view);
  return times;
}

Object.assign(globalThis, { bench: { paint, stream } });
