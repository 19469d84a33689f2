/**
 * A session as a client sees it: a pure reducer over what the daemon says.
 *
 * Promises: the same words give the same state; events are taken once and in their order, whatever
 * order they come in; items that did not change keep their identity; nothing half-written is shown
 * after it is known to be gone. When something is missing, `reduce` says from where to subscribe anew.
 * Knows nothing of sockets, Svelte or the page.
 */

import type {
  AccountSummary,
  CommandOffer,
  Event,
  ItemId,
  ModelOffer,
  RunId,
  ServerMessage,
  SessionId,
  Status,
  Task,
  Thinking,
  Todo,
  TurnId,
} from "../../api/types";
import { Draft } from "./draft";
import { apply } from "./events";
import type { ApprovalCard, Item, RateLimitItem, UserItem } from "./items";
import { grow, settleOpen } from "./pieces";

/** A turn that has not settled. */
export type OpenTurn = { readonly id: TurnId; readonly startedAt: string; readonly autonomous: boolean };

/** What is left of the model's attention. */
export type ContextUse = { readonly used: number; readonly window: number };

/** Dollars. A run's total counts from its start, so totals of ended runs are kept apart. */
export type Cost = { readonly run: number | null; readonly before: number };

/** The latest word about a limit. */
export type RateLimit = Pick<RateLimitItem, "limit" | "status" | "resetsAt" | "utilization">;

/** How much of an open item is here: bytes of UTF-8, in which the daemon counts. */
export type OpenText = { readonly bytes: number };

/** A session. */
export type SessionState = {
  readonly id: SessionId;
  /** The number of the last event that is in here. */
  readonly seq: number;
  /** Everything up to the present has been told once. */
  readonly loaded: boolean;
  /** Something is missing and was asked for. */
  readonly behind: boolean;
  /** The transcript of the main thread; subagents are inside the calls that started them. */
  readonly items: readonly Item[];
  /** Items that still grow. */
  readonly open: ReadonlyMap<ItemId, OpenText>;
  /** Prompts said during a turn that no turn has taken up yet. */
  readonly queue: readonly UserItem[];
  /** Requests that wait for an answer, oldest first. */
  readonly approvals: readonly ApprovalCard[];
  readonly status: Status;
  readonly turn: OpenTurn | null;
  readonly todos: readonly Todo[];
  /** Every task there was, in the order of their beginning. */
  readonly tasks: readonly Task[];
  readonly context: ContextUse | null;
  readonly cost: Cost;
  readonly rateLimit: RateLimit | null;
  readonly mode: string | null;
  readonly model: string | null;
  readonly thinking: Thinking | null;
  readonly models: readonly ModelOffer[];
  readonly commands: readonly CommandOffer[];
  readonly account: AccountSummary | null;
  readonly version: string | null;
  readonly run: RunId | null;
  readonly cliSession: string | null;
  readonly title: string | null;
  /** What the CLI thinks might be said next. */
  readonly suggestion: string | null;
  /** How many lines of the CLI nobody understood. */
  readonly unknown: number;
};

/** What the daemon says about one session. */
export type Update = Extract<ServerMessage, { type: "events" | "deltas" | "live" | "lagged" }>;

/** A state, and whether to subscribe anew. */
export type Step = {
  readonly state: SessionState;
  /** The number to subscribe after, where something is missing. */
  readonly resubscribe: number | null;
};

/** A session of which nothing is known yet. */
export function emptySession(id: SessionId): SessionState {
  return {
    id,
    seq: 0,
    loaded: false,
    behind: false,
    items: [],
    open: new Map(),
    queue: [],
    approvals: [],
    status: "dormant",
    turn: null,
    todos: [],
    tasks: [],
    context: null,
    cost: { run: null, before: 0 },
    rateLimit: null,
    mode: null,
    model: null,
    thinking: null,
    models: [],
    commands: [],
    account: null,
    version: null,
    run: null,
    cliSession: null,
    title: null,
    suggestion: null,
    unknown: 0,
  };
}

/** Takes in what the daemon said. */
export function reduce(state: SessionState, update: Update): Step {
  if (update.session !== state.id) return { state, resubscribe: null };
  switch (update.type) {
    case "events":
      return takeEvents(state, update.events);
    case "deltas": {
      const draft = new Draft(state);
      const whole = update.deltas.map((delta) => grow(draft, delta)).every(Boolean);
      return whole ? step(draft) : missing(draft);
    }
    case "live": {
      const draft = new Draft(state);
      if (update.seq > state.seq) return missing(draft);
      settleOpen(draft, update.open_items);
      draft.set({ loaded: true, behind: false });
      return step(draft);
    }
    case "lagged":
      // What was missed follows, then `live`, which says what is still open: until then the
      // half-written items stay as they are, so that nothing flickers.
      return { state, resubscribe: null };
  }
}

function takeEvents(state: SessionState, events: readonly Event[]): Step {
  const draft = new Draft(state);
  for (const event of inOrder(events)) {
    if (event.seq <= draft.seq) continue;
    if (event.seq > draft.seq + 1) return missing(draft);
    apply(draft, event);
    draft.took(event.seq);
  }
  return step(draft);
}

function inOrder(events: readonly Event[]): readonly Event[] {
  const sorted = events.every((event, at) => at === 0 || events[at - 1]!.seq <= event.seq);
  return sorted ? events : events.toSorted((a, b) => a.seq - b.seq);
}

function step(draft: Draft): Step {
  return { state: draft.state(), resubscribe: null };
}

/** Asks once; what is asked for again would only come twice. */
function missing(draft: Draft): Step {
  const asked = draft.behind;
  draft.set({ behind: true });
  const state = draft.state();
  return { state, resubscribe: asked ? null : state.seq };
}

/** A person has to do something. */
export function needsYou(state: SessionState): boolean {
  return state.approvals.length > 0 || state.status === "interrupted";
}

/** Dollars of all runs together. */
export function totalCost(state: SessionState): number | null {
  const { run, before } = state.cost;
  return run === null && before === 0 ? null : before + (run ?? 0);
}
