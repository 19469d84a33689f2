/** Events beside the conversation, in one sentence each. Pure. */

import type { ConversationItem, ErrorItem, CompactedItem, NoticeItem, RateLimitItem, RunEndedItem } from "../state/items";
import { count } from "./format";
import { limitNames } from "./limits";
import type { IconName } from "../ui/icons";

/** What is drawn as a notice. */
export type Noticed = NoticeItem | ErrorItem | CompactedItem | RateLimitItem | ConversationItem | RunEndedItem;

/** A notice to draw. */
export type Notice = {
  readonly icon: IconName;
  readonly tone: "quiet" | "warning" | "error";
  readonly text: string;
  /** More, on demand. */
  readonly detail: string | null;
  /** A line across: the conversation is another one from here on. */
  readonly isBreak: boolean;
};

const ABOUT: Readonly<Record<NoticeItem["about"], IconName>> = {
  retry: "retry",
  hook: "hook",
  informational: "info",
  refusal: "barred",
  denied: "barred",
  authentication: "key",
  surroundings: "info",
  session: "info",
};

const CONVERSATION: Readonly<Record<ConversationItem["reason"], string>> = {
  started: "A conversation begins",
  resumed: "The conversation goes on",
  forked: "A copy of the conversation begins",
  cleared: "The conversation was cleared",
  plan: "The plan is carried out in a fresh conversation",
  rewound: "The conversation went back; what stands above since then is not part of it any more",
};

/** The notice of an item. */
export function noticeOf(item: Noticed): Notice {
  const quiet = { tone: "quiet", detail: null, isBreak: false } as const;
  switch (item.kind) {
    case "notice": {
      const [first = "", ...rest] = item.text.trim().split("\n");
      const tone = item.level === "info" ? "quiet" : item.level;
      const detail = rest.join("\n").trim();
      return { icon: ABOUT[item.about], tone, text: first, detail: detail === "" ? null : detail, isBreak: false };
    }
    case "error":
      return { icon: "error", tone: "error", text: item.message, detail: item.code, isBreak: false };
    case "compacted": {
      const sizes = item.before !== null && item.after !== null ? `: ${count(item.before)} → ${count(item.after)} tokens` : "";
      const how = item.trigger === "manual" ? "Summed up" : "Summed up to make room";
      return { ...quiet, icon: "compact", text: `${how}${sizes}`, isBreak: true };
    }
    case "rate_limit":
      return rateLimit(item);
    case "conversation":
      return { ...quiet, icon: "branch", text: CONVERSATION[item.reason], isBreak: true };
    case "run_ended":
      return runEnded(item);
  }
}

function rateLimit(item: RateLimitItem): Notice {
  const { name } = limitNames(item.limit);
  const until = item.resetsAt === null ? "" : ` It is lifted ${clock(item.resetsAt)}.`;
  if (item.status === "rejected") return { icon: "gauge", tone: "error", text: `The ${name} is reached.${until}`, detail: null, isBreak: false };
  const used = item.utilization === null ? "is near" : `is used up to ${Math.round(item.utilization * 100)} %`;
  return { icon: "gauge", tone: "warning", text: `The ${name} ${used}.${until}`, detail: null, isBreak: false };
}

function clock(seconds: number): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return "later";
  return date.toLocaleString(undefined, { weekday: "short", hour: "2-digit", minute: "2-digit" });
}

function runEnded(item: RunEndedItem): Notice {
  const { code, signal } = item.exit;
  const how = signal !== null ? ` (signal ${signal})` : code !== null && code !== 0 ? ` (exit ${code})` : "";
  const detail = item.stderrTail.trim() === "" ? null : item.stderrTail.trim();
  switch (item.meaning.kind) {
    case "finished":
      return { icon: "barred", tone: "quiet", text: `The CLI has ended${how}.`, detail, isBreak: false };
    case "resumable":
      return { icon: "warning", tone: "warning", text: `The CLI ended before its turn was over${how}. The conversation can be resumed.`, detail, isBreak: false };
    case "in_doubt":
      return {
        icon: "warning",
        tone: "warning",
        text: `The CLI ended while it worked${how}; whether what it was doing has happened is not known. Look before you resume.`,
        detail,
        isBreak: false,
      };
    case "failed":
      return { icon: "error", tone: "error", text: `The CLI failed${how}: ${item.meaning.message}`, detail, isBreak: false };
  }
}
