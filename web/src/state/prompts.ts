/**
 * What was said, and where it stands in the transcript.
 *
 * A prompt that is said while a turn works waits beside the transcript, and enters it where a turn
 * takes it up: there the model heard it. Any other enters at once.
 */

import type { Event, PromptId } from "../../api/types";
import type { Draft } from "./draft";
import type { UserItem } from "./items";

type Said = Extract<Event, { type: "user_message" }>;
type Moved = Extract<Event, { type: "prompt_updated" }>;

/** Somebody said something. */
export function said(draft: Draft, event: Said): void {
  const item: UserItem = {
    key: `i${event.item}`,
    kind: "user",
    item: event.item,
    turn: event.turn,
    at: event.at,
    seq: event.seq,
    text: event.text,
    attachments: event.attachments,
    origin: event.origin,
    prompt: event.prompt,
    state: null,
  };
  draft.set({ suggestion: null });
  const waits = event.prompt !== null && event.turn === null && draft.now.turn !== null;
  if (waits) draft.set({ queue: [...draft.now.queue, item] });
  else draft.append(item, event.parent_tool_call_id);
}

/** Something has become of a prompt. */
export function promptMoved(draft: Draft, event: Moved): void {
  const waiting = draft.now.queue.find((item) => item.prompt === event.prompt);
  if (!waiting) return inTranscript(draft, event.prompt, event);
  const rest = draft.now.queue.filter((item) => item !== waiting);
  const moved: UserItem = { ...waiting, state: event.state, seq: event.seq };
  switch (event.state.kind) {
    case "queued":
    case "sent":
      return draft.set({ queue: draft.now.queue.with(draft.now.queue.indexOf(waiting), moved) });
    case "cancelled":
      return draft.set({ queue: rest });
    case "taken_up":
    case "answered":
    case "failed":
      draft.set({ queue: rest });
      return draft.append({ ...moved, turn: event.turn, at: event.at }, null);
  }
}

function inTranscript(draft: Draft, prompt: PromptId, event: Moved): void {
  const found = draft.find((item) => item.kind === "user" && item.prompt === prompt);
  if (found?.item.kind !== "user") return;
  draft.replace(found.path, { ...found.item, state: event.state, turn: event.turn ?? found.item.turn });
}
