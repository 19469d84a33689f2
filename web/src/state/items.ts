/**
 * What a transcript is made of. Made by the reducer in `state.ts`, drawn by `render/`.
 *
 * Items are immutable: one that has not changed is the same object as before, so whoever draws a
 * list can compare by identity. `key` never changes during an item's life, from its first half-written
 * character to its end.
 */

import type {
  Approval,
  ApprovalId,
  Attachment,
  CancelReason,
  ConversationReason,
  DeadRun,
  Decider,
  Decision,
  Exit,
  ItemId,
  MessageOrigin,
  ModelShare,
  NormalizedPayload,
  NoticeKind,
  NoticeLevel,
  Outcome,
  PromptId,
  PromptState,
  Task,
  Tokens,
  TurnId,
} from "../../api/types";

/** What all items have. */
type Base = {
  /** Names the item within its session, for keyed lists. */
  readonly key: string;
  /** The turn it belongs to. */
  readonly turn: TurnId | null;
  /** When it began to be seen; none for what is known from its pieces only. */
  readonly at: string | null;
  /** The event that told of it last; none while it is known from its pieces only. */
  readonly seq: number | null;
};

/** Somebody said something, or the CLI said it for them. */
export type UserItem = Base & {
  readonly kind: "user";
  readonly item: ItemId;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly origin: MessageOrigin;
  /** The prompt, where it is one: files can be put back to it. */
  readonly prompt: PromptId | null;
  /** What has become of that prompt. */
  readonly state: PromptState | null;
};

/** Text of the model, in Markdown. */
export type TextItem = Base & {
  readonly kind: "text";
  readonly item: ItemId;
  readonly text: string;
  /** It still grows. */
  readonly open: boolean;
  /** It was cut off. */
  readonly partial: boolean;
  /** The CLI's id of its message: a fork can end there. */
  readonly uuid: string | null;
};

/** Thinking of the model. */
export type ThinkingItem = Base & {
  readonly kind: "thinking";
  readonly item: ItemId;
  /** Empty where it is withheld. */
  readonly text: string;
  /** It still grows. */
  readonly open: boolean;
  /** It was cut off. */
  readonly partial: boolean;
  /** The API hides it. */
  readonly redacted: boolean;
  /** When it was whole. */
  readonly endedAt: string | null;
};

/**
 * How a call stands. `writing`: the model still writes its input. `waiting`: somebody has to answer
 * first. `detached`: it goes on in the background.
 */
export type CallState =
  | "writing"
  | "waiting"
  | "running"
  | "detached"
  | "complete"
  | "error"
  | "cancelled";

/** A tool is called. */
export type ToolCallItem = Base & {
  readonly kind: "tool";
  readonly item: ItemId;
  /** None while the model still writes the input. */
  readonly toolCallId: string | null;
  /** The tool, as the CLI calls it; none where it is not known yet. */
  readonly toolName: string | null;
  /** The call in a few words; empty while the model still writes. */
  readonly title: string;
  /** The call and what came of it; none while the model still writes. */
  readonly payload: NormalizedPayload | null;
  readonly state: CallState;
  /** JSON of the input as far as it is written, while `state` is `writing`; else empty. */
  readonly inputSoFar: string;
  /** Why it did not run, where it did not. */
  readonly reason: string | null;
  /** When it ended. */
  readonly endedAt: string | null;
  /** The request about it, open or answered. */
  readonly approval: ApprovalCard | null;
  /** What the subagent that it started has done. */
  readonly children: readonly Item[];
  /** The task it became, as it stands. */
  readonly task: Task | null;
};

/** How a request stands. */
export type ApprovalFate =
  | { readonly state: "open" }
  | { readonly state: "decided"; readonly decision: Decision; readonly by: Decider; readonly at: string }
  | { readonly state: "void"; readonly reason: CancelReason; readonly at: string };

/** A request and what became of it. */
export type ApprovalCard = {
  readonly approval: ApprovalId;
  readonly request: Approval;
  readonly fate: ApprovalFate;
  /** When it was asked. */
  readonly at: string;
};

/** A request that belongs to no call: an elicitation, a dialog. Others are found in their call. */
export type ApprovalItem = Base & {
  readonly kind: "approval";
  readonly card: ApprovalCard;
};

/** Something to know: a retry, a hook's words, a refusal. */
export type NoticeItem = Base & {
  readonly kind: "notice";
  readonly about: NoticeKind;
  readonly level: NoticeLevel;
  readonly text: string;
};

/** The API or the CLI has reported an error. */
export type ErrorItem = Base & {
  readonly kind: "error";
  readonly code: string | null;
  readonly message: string;
};

/** The conversation was summed up to make room. */
export type CompactedItem = Base & {
  readonly kind: "compacted";
  /** Tokens before and after. */
  readonly before: number | null;
  readonly after: number | null;
  /** `manual` or `auto`. */
  readonly trigger: string | null;
};

/** A limit is near or reached. */
export type RateLimitItem = Base & {
  readonly kind: "rate_limit";
  readonly limit: string | null;
  /** `allowed_warning`, `rejected`. */
  readonly status: string | null;
  /** Seconds since 1970. */
  readonly resetsAt: number | null;
  /** 0 to 1. */
  readonly utilization: number | null;
};

/** From here on the conversation is another one: cleared, forked, resumed; or it went back. */
export type ConversationItem = Base & {
  readonly kind: "conversation";
  readonly reason: ConversationReason | "rewound";
  /** The message after which everything up to here is dropped, where it went back. */
  readonly backTo: string | null;
};

/** A run ended, and that means something to the user. */
export type RunEndedItem = Base & {
  readonly kind: "run_ended";
  readonly exit: Exit;
  readonly meaning: DeadRun;
  readonly stderrTail: string;
};

/** A turn has settled. */
export type TurnEndItem = Base & {
  readonly kind: "turn_end";
  readonly outcome: Outcome;
  /** Why the CLI ended it, in its words. */
  readonly reason: string | null;
  readonly durationMs: number | null;
  readonly durationApiMs: number | null;
  readonly requests: number | null;
  readonly tokens: Tokens;
  /** Dollars of this turn: the run's total less what it was before; none where that is not known. */
  readonly costUsd: number | null;
  /** Dollars of the run so far. */
  readonly totalCostUsd: number | null;
  /** By model, for the run so far. */
  readonly models: Readonly<Record<string, ModelShare>>;
  /** What was asked for as JSON. */
  readonly structuredOutput: unknown;
  /** Where to resume or fork. */
  readonly lastMessageUuid: string | null;
};

/** A thing in the transcript. */
export type Item =
  | UserItem
  | TextItem
  | ThinkingItem
  | ToolCallItem
  | ApprovalItem
  | NoticeItem
  | ErrorItem
  | CompactedItem
  | RateLimitItem
  | ConversationItem
  | RunEndedItem
  | TurnEndItem;

/** The CLI's id of the message that an item is, or of the last one of a turn: conversations can end there. */
export function uuidOf(item: Item): string | null {
  if (item.kind === "turn_end") return item.lastMessageUuid;
  return item.kind === "text" ? item.uuid : null;
}
