// Types of the Pilothouse API. Generated from the daemon's own types; do not edit.
// PILOTHOUSE_WRITE_TYPES=1 cargo test -p pilothouse-host --test openapi writes it anew.

/** Who pays. */
export type AccountSummary = {
  /** The address of the account. */
  email: string | null;
  /** Where the key comes from. */
  key_source: string | null;
  /** Its organisation. */
  organization: string | null;
  /** Its plan. */
  subscription: string | null;
};

/** A request that waits for an answer. */
export type Approval = {
  /** The subagent that asks. */
  agent_id: string | null;
  /** The request. */
  approval: ApprovalId;
  /** The path that is in the way. */
  blocked_path: string | null;
  /** "No" should be preselected, and no single key should say yes. */
  default_to_no: boolean;
  /** Why no policy has answered it. */
  policy: Explanation | null;
  /** Why it is asked. */
  reason: string | null;
  /** It must not be answered from a notification. */
  requires_user_interaction: boolean;
  /** What is asked. */
  subject: Subject;
  /** What "always" would change. Empty where no such rule may be offered. */
  suggestions: Suggestion[];
  /** The question as a sentence, where the CLI has one. */
  title: string | null;
  /** The call it is about. */
  tool_call_id: string | null;
};

/** A request that a person or a policy must answer: 1, 2, 3 … */
export type ApprovalId = number;

/** A request of a session. */
export type ApprovalRow = {
  /** The request. */
  approval: ApprovalId;
  /** By whom, or by which rule. */
  by: Decider | null;
  /** What was decided. */
  decision: Decision | null;
  /** What is asked, as long as it is open. Later the event has it. */
  request: Approval | null;
  /** When it was asked. */
  requested_at: string;
  /** The event that told of it. */
  seq: number;
  /** The session. */
  session: SessionId;
  /** When it was answered, or became void. */
  settled_at: string | null;
  /** How it stands. */
  state: ApprovalState;
  /** The tool it is about. */
  tool_name: string | null;
};

/** A part of a list. */
export type ApprovalRowPage = {
  /** The entries. */
  items: ApprovalRow[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** How a request stands. */
export type ApprovalState = "open" | "decided" | "void";

/** Something that can be chosen. */
export type AskedOption = {
  /** What it means. */
  description?: string | null;
  /** What it is called, and what the answer is when it is chosen. */
  label: string;
  /** What it would look like. */
  preview?: string | null;
};

/** A question. */
export type AskedQuestion = {
  /** A word or two to put above it. */
  header?: string | null;
  /** Whether more than one option can be chosen. */
  multi_select?: boolean;
  /** What can be chosen; free text always can be given. */
  options?: AskedOption[];
  /** Its text, which also names it. */
  question: string;
};

/** An image, document or file of a message. */
export type Attachment = {
  /** The SHA-256 of its bytes, by which the host gives them out again; none where it has not kept them. */
  digest: string | null;
  /** `image/png` and the like. */
  media_type: string;
  /** How many bytes. */
  size: number;
  /** Its title, or the name of the file. */
  title: string | null;
};

/** How the model gets a file. */
export type AttachmentForm = "block" | "path";

/** A file of a session. */
export type AttachmentRow = {
  /** When it was uploaded. */
  at: string;
  /** Its bytes' name. */
  digest: string;
  /** `image/png` and the like. */
  media_type: string;
  /** What the user called it. */
  name: string | null;
  /** How many bytes. */
  size: number;
};

/** A part of a list. */
export type AttachmentRowPage = {
  /** The entries. */
  items: AttachmentRow[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** A file that was uploaded to the session. */
export type AttachmentUse = {
  /** How the model gets it. */
  as?: AttachmentForm;
  /** The SHA-256 of its bytes, in 64 hexadecimal digits. */
  digest: string;
};

/** Something that was done, and by whom. Holds nothing of what was said in a session. */
export type AuditLine = {
  /** What: `approval.allowed`, `login.failed`, `session.deleted` … */
  action: string;
  /** By whom. */
  actor: string;
  /** When. */
  at: string;
  /** More about it. */
  detail: unknown;
  /** 1, 2, 3 … */
  no: number;
  /** In which session, which may be gone. */
  session: SessionId | null;
};

/** A part of a list. */
export type AuditLinePage = {
  /** The entries. */
  items: AuditLine[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** With which conversation a session begins. */
export type Beginning = {
  kind: "scratch";
} | {
  /** The CLI's id of it. */
  cli_session: string;
  kind: "resume";
} | {
  /** The CLI's id of the message after which the copy ends. */
  at?: string | null;
  /** The CLI's id of the original. */
  cli_session: string;
  kind: "copy";
} | {
  /** The CLI's id of the message after which the copy ends. */
  at?: string | null;
  kind: "fork";
  /** The session. */
  session: SessionId;
};

/** What a repository would bring. Texts are the repository's own and not to be trusted. */
export type Brings = {
  /** Files of subagents. */
  agents: string[];
  /** Files of slash commands. */
  commands: string[];
  /** Git settings of the repository that start programs while git only reads. */
  git: BroughtHelper[];
  /** Other commands that settings name. */
  helpers: BroughtHelper[];
  /** Commands that Claude Code runs at certain moments. */
  hooks: BroughtHook[];
  /** Files with texts for the model. */
  instructions: string[];
  /** Plugins that are switched on. */
  plugins: string[];
  /** Permission rules. */
  rules: BroughtRule[];
  /** MCP servers. */
  servers: BroughtServer[];
  /** Other settings, by name. */
  settings: string[];
  /** Files of skills. */
  skills: string[];
  /** Files that could not be understood. */
  unclear: string[];
  /** Environment variables. */
  variables: BroughtVariable[];
};

/** A command that a setting names. */
export type BroughtHelper = {
  /** What it runs. */
  command: string;
  /** The file it is in. */
  file: string;
  /** The setting. */
  setting: string;
};

/** A command that Claude Code runs at certain moments. */
export type BroughtHook = {
  /** Whether it can answer approvals in the place of a person. */
  can_answer: boolean;
  /** What it runs. */
  command: string;
  /** When it runs. */
  event: string;
  /** The file it is in. */
  file: string;
};

/** A permission rule. */
export type BroughtRule = {
  /** `allow`, `deny`, `ask`, `defaultMode` … */
  effect: string;
  /** The file it is in. */
  file: string;
  /** The rule. */
  rule: string;
};

/** An MCP server. */
export type BroughtServer = {
  /** The file it is in. */
  file: string;
  /** Its name. */
  name: string;
  /** The command line, or the address. */
  target: string;
};

/** An environment variable. */
export type BroughtVariable = {
  /** The file it is in. */
  file: string;
  /** Its name. */
  name: string;
  /** Whether it can change where requests and keys go, or which programs are loaded. */
  redirects: boolean;
  /** Its value. */
  value: string;
};

/** Why a request cannot be answered any more. */
export type CancelReason = "withdrawn" | "run_ended";

/** A name that fits. */
export type Candidate = {
  /** It is a directory. */
  directory: boolean;
  /** What to write after `@`: relative to the working directory, absolute in other directories. A directory ends in `/`. */
  path: string;
  /** Where the letters of the query stand in `path`: bytes of UTF-8, rising. */
  positions: number[];
  /** The greater the better; to be compared within one answer only. */
  score: number;
};

/** The daemon's proof. */
export type ChallengeReply = {
  /** HMAC-SHA-256 in base64url without padding. Its key is `HMAC-SHA-256(token, "pilothouse/challenge/key/1")`; its message is the nonce's 32 bytes, the address as the 16 bytes of IPv6 (IPv4 mapped) and the port as two bytes, big-endian. */
  proof: string;
};

/** Asks the daemon for a proof that it knows the token. */
export type ChallengeRequest = {
  /** The address and port that the client dialled: `127.0.0.1:7717` or `[::1]:7717`. */
  address: string;
  /** 32 random bytes, in base64url without padding. Use each once. */
  nonce: string;
};

/** What has become of a file. */
export type ChangeKind = "added" | "deleted" | "modified" | "renamed" | "copied" | "mode" | "conflicted";

/** Changes a login. */
export type ChangeLogin = {
  /** The new name, of at most 64 characters; empty for none. */
  name: string;
};

/** What is changed about a session. What is left out, or null, stays. */
export type ChangeSession = {
  /** Put away, or taken out again. */
  archived?: boolean | null;
  /** Another policy; an empty one for none. */
  policy?: string | null;
  /** Somebody has seen everything up to this event. */
  read_to?: number | null;
  /** Other tags, all of them. */
  tags?: string[] | null;
  /** Another title; an empty one gives the title back to the CLI. */
  title?: string | null;
};

/** What a client says: one object per text message. */
export type ClientMessage = {
  /** The number of the last event that the client has; 0 for none. */
  after?: number;
  op: "subscribe";
  /** The session. */
  session: SessionId;
} | {
  op: "unsubscribe";
  /** The session. */
  session: SessionId;
} | {
  op: "watch_list";
} | {
  op: "unwatch_list";
} | {
  /** What. */
  command: Order;
  /** Names the command; the client chooses it. */
  id: number;
  op: "command";
  /** The session. */
  session: SessionId;
} | {
  /** The client chooses it. */
  id: number;
  op: "ping";
};

/** Files, or text in files, are looked for: `Glob`, `Grep`, `LS`, `LSP`. */
export type CodeSearch = {
  /** The character that the language server is asked about, from 1. */
  character?: number | null;
  /** Why the call failed. */
  error?: string | null;
  /** Only in files of this type: `rust`, `js`. */
  file_type?: string | null;
  /** Only in files whose names match this. */
  glob?: string | null;
  /** What is left out of a listing. */
  ignore?: string[];
  /** Whether case does not matter. */
  ignore_case?: boolean;
  /** At most so many results. */
  limit?: number | null;
  /** The line that the language server is asked about, from 1. */
  line?: number | null;
  /** What is looked for and shown. */
  mode: SearchMode;
  /** Whether a match may span lines. */
  multiline?: boolean;
  /** What was found, once it is known. */
  output?: SearchOutput | null;
  /** The directory or file to look in. */
  path?: string | null;
  /** The pattern that names of files must match. */
  pattern?: string | null;
  /** The text or regular expression, or what the language server is asked. */
  query?: string | null;
};

/** A slash command. */
export type CommandOffer = {
  /** What may follow it. */
  argument_hint: string;
  /** What it does. */
  description: string;
  /** Its name, without the slash. */
  name: string;
};

/** A part of a list. */
export type CommandOfferPage = {
  /** The entries. */
  items: CommandOffer[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** Names that fit. */
export type Completion = {
  /** The best first. */
  items: Candidate[];
  /** The directories are still being looked through; ask again. */
  pending: boolean;
  /** Some directory has more files than are looked at. */
  truncated: boolean;
};

/** What fills the context, in the CLI's own words. */
export type ContextReport = {
  /** By what. */
  categories?: unknown[] | null;
  /** Tokens there are. */
  maxTokens?: number | null;
  /** Tokens used. */
  totalTokens?: number | null;
};

/** Why the CLI's id of the conversation has changed. */
export type ConversationReason = "started" | "resumed" | "forked" | "cleared" | "plan";

/** A session to be. */
export type CreateSession = {
  /** With which conversation it begins. */
  begin?: Beginning;
  /** Where it works: the absolute path of a directory. */
  cwd: string;
  /** Its id; a new one if it is left out. Asking again with the same id changes nothing. */
  id?: SessionId | null;
  /** Its policy: a preset, or one that was put there; the daemon's usual one where it is left out, none where it is empty: then people answer everything. */
  policy?: string | null;
  /** How its runs are started. */
  profile?: Profile;
  /** Its tags. */
  tags?: string[];
  /** Its title. */
  title?: string | null;
};

/** An entry is added to the to-do list: `TaskCreate`. */
export type CreateTask = {
  /** What to show while it is being done. */
  active_form?: string | null;
  /** What is to be done. */
  description?: string | null;
  /** Why the call failed. */
  error?: string | null;
  /** Names the entry, once it is there. */
  task_id?: string | null;
  /** The headline. */
  title: string;
};

/** A day. */
export type DayUsage = {
  /** Which one. */
  day: string;
  /** What it took, by model. */
  models: Share[];
};

/** What the end of a run means for its session. */
export type DeadRun = {
  kind: "finished";
} | {
  /** The last message that is known to be whole. */
  at: string | null;
  kind: "resumable";
} | {
  kind: "in_doubt";
  /** The calls whose outcome is not known. */
  tool_call_ids: string[];
} | {
  kind: "failed";
  /** What it said. */
  message: string;
};

/** Who decided. */
export type Decider = {
  /** Who, as the host tells them apart; older events do not have it. */
  identity?: string | null;
  kind: "client";
  /** Who, as people call them. Two may have the same name. */
  name: string | null;
} | {
  /** The rule. */
  because: Explanation;
  kind: "policy";
};

/** What a client decides. */
export type Decision = {
  /** With another input. */
  input: unknown;
  kind: "allow";
  /** And change this: suggestions, as they are or with another rule or destination. */
  updates: Suggestion[];
} | {
  kind: "deny";
  /** What the model is told. */
  message: string | null;
  /** And stop the turn. */
  stop: boolean;
} | {
  /** The choice. */
  choice: PlanChoice;
  /** What to change, when planning goes on. */
  feedback: string | null;
  kind: "plan";
  /** The plan as it was edited. */
  plan: string | null;
} | {
  /** By the text of the question. A question without an entry is skipped. */
  answers: QuestionReply[];
  kind: "answers";
  /** What is said instead of answering. */
  response: string | null;
} | {
  /** What was filled in. */
  content: unknown;
  kind: "form";
} | {
  kind: "choose";
  /** The choice. */
  result: unknown;
};

/** What a client decides. */
export type DecisionInput = {
  /** With another input. */
  input?: unknown;
  kind: "allow";
  /** And change this: suggestions, as they are or with another rule or destination. */
  updates?: Suggestion[];
} | {
  kind: "deny";
  /** What the model is told. */
  message?: string | null;
  /** And stop the turn. */
  stop?: boolean;
} | {
  /** The choice. */
  choice: PlanChoice;
  /** What to change, when planning goes on. */
  feedback?: string | null;
  kind: "plan";
  /** The plan as it was edited. */
  plan?: string | null;
} | {
  /** By the text of the question. A question without an entry is skipped. */
  answers?: QuestionReplyInput[];
  kind: "answers";
  /** What is said instead of answering. */
  response?: string | null;
} | {
  /** What was filled in. */
  content?: unknown;
  kind: "form";
} | {
  kind: "choose";
  /** The choice. */
  result: unknown;
};

/** A piece of an item that is still open. Not stored and not numbered: the event that ends the item holds the whole. */
export type Delta = {
  /** The item. */
  item: ItemId;
  /** Where the piece begins: bytes of UTF-8 from the item's beginning. */
  offset: number;
  /** The piece. */
  text: string;
  /** What grows. */
  type: DeltaKind;
};

/** What an open item is. */
export type DeltaKind = "message_chunk" | "reasoning_chunk" | "tool_input_chunk";

/** Something in a directory. */
export type DirEntry = {
  /** What it is. */
  kind: EntryKind;
  /** When it was last changed. */
  modified_at: string | null;
  /** Its name. One that is no text has replacement characters in it and cannot be asked for. */
  name: string;
  /** Bytes, of a file. */
  size: number | null;
};

/** What is in a directory. */
export type DirListing = {
  /** Directories first, then by name. */
  entries: DirEntry[];
  /** The directory, absolute. */
  path: string;
  /** There are more than these. */
  truncated: boolean;
};

/** Directories in a directory. */
export type Directories = {
  /** Their names. */
  names: string[];
  /** The directory that it is in itself; none where that may not be looked into. */
  parent: string | null;
  /** The directory that they are in. */
  path: string;
  /** The directories below which one can look around. */
  roots: string[];
  /** There are more than these. */
  truncated: boolean;
};

/** One thing that was looked at. */
export type DoctorCheck = {
  /** What to do about it; none where nothing is to be done. */
  advice: string | null;
  /** What was found. */
  detail: string;
  /** Names it; stays the same in later versions. */
  id: string;
  /** How it stands. */
  state: DoctorState;
  /** What was looked at, in a few words. */
  title: string;
};

/** Everything that was looked at. */
export type DoctorReport = {
  /** When. */
  at: string;
  /** One by one. */
  checks: DoctorCheck[];
  /** The worst of all states. */
  state: DoctorState;
  /** Pilothouse's version. */
  version: string;
};

/** How something stands. */
export type DoctorState = "skipped" | "ok" | "warn" | "fail";

/** What something in a directory is. */
export type EntryKind = "directory" | "file" | "link" | "special";

/** A durable fact about a session. */
export type Event = ({
  /** When the machine was told of it. */
  at: string;
  /** The call that started the subagent it comes from. */
  parent_tool_call_id: string | null;
  /** 1, 2, 3 … without gaps. */
  seq: number;
  /** The session. */
  session: SessionId;
  /** The turn it belongs to. */
  turn: TurnId | null;
  /** Where the record begins that brought it about, in bytes of its run's wire log: the run that was last started before it. None where it came from elsewhere, such as a client. */
  wire?: number | null;
}) & ({
  /** The state it is in now. */
  status: Status;
  type: "session_status";
} | {
  /** How it came to be. */
  origin: RunOrigin;
  /** Its process, where there is one here. */
  pid: number | null;
  /** The run. */
  run: RunId;
  type: "run_started";
} | {
  /** Who pays, as far as the CLI tells. */
  account: AccountSummary | null;
  /** The models it offers. */
  models: ModelOffer[];
  type: "run_ready";
  /** The CLI's version. */
  version: string | null;
} | {
  /** How. */
  exit: Exit;
  /** What that means for the session. */
  meaning: DeadRun;
  /** The run. */
  run: RunId;
  /** The last of what it wrote to stderr. */
  stderr_tail: string;
  type: "run_ended";
} | {
  /** The CLI's id. */
  cli_session: string;
  /** Its id before. */
  previous: string | null;
  /** Why. */
  reason: ConversationReason;
  type: "conversation_changed";
} | {
  /** All of them. */
  commands: CommandOffer[];
  type: "available_commands";
} | {
  /** Images and documents. */
  attachments: Attachment[];
  /** The item. */
  item: ItemId;
  /** Who said it. */
  origin: MessageOrigin;
  /** The prompt, where it is one. */
  prompt: PromptId | null;
  /** The text. */
  text: string;
  type: "user_message";
} | {
  /** The prompt. */
  prompt: PromptId;
  /** Its state. */
  state: PromptState;
  type: "prompt_updated";
} | {
  /** Nobody asked for it: a background task has ended, or another agent has spoken. */
  autonomous: boolean;
  type: "turn_started";
} | {
  /** The item. */
  item: ItemId;
  /** It was cut off. */
  partial?: boolean;
  /** The text. */
  text: string;
  type: "message";
  /** The CLI's id of the message it is part of. */
  uuid: string | null;
} | {
  /** The item. */
  item: ItemId;
  /** It was cut off. */
  partial?: boolean;
  /** The API hides it. */
  redacted?: boolean;
  /** The text; empty where it is withheld. */
  text: string;
  type: "reasoning";
} | {
  /** The item. */
  item: ItemId;
  /** The call. */
  payload: NormalizedPayload;
  /** The call in a few words. */
  title: string;
  /** The call. */
  tool_call_id: string;
  /** The tool, as the CLI calls it. */
  tool_name: string;
  type: "tool_call";
} | {
  /** The item. */
  item: ItemId;
  /** The call with what came of it. */
  payload: NormalizedPayload;
  /** Why it did not run, where it did not. */
  reason: string | null;
  /** How it ended. */
  status: ToolStatus;
  /** The call. */
  tool_call_id: string;
  type: "tool_update";
} | {
  /** The items they had become, as far as they are remembered. */
  items: ItemId[];
  type: "retracted";
  /** The CLI's ids of the messages. */
  uuids: string[];
} | {
  /** The subagent that asks. */
  agent_id: string | null;
  /** The request. */
  approval: ApprovalId;
  /** The path that is in the way. */
  blocked_path: string | null;
  /** "No" should be preselected, and no single key should say yes. */
  default_to_no: boolean;
  /** Why no policy has answered it. */
  policy: Explanation | null;
  /** Why it is asked. */
  reason: string | null;
  /** It must not be answered from a notification. */
  requires_user_interaction: boolean;
  /** What is asked. */
  subject: Subject;
  /** What "always" would change. Empty where no such rule may be offered. */
  suggestions: Suggestion[];
  /** The question as a sentence, where the CLI has one. */
  title: string | null;
  /** The call it is about. */
  tool_call_id: string | null;
  type: "approval_requested";
} | {
  /** The request. */
  approval: ApprovalId;
  /** By whom. */
  by: Decider;
  /** What was decided. */
  decision: Decision;
  /** The call it was about. */
  tool_call_id: string | null;
  /** The tool it was about. */
  tool_name: string | null;
  type: "approval_resolved";
} | {
  /** The request. */
  approval: ApprovalId;
  /** Why. */
  reason: CancelReason;
  type: "permission_cancelled";
} | {
  /** The request to leave plan mode with it. */
  approval: ApprovalId;
  /** The file it is kept in. */
  file_path: string | null;
  /** The plan. */
  plan: string;
  type: "plan_ready";
} | {
  /** The request that carries the answer. */
  approval: ApprovalId;
  /** How many questions. */
  questions: number;
  type: "question_asked";
} | {
  /** The mode, as the CLI calls it. */
  mode: string;
  type: "mode_changed";
} | {
  /** The model. */
  model: string;
  type: "model_changed";
} | {
  /** The setting. */
  thinking: Thinking;
  type: "thinking_changed";
} | {
  type: "context_window";
  /** Tokens used. */
  used: number;
  /** Tokens there are. */
  window: number;
} | {
  /** All entries. */
  items: Todo[];
  type: "todos";
} | {
  /** The whole file after; absent where it is not known or too large. */
  after?: string | null;
  /** The whole file before; absent where there was none, or it is not known or too large. */
  before?: string | null;
  /** Whether it is new. */
  change: FileChange;
  /** What changed; absent where that is not known. */
  patch?: Patch | null;
  /** The file. */
  path: string;
  /** The call. */
  tool_call_id: string;
  type: "file_updated";
} | {
  /** It runs beside the conversation. */
  background: boolean;
  /** What it is for. */
  description: string;
  /** Milliseconds it took. */
  duration_ms: number | null;
  /** `local_agent`, `local_bash` … */
  kind: string | null;
  /** The tool it used last. */
  last_tool: string | null;
  /** `running`, `completed`, `failed`, `killed`, `stopped` … */
  status: string;
  /** The kind of subagent. */
  subagent_type: string | null;
  /** What came of it, or what it does. */
  summary: string | null;
  /** The task. */
  task_id: string;
  /** Tokens it took. */
  tokens: number | null;
  /** The call that started it. */
  tool_call_id: string | null;
  /** Tools it used. */
  tool_uses: number | null;
  type: "task_started";
} | {
  /** It runs beside the conversation. */
  background: boolean;
  /** What it is for. */
  description: string;
  /** Milliseconds it took. */
  duration_ms: number | null;
  /** `local_agent`, `local_bash` … */
  kind: string | null;
  /** The tool it used last. */
  last_tool: string | null;
  /** `running`, `completed`, `failed`, `killed`, `stopped` … */
  status: string;
  /** The kind of subagent. */
  subagent_type: string | null;
  /** What came of it, or what it does. */
  summary: string | null;
  /** The task. */
  task_id: string;
  /** Tokens it took. */
  tokens: number | null;
  /** The call that started it. */
  tool_call_id: string | null;
  /** Tools it used. */
  tool_uses: number | null;
  type: "task_updated";
} | {
  /** It runs beside the conversation. */
  background: boolean;
  /** What it is for. */
  description: string;
  /** Milliseconds it took. */
  duration_ms: number | null;
  /** `local_agent`, `local_bash` … */
  kind: string | null;
  /** The tool it used last. */
  last_tool: string | null;
  /** `running`, `completed`, `failed`, `killed`, `stopped` … */
  status: string;
  /** The kind of subagent. */
  subagent_type: string | null;
  /** What came of it, or what it does. */
  summary: string | null;
  /** The task. */
  task_id: string;
  /** Tokens it took. */
  tokens: number | null;
  /** The call that started it. */
  tool_call_id: string | null;
  /** Tools it used. */
  tool_uses: number | null;
  type: "task_ended";
} | {
  /** Tokens after. */
  after: number | null;
  /** Tokens before. */
  before: number | null;
  /** `manual` or `auto`. */
  trigger: string | null;
  type: "compacted";
} | {
  /** Which limit. */
  limit: string | null;
  /** When it is lifted: seconds since 1970. */
  resets_at: number | null;
  /** `allowed`, `allowed_warning`, `rejected`. */
  status: string | null;
  type: "rate_limit";
  /** How much of it is used: 0 to 1. */
  utilization: number | null;
} | {
  /** What kind. */
  about: NoticeKind;
  /** How loud. */
  level: NoticeLevel;
  /** The text. */
  text: string;
  type: "notice";
} | {
  /** The text. */
  text: string;
  type: "prompt_suggestion";
} | {
  /** The title. */
  title: string;
  type: "renamed";
} | {
  /** Calls that were refused. */
  denied_tool_call_ids: string[];
  /** Milliseconds of it spent in the API. */
  duration_api_ms: number | null;
  /** Milliseconds of the turn. */
  duration_ms: number | null;
  /** The last message that is known to be whole: where to resume after a failure. */
  last_message_uuid: string | null;
  /** By model, for the run so far. */
  models: Record<string, ModelShare>;
  /** Requests to the model. */
  num_turns: number | null;
  /** How it ended. */
  outcome: Outcome;
  /** The prompts it answered. */
  prompts: PromptId[];
  /** Prompts that follow by themselves. */
  queued_turns: number | null;
  /** Why the CLI ended it, in its words. */
  reason: string | null;
  /** What was asked for as JSON. */
  structured_output: unknown;
  /** Tokens of this turn's main thread. */
  tokens: Tokens;
  /** Dollars that the run has cost so far: not of this turn, and not to be summed. */
  total_cost_usd: number | null;
  type: "complete";
} | {
  /** The API's kind of error, or the CLI's reason. */
  code: string | null;
  /** What went wrong. */
  message: string;
  type: "error";
} | {
  /** The line; as text, cut, where it is very long. The wire log has it whole. */
  raw: unknown;
  type: "unknown";
  /** Its `type`, with its `subtype` after a slash. */
  what: string | null;
});

/** A part of a session's events. */
export type EventPage = {
  /** The events. */
  items: Event[];
  /** The number after which the next part begins; none at the end. */
  next: number | null;
};

/** How a process ended. */
export type Exit = {
  /** Its exit code. */
  code: number | null;
  /** The signal that ended it. */
  signal: number | null;
};

/** Why a call was decided as it was. */
export type Explanation = ({
  /** Of a command line, the part that made the decision. */
  command?: string | null;
  /** What about it could not be told, to the end of a sentence: `holds …`, `defines …`. */
  obstacle?: string | null;
  /** What was decided, as a word: `allowed`, `denied`, `asked`. */
  outcome: PolicyOutcome;
}) & ({
  ground: "rule";
  /** The rule. */
  rule: RuleRef;
} | {
  ground: "uncertain";
  /** The rule. */
  rule: RuleRef;
} | {
  ground: "default";
} | {
  ground: "for_people";
  /** The rule. */
  rule: RuleRef;
});

/** In which form. */
export type ExportForm = "json" | "markdown";

/** One thing that is wrong with the input. */
export type Fault = {
  /** What is wrong with it. */
  detail: string;
} & ({
  /** The column, from 1. */
  column?: number | null;
  in: "body";
  /** The line, from 1; none where it is not known. */
  line?: number | null;
  /** A JSON pointer; empty for the whole. */
  pointer: string;
} | {
  in: "query";
  /** The parameter; empty for the whole. */
  name: string;
} | {
  in: "path";
  /** The parameter; empty for the whole. */
  name: string;
} | {
  in: "header";
  /** The header. */
  name: string;
});

/** What happened to a file. */
export type FileChange = "created" | "modified";

/** What was read from a file. */
export type FileContent = {
  /** The cells of a notebook. */
  cells?: NotebookCell[];
  /** The text, without line numbers. */
  content?: string | null;
  /** What kind of content it is. */
  format: FileFormat;
  /** How many lines were read. */
  line_count?: number | null;
  /** Pictures and documents, pages of a PDF among them. */
  media?: Media[];
  /** Where `content` was shortened here, how many bytes it had. */
  original_bytes?: number | null;
  /** How many pages of a PDF were read. */
  page_count?: number | null;
  /** The number of the first line. */
  start_line?: number | null;
  /** How many lines the file has. */
  total_lines?: number | null;
  /** Whether something was left out: by the CLI, because the model cannot take more, or here, because a payload cannot. */
  truncated?: boolean;
};

/** A file that is not as it was committed. */
export type FileDiff = {
  /** It is no text; there are no hunks. */
  binary: boolean;
  /** What has become of it. */
  change: ChangeKind;
  /** The same as a unified diff. */
  diff: string;
  /** The change, piece by piece. */
  hunks: PatchHunk[];
  /** Lines added, also those that there is no room for. */
  lines_added: number;
  /** Lines removed, also those that there is no room for. */
  lines_removed: number;
  /** Its name before, where it has another one now. */
  old_path: string | null;
  /** Its name, relative to the working directory. One that is no text has replacement characters. */
  path: string;
  /** Where the change is. */
  stage: Stage;
  /** `hunks` and `diff` are cut, or left out, because the change is too large. */
  truncated: boolean;
};

/** What kind of content a file has. */
export type FileFormat = "text" | "image" | "notebook" | "pdf" | "unchanged" | "other";

/** Lines of a text. */
export type FileText = {
  /** The number of the first, from 1. */
  first_line: number;
  /** How many there are in `text`. */
  lines: number;
  /** Something was no UTF-8 and is shown as replacement characters. */
  lossy: boolean;
  /** The lines. */
  text: string;
  /** How many the file has; none where it is too large to be counted. */
  total_lines: number | null;
  /** Lines are missing that were asked for, or the last one is cut. */
  truncated: boolean;
};

/** A file. */
export type FileView = {
  /** What is shown of it. */
  content: Seen;
  /** What it is, as far as its first bytes tell; `text/plain` for any other text. */
  media_type: string;
  /** When it was last changed. */
  modified_at: string | null;
  /** Where it really is, absolute. */
  path: string;
  /** Bytes. */
  size: number;
};

/** A copy of a session's conversation. */
export type ForkSession = {
  /** The CLI's id of the message after which the copy ends; without one it is whole. */
  at?: string | null;
  /** The new session's id; chosen if it is left out. */
  id?: SessionId | null;
  /** The copy's tags; those of the original where left out. */
  tags?: string[] | null;
  /** The copy's title. */
  title?: string | null;
};

/** From where a run goes on. */
export type From = {
  kind: "end";
} | {
  kind: "message";
  /** The CLI's id of the message. */
  uuid: string;
} | {
  kind: "scratch";
};

/** A tool of an MCP server, or one that this version does not know, is called; or a known one with an input that does not look like its own. */
export type GenericCall = {
  /** Why the call failed. */
  error?: string | null;
  /** What it is given. */
  input: unknown;
  /** The tool, as the CLI calls it: `mcp__server__tool`. */
  name: string;
  /** What it gave back, once it is known. */
  output?: GenericOutput | null;
  /** The MCP server. */
  server?: string | null;
  /** The tool, as its MCP server calls it. */
  tool?: string | null;
};

/** What a tool gave back. */
export type GenericOutput = {
  /** Pictures and documents. */
  media?: Media[];
  /** Where `text` was shortened here, how many bytes it had. */
  original_bytes?: number | null;
  /** What programs read, where it says more than the text. */
  structured?: unknown;
  /** What the model reads. */
  text?: string;
  /** Whether text was left out of `text` here. */
  truncated?: boolean;
};

/** That the daemon answers. Tells strangers nothing else. */
export type Health = {
  /** Always `ok`. */
  status: string;
};

/** What becomes of directories that begin with a dot. */
export type Hidden = "omit" | "last";

/** Something that was found. */
export type Hit = {
  /** When it was. */
  at: string;
  /** Where it works. */
  cwd: string;
  /** The event. */
  seq: number;
  /** The session. */
  session: SessionId;
  /** The place. */
  snippet: Snippet;
  /** Its title. */
  title: string | null;
  /** Who it is from. */
  voice: Voice;
};

/** A part of a list. */
export type HitPage = {
  /** The entries. */
  items: Hit[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** Something is asked of the web: `WebFetch`, `WebSearch`, and their like at the API. */
export type HttpRequest = {
  /** What is done. */
  action: WebAction;
  /** Only pages of these sites are looked for. */
  allowed_domains?: string[];
  /** Pages of these sites are not looked for. */
  blocked_domains?: string[];
  /** Why the call failed. */
  error?: string | null;
  /** The HTTP method. */
  method: string;
  /** What is to be found out from the page. */
  prompt?: string | null;
  /** What is searched for. */
  query?: string | null;
  /** What came back, once it is known. */
  response?: HttpResponse | null;
  /** The page that is fetched. */
  url?: string | null;
};

/** What the web answered. */
export type HttpResponse = {
  /** What was found out, or what the search says. */
  body: string;
  /** How long it took, in milliseconds. */
  duration_ms?: number | null;
  /** The pages that a search found. */
  hits?: WebHit[];
  /** Where `body` was shortened here, how many bytes it had. */
  original_bytes?: number | null;
  /** The size of the page, in bytes. */
  page_bytes?: number | null;
  /** HTTP status. */
  status?: number | null;
  /** HTTP status in words. */
  status_text?: string | null;
  /** Whether something was left out here. */
  truncated?: boolean;
};

/** Who asks: for the audit, and for handlers, which get it as an argument. */
export type Identity = {
  kind: "token";
} | {
  /** Names the login, not the person; the same until it ends. */
  id: string;
  kind: "login";
  /** What its owner calls it. */
  name?: string | null;
};

/** An image in a prompt. */
export type ImageData = {
  /** Its bytes in base64; at most 5 MiB of it. */
  data: string;
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  media_type: string;
};

/** What a past conversation becomes. */
export type ImportSession = {
  /** Where it goes on; where it was led, if left out. */
  cwd?: string | null;
  /** Its policy. */
  policy?: string | null;
  /** How its runs are started. */
  profile?: Profile;
  /** Its tags. */
  tags?: string[];
  /** Its title; the one it had, if left out. */
  title?: string | null;
};

/** How the turn is stopped. */
export type InterruptTurn = {
  /** And take back all prompts that wait. */
  cancel_queued?: boolean;
};

/** What became of the prompts that waited, as far as the CLI tells. */
export type Interrupted = {
  /** Those that were taken back. */
  cancelled: string[];
  /** Those that will still be worked on. */
  still_queued: string[];
};

/** A thing in the transcript: 1, 2, 3 … */
export type ItemId = number;

/** Where a policy comes from. */
export type Level = "user" | "project" | "builtin";

/** Asks for a login link. */
export type LinkRequest = {
  /** What to call the browser that uses it: `phone`. At most 64 characters. */
  name?: string | null;
};

/** A link that logs a browser in, once. */
export type LoginLink = {
  /** Until when it works. */
  expires_at: string;
  /** To be put behind the daemon's address: `/login#…`. Secret until it is used. */
  path: string;
};

/** A login that has begun. The cookie comes beside it. */
export type LoginReply = {
  /** Until when. */
  expires_at: string;
  /** Who this is from now on. */
  identity: Identity;
  /** The page's key, sent only here: 32 bytes in base64url. The page keeps it, never sends it, and proves with `X-Pilothouse-Proof` that it has it. */
  page_key: string;
};

/** Redeems a login link. */
export type LoginRequest = {
  /** What stands behind `#` in the link. */
  code: string;
};

/** A browser that has logged in. */
export type LoginRow = {
  /** When it was made. */
  created_at: string;
  /** When it ends if it is not used before. */
  expires_at: string;
  /** Identifies the login; the same as in the audit. */
  id: string;
  /** Whether this request was made with it. */
  is_current: boolean;
  /** When it was last used, to within a few minutes. */
  last_used_at: string;
  /** What its owner calls it. */
  name: string | null;
  /** The address at which it was made: `http://127.0.0.1:7717`. It works at no other. */
  origin: string;
};

/** A part of a list. */
export type LoginRowPage = {
  /** The entries. */
  items: LoginRow[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** The to-do list is written, changed or shown: `TodoWrite`, `TodoRead`, `TaskUpdate`, `TaskList`, `TaskGet`. */
export type ManageTodos = {
  /** Whether `items` were in the result; a list that was only asked for is empty until then. */
  answered?: boolean;
  /** What changes in one entry. */
  change?: TodoChange | null;
  /** Why the call failed, or was not heeded. */
  error?: string | null;
  /** The whole list, or the entry that was asked for. */
  items?: Todo[];
  /** What is done. */
  operation: TodoOperation;
  /** The entry that is asked for. */
  task_id?: string | null;
};

/** An MCP server, in the CLI's own words. */
export type McpServer = {
  /** What went wrong. */
  error?: string | null;
  /** Its name. */
  name: string;
  /** `connected`, `failed`, `needs-auth`, `pending`, `disabled`. */
  status: string;
  /** Its tools. */
  tools?: unknown[] | null;
};

/** The MCP servers of a session, in the CLI's own words. */
export type McpServers = {
  /** The servers. */
  mcpServers: McpServer[];
};

/** A picture or document that a tool gave back. */
export type Media = {
  /** Its size on disk, in bytes. */
  bytes?: number | null;
  /** Its bytes in base64; absent where they are too many for a payload, or elsewhere. */
  data?: string | null;
  /** Its height in pixels. */
  height?: number | null;
  /** Such as `image/png` or `application/pdf`. */
  media_type: string;
  /** Where it is, if not here. */
  url?: string | null;
  /** Its width in pixels. */
  width?: number | null;
};

/** Who said something. */
export type MessageOrigin = {
  kind: "user";
} | {
  kind: "host";
} | {
  kind: "cli";
  /** What kind, in the CLI's words. */
  source: string | null;
};

/** A tool of the CLI itself is called that needs no display of its own. */
export type MiscCall = {
  /** With what, in a few words. */
  details?: string | null;
  /** Why the call failed. */
  error?: string | null;
  /** What it is given. */
  input: unknown;
  /** What it does, in two or three words. */
  label: string;
  /** The tool, by its present name. */
  name: string;
  /** What it gave back, once it is known. */
  output?: GenericOutput | null;
};

/** A model that can be chosen. */
export type ModelOffer = {
  /** More about it. */
  description: string;
  /** The efforts it knows. */
  efforts: string[];
  /** Its name for people. */
  name: string;
  /** What to choose it by. */
  value: string;
};

/** A model's share of a run. */
export type ModelShare = {
  /** Put into the cache. */
  cache_creation: number;
  /** Read from the cache. */
  cache_read: number;
  /** Tokens of its context. */
  context_window: number | null;
  /** Dollars. */
  cost_usd: number | null;
  /** Read, not from the cache. */
  input: number;
  /** Written. */
  output: number;
};

/** A file is changed: `Edit`, `MultiEdit`, `Write`, `NotebookEdit`. */
export type ModifyFile = {
  /** Whether the file was there before, once it is known. */
  change?: FileChange | null;
  /** Why the call failed. */
  error?: string | null;
  /** The file. */
  file_path: string;
  /** What is done to it, in order. */
  mutations: Mutation[];
  /** What changes. Before the result is there, what stood in the file is known only as far as the call says it; absent where nothing changes. */
  patch?: Patch | null;
  /** Whether the change is only prepared and the file is still as it was. */
  staged?: boolean;
  /** Whether the user changed what the model wanted. */
  user_modified?: boolean;
};

/** One change to a file. */
export type Mutation = {
  /** The cell of a notebook, or the one to insert after. */
  cell_id?: string | null;
  /** What the cell holds: `code` or `markdown`. */
  cell_type?: string | null;
  /** The new content of the whole file. */
  content?: string | null;
  /** What it is replaced by. */
  new_content?: string | null;
  /** What is replaced. */
  old_content?: string | null;
  /** Whether it is replaced wherever it stands. */
  replace_all?: boolean;
  /** What is done. */
  type: MutationKind;
};

/** What is done to a file. */
export type MutationKind = "edit" | "write" | "replace_cell" | "insert_cell" | "delete_cell";

/** A tool call and what came of it, by what it does. */
export type NormalizedPayload = {
  kind: "read_file";
} & ReadFile | {
  kind: "modify_file";
} & ModifyFile | {
  kind: "shell_exec";
} & ShellExec | {
  kind: "code_search";
} & CodeSearch | {
  kind: "http_request";
} & HttpRequest | {
  kind: "subagent_task";
} & SubagentTask | {
  kind: "create_task";
} & CreateTask | {
  kind: "manage_todos";
} & ManageTodos | {
  kind: "plan";
} & PlanCall | {
  kind: "question";
} & QuestionCall | {
  kind: "generic";
} & GenericCall | {
  kind: "misc";
} & MiscCall;

/** A cell of a notebook. */
export type NotebookCell = {
  /** `code` or `markdown`. */
  cell_type?: string | null;
  /** Names the cell. */
  id?: string | null;
  /** The language of its code. */
  language?: string | null;
  /** What it printed when it last ran. */
  printed?: string | null;
  /** What is in it. */
  source: string;
};

/** What a notice is about. */
export type NoticeKind = "retry" | "hook" | "informational" | "refusal" | "denied" | "authentication" | "surroundings" | "session";

/** How loud a notice is. */
export type NoticeLevel = "info" | "warning" | "error";

/** An OpenAPI document. */
export type OpenApi = {
  /** `3.1.0`. */
  openapi: string;
};

/** An item that has begun and not ended, for clients that come late. */
export type OpenItem = {
  /** The item. */
  item: ItemId;
  /** The call that started the subagent it comes from. */
  parent_tool_call_id: string | null;
  /** The text so far. */
  text: string;
  /** The tool, where it is the input of a call. */
  tool_name: string | null;
  /** The turn it belongs to. */
  turn: TurnId | null;
  /** What it is. */
  type: DeltaKind;
};

/** What can be asked of a session over the socket. */
export type Order = {
  /** A text, or a list of content blocks. */
  content: unknown;
  do: "prompt";
  /** The same prompt under the same key is said once, however often it is sent. */
  key?: string | null;
  /** When it is heard. */
  urgency?: Urgency;
} | {
  do: "cancel_prompt";
  /** The prompt. */
  prompt: PromptId;
} | {
  do: "send_now";
  /** The prompt. */
  prompt: PromptId;
} | {
  /** And take back all prompts that wait. */
  cancel_queued?: boolean;
  do: "interrupt";
} | {
  /** The request. */
  approval: ApprovalId;
  /** The answer. */
  decision: DecisionInput;
  do: "decide";
} | {
  do: "set_mode";
  /** The mode, or `ask` and `act`. */
  mode: string;
} | {
  do: "set_model";
  /** The model. */
  model?: string | null;
} | {
  do: "set_thinking";
  /** The most tokens. */
  max_tokens?: number | null;
} | {
  do: "set_effort";
  /** `low`, `medium`, `high` … */
  effort: string;
} | {
  do: "start";
  /** From where the conversation goes on. */
  from?: From;
} | {
  do: "stop";
};

/** How a turn ended. */
export type Outcome = "done" | "interrupted" | "failed" | "limit_reached" | "lost";

/** What was found. */
export type PastFound = {
  /** Everything was looked at. Otherwise there was enough, or no more time. */
  complete: boolean;
  /** The conversations, the one written last first. */
  hits: PastHit[];
  /** How many transcripts were looked at. */
  looked_at: number;
  /** Lines in them that could not be read. */
  skipped_lines: number;
};

/** A conversation in which something was found. */
export type PastHit = {
  /** The conversation. */
  session: PastSession;
  /** The first places in it. */
  snippets: PastSnippet[];
};

/** A part of the list. */
export type PastPage = {
  /** The conversations, the one written last first. */
  items: PastSession[];
  /** How many to pass over for the next part; none at the end. */
  next: number | null;
};

/** A past conversation in a list. */
export type PastSession = {
  /** It was put away. */
  archived: boolean;
  /** The CLI's id of it. */
  cli_session: string;
  /** Where it was led. */
  cwd: string | null;
  /** What was said first. */
  first_prompt: string | null;
  /** The branch that was checked out there. */
  git_branch: string | null;
  /** Bytes of its transcript. */
  size: number;
  /** When it began. */
  started_at: string | null;
  /** One line to show: the title, else what was said. */
  summary: string;
  /** Its tag. */
  tag: string | null;
  /** The title that somebody chose. */
  title: string | null;
  /** When something was last said. */
  updated_at: string;
};

/** A place in a conversation. */
export type PastSnippet = {
  /** Where they end. */
  end: number;
  /** Whose words. */
  said: Said;
  /** Where the words begin in `text`: bytes of UTF-8. */
  start: number;
  /** Some text before, the words, some text after. */
  text: string;
  /** The CLI's id of the message. */
  uuid: string | null;
};

/** What changed in a file. */
export type Patch = {
  /** The change as a unified diff, with `---` and `+++` lines. */
  diff: string;
  /** The same, piece by piece. */
  hunks?: PatchHunk[];
  /** Lines added, also those that `diff` has no room for. */
  lines_added: number;
  /** Lines removed, also those that `diff` has no room for. */
  lines_removed: number;
  /** Whether the line numbers are those of the file. Otherwise only the replaced text was known, and its lines count from 1. */
  located?: boolean;
  /** Whether `diff` and `hunks` were cut because the change is too large. */
  truncated?: boolean;
};

/** A piece of a patch. */
export type PatchHunk = {
  /** The lines, each after ` `, `+` or `-`; `\ No newline at end of file` follows a last line that does not end. */
  lines: string[];
  /** How many lines after the change. */
  new_lines: number;
  /** First line after the change, from 1; 0 where there is none. */
  new_start: number;
  /** How many lines before the change. */
  old_lines: number;
  /** First line before the change, from 1; 0 where there is none. */
  old_start: number;
};

/** Whether plan mode begins or ends. */
export type PlanAction = "enter" | "exit";

/** Plan mode begins, or a plan is shown to the user: `EnterPlanMode`, `ExitPlanMode`. */
export type PlanCall = {
  /** Whether plan mode begins or ends. */
  action: PlanAction;
  /** What the plan wants to be allowed. */
  allowed_prompts?: PlanPermission[];
  /** Whether the user changed the plan. */
  edited?: boolean;
  /** Why the call failed, or what the user said in place of yes. */
  error?: string | null;
  /** The file that the plan is in. */
  file_path?: string | null;
  /** The plan, in Markdown. */
  plan?: string | null;
};

/** What becomes of a plan. */
export type PlanChoice = "clear_context" | "accept_edits" | "approve_by_hand" | "keep_planning";

/** Something that a plan wants to be allowed. */
export type PlanPermission = {
  /** What for. */
  prompt?: string | null;
  /** The tool. */
  tool?: string | null;
};

/** What a policy says to a call. */
export type PolicyDecision = {
  /** Why. */
  because: Explanation;
  /** Why, as a sentence. */
  sentence: string;
} & ({
  verdict: "allow";
} | {
  /** What the model is told. */
  message: string;
  verdict: "deny";
} | {
  verdict: "ask";
});

/** A policy and its text. */
export type PolicyFile = {
  /** It comes along and cannot be changed. */
  builtin: boolean;
  /** The name. */
  name: string;
  /** TOML. */
  text: string;
};

/** A policy's name. */
export type PolicyName = {
  /** It comes along and cannot be changed. */
  builtin: boolean;
  /** The name. */
  name: string;
};

/** A part of a list. */
export type PolicyNamePage = {
  /** The entries. */
  items: PolicyName[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** What was decided, as a word. */
export type PolicyOutcome = "allowed" | "denied" | "asked";

/** What a policy would have said. */
export type PolicyReplay = {
  /** How many calls it would have allowed, */
  allowed: number;
  /** left to a person. */
  asked: number;
  /** The calls, oldest first. */
  calls: ReplayedCall[];
  /** denied, */
  denied: number;
  /** The session has more calls than were looked at. */
  is_cut: boolean;
};

/** A problem as it is sent. */
export type Problem = {
  /** What happened this time, and what to do about it. */
  detail: string;
  /** What in the input is wrong. */
  errors?: Fault[];
  /** What it happened to: a path. */
  instance?: string | null;
  /** Why the session said no. */
  refusal?: Refusal | null;
  /** After how many seconds the same may work. */
  retry_after?: number | null;
  /** The status of the answer. */
  status: number;
  /** What all problems of this type have in common. */
  title: string;
  /** Which problem: a stable reference, relative to the daemon. */
  type: string;
};

/** How the runs of a session are started. What is left out is left to the CLI. */
export type Profile = {
  /** Other directories the session works in; absolute. */
  add_dirs?: string[];
  /** Subagents by name, as the CLI defines them. */
  agents?: Record<string, unknown>;
  /** Let the session use the CLI's mode that asks nothing at all. */
  allow_bypass?: boolean;
  /** Tools that need no permission, as the CLI writes rules. */
  allowed_tools?: string[];
  /** Added to the CLI's system prompt. */
  append_system_prompt?: string | null;
  /** The executable of the CLI, where it is not the host's. */
  claude?: string | null;
  /** Tools that may not be used. */
  disallowed_tools?: string[];
  /** How hard the model thinks: `low`, `medium`, `high` … */
  effort?: string | null;
  /** Variables of the CLI's environment. Secrets among them are kept in the host's database. */
  env?: Record<string, string>;
  /** Other flags of the CLI, without their dashes; `null` for those without a value. */
  extra_args?: Record<string, string | null>;
  /** The most money for one run. */
  max_budget_usd?: number | null;
  /** The most tokens of thinking; 0 for none. */
  max_thinking_tokens?: number | null;
  /** The most turns of the model for one prompt. */
  max_turns?: number | null;
  /** MCP servers by name, as in the CLI's own configuration. */
  mcp_servers?: Record<string, unknown>;
  /** The permission mode: `default`, `acceptEdits`, `plan`, …, or `ask` and `act`. */
  mode?: string | null;
  /** The model. */
  model?: string | null;
  /** Ask about every call that no rule allows, also about those that the CLI would not ask about. */
  see_every_call?: boolean;
  /** Settings files that are read at most: `user`, `project`, `local`; all where it is left out. In a directory that is not trusted only `user` is. */
  setting_sources?: string[] | null;
  /** Settings of the CLI, as in its settings files. */
  settings?: unknown;
  /** Use no other MCP servers. */
  strict_mcp?: boolean;
};

/** A prompt. Chosen by who sends it: sending it again under the same id does nothing. */
export type PromptId = string;

/** A prompt of a session. What was said is in the event that names it. */
export type PromptRow = {
  /** When it was asked for. */
  asked_at: string;
  /** The client's name for the attempt, where it had one. */
  key: string | null;
  /** The prompt. */
  prompt: PromptId;
  /** What has become of it. */
  state: PromptStage;
};

/** A part of a list. */
export type PromptRowPage = {
  /** The entries. */
  items: PromptRow[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** What has become of a prompt. */
export type PromptStage = "reserved" | "queued" | "sent" | "taken_up" | "answered" | "cancelled" | "failed";

/** What has become of a prompt. */
export type PromptState = {
  kind: "queued";
} | {
  kind: "sent";
} | {
  kind: "taken_up";
  /** The turn. */
  turn: TurnId;
} | {
  kind: "answered";
  /** The turn. */
  turn: TurnId;
} | {
  kind: "cancelled";
} | {
  kind: "failed";
  /** Why. */
  reason: string;
};

/** A prompt that was taken in. */
export type PromptTaken = {
  /** Its id: events name it. */
  prompt: PromptId;
};

/** A file that would be put back. */
export type PutBack = {
  /** What would become of it; none where that is not known. */
  kind: PutBackKind | null;
  /** What would change in it, from what it holds now to what it would hold; none where no line changes, or it is not known. */
  patch: Patch | null;
  /** Its absolute name. */
  path: string;
  /** Why what would change is not shown. */
  unknown: string | null;
};

/** What would become of a file. */
export type PutBackKind = "changed" | "created" | "deleted";

/** A policy's text. */
export type PutPolicy = {
  /** TOML. */
  text: string;
};

/** An answer. */
export type QuestionAnswer = {
  /** The chosen label, several of them joined by commas, or free text. */
  answer?: string | null;
  /** What the user added. */
  notes?: string | null;
  /** The preview of what the user chose. */
  preview?: string | null;
  /** The text of the question. */
  question: string;
  /** Why there is no answer: `skipped`, `replied_in_chat`, `dismissed`. */
  unanswered?: string | null;
};

/** The user is asked: `AskUserQuestion`. */
export type QuestionCall = {
  /** What the user answered, once it is known, in the order of the questions. */
  answers?: QuestionAnswer[];
  /** Why the call failed, or why the user did not answer. */
  error?: string | null;
  /** What is asked. */
  questions: AskedQuestion[];
  /** What the user said in place of answers. */
  response?: string | null;
};

/** The answer to one question. */
export type QuestionReply = {
  /** The labels that were chosen, or free text. */
  answers: string[];
  /** A remark. */
  notes: string | null;
  /** The text of the question. */
  question: string;
};

/** The answer to one question. */
export type QuestionReplyInput = {
  /** The labels that were chosen, or free text. */
  answers: string[];
  /** A remark. */
  notes?: string | null;
  /** The text of the question. */
  question: string;
};

/** A file is read: `Read`, `NotebookRead`. */
export type ReadFile = {
  /** Of a notebook, the cell to read. */
  cell_id?: string | null;
  /** Why the call failed. */
  error?: string | null;
  /** The file. */
  file_path: string;
  /** How many lines to read. */
  limit?: number | null;
  /** The first line to read, from 1. */
  offset?: number | null;
  /** What was read, once it is known. */
  output?: FileContent | null;
  /** Of a PDF, which pages to read: `1-5`. */
  pages?: string | null;
};

/** Why a command is refused. Nothing has changed. */
export type Refusal = {
  /** The request. */
  approval: ApprovalId;
  kind: "unknown_approval";
} | {
  /** The request. */
  approval: ApprovalId;
  kind: "already_answered";
} | {
  /** The request. */
  approval: ApprovalId;
  kind: "approval_void";
} | {
  kind: "unfit_decision";
  /** Why. */
  why: string;
} | {
  kind: "prompt_not_waiting";
  /** The prompt. */
  prompt: PromptId;
} | {
  kind: "too_many_prompts";
} | {
  kind: "mention_denied";
  /** The mention. */
  mention: string;
  /** The rule. */
  rule: string;
} | {
  kind: "too_many_mentions";
  /** How many can be. */
  most: number;
} | {
  kind: "approval_open";
} | {
  kind: "not_running";
} | {
  kind: "not_ready";
} | {
  kind: "already_running";
} | {
  kind: "nothing_to_interrupt";
} | {
  /** Its code. */
  code: string | null;
  kind: "cli";
  /** In its words. */
  message: string;
} | {
  kind: "run_ended";
};

/** Which policy is tried on a session's calls: one of `policy` and `text`. */
export type ReplayPolicy = {
  /** How many calls, from the first on. */
  limit?: number | null;
  /** The permission mode; the session's where left out. */
  mode?: string | null;
  /** The name of a policy. */
  policy?: string | null;
  /** The session whose calls are decided. */
  session: SessionId;
  /** The text of one that was not put there yet. */
  text?: string | null;
};

/** A call and what a policy would have said. */
export type ReplayedCall = {
  /** Why. */
  because: Explanation;
  /** In a subagent. */
  in_subagent: boolean;
  /** Why, as a sentence. */
  sentence: string;
  /** The call. */
  tool_call_id: string;
  /** The tool. */
  tool_name: string;
} & ({
  verdict: "allow";
} | {
  /** What the model is told. */
  message: string;
  verdict: "deny";
} | {
  verdict: "ask";
});

/** To which prompt files are put back. */
export type Rewind = {
  /** Only tell what would change. */
  dry_run?: boolean;
  /** The prompt, or the CLI's id of the message: files are put back as they were before it. */
  user_message_id: string;
};

/** What a rewind changes, or would change. */
export type Rewound = {
  /** Whether it can be done. */
  can_rewind: boolean;
  /** Lines removed. */
  deletions: number | null;
  /** Why it cannot be done. */
  error: string | null;
  /** What would change in each of the files; in a dry run only. */
  files: PutBack[];
  /** The files. */
  files_changed: string[];
  /** Lines added. */
  insertions: number | null;
  /** Links that were left as they are; told once it is done, by CLIs that do so. */
  skipped_links: number | null;
};

/** A rule, by where it stands. */
export type RuleRef = {
  /** The file. */
  file: string;
  /** Where the file comes from. */
  level: Level;
  /** The line it starts at, from 1. */
  line: number;
  /** Which rule of the file, from 1. */
  number: number;
  /** What it is about, in a line. */
  summary: string;
};

/** One CLI process serving a session. */
export type RunId = string;

/** How a run came to be. */
export type RunOrigin = {
  kind: "new";
} | {
  /** The message after which everything is dropped. */
  at: string | null;
  /** The CLI's id of it. */
  cli_session: string;
  kind: "resumed";
} | {
  /** The message after which the copy ends. */
  at: string | null;
  /** The CLI's id of the original. */
  cli_session: string;
  kind: "forked";
};

/** A run of a session. */
export type RunRow = {
  /** How long its wire log is, in bytes. */
  bytes: number;
  /** The CLI's exit code. */
  code: number | null;
  /** Its CLI works, or waits. */
  is_live: boolean;
  /** The run. */
  run: RunId;
  /** The signal that ended it. */
  signal: number | null;
  /** When it was started. */
  started_at: string | null;
};

/** A part of a list. */
export type RunRowPage = {
  /** The entries. */
  items: RunRow[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** Whose words. */
export type Said = "prompt" | "answer" | "tool";

/** What is looked for and shown. */
export type SearchMode = "file_names" | "files_with_matches" | "content" | "count" | "directory" | "symbols";

/** What was found. */
export type SearchOutput = {
  /** Lines, counts, a listing or an answer, as text. */
  content?: string | null;
  /** How many files were found, also those that are not listed. */
  file_count?: number | null;
  /** The files. Where lines or counts are shown, those that stand in them. */
  files?: string[];
  /** How many lines were found. */
  line_count?: number | null;
  /** How many matches were found. */
  match_count?: number | null;
  /** Where `content` was shortened here, how many bytes it had. */
  original_bytes?: number | null;
  /** Whether the search took too long and was given up. */
  timed_out?: boolean;
  /** Whether there is more than is shown here. */
  truncated?: boolean;
};

/** What is shown of a file. */
export type Seen = {
  kind: "text";
} & FileText | {
  /** Pixels from top to bottom. */
  height: number;
  kind: "image";
  /** `image/png` and the like. */
  media_type: string;
  /** Pixels from left to right. */
  width: number;
} | {
  kind: "binary";
};

/** What goes on in the background from now on. */
export type SendBack = {
  /** One call; all that run, where it is left out. */
  tool_call_id?: string | null;
};

/** Something to be said. */
export type SendPrompt = {
  /** Files that were uploaded to the session before. */
  attachments?: AttachmentUse[];
  /** Images, in the message itself. */
  images?: ImageData[];
  /** Its id, chosen by who sends it; a new one if it is left out. */
  prompt?: PromptId | null;
  /** The text; may be empty beside an image or an attachment. */
  text?: string;
  /** When it is heard. */
  urgency?: Urgency;
};

/** What the host says: every text message is a list of these. */
export type ServerMessage = {
  /** The events. */
  events: Event[];
  /** The session. */
  session: SessionId;
  type: "events";
} | {
  /** The pieces. */
  deltas: Delta[];
  /** The session. */
  session: SessionId;
  type: "deltas";
} | {
  /** Half-written items. */
  open_items: OpenItem[];
  /** The number of its last event. */
  seq: number;
  /** The session. */
  session: SessionId;
  type: "live";
} | {
  /** The session. */
  session: SessionId;
  type: "lagged";
} | {
  /** Why, unless the client wanted it. */
  problem: Problem | null;
  /** The session. */
  session: SessionId;
  type: "unsubscribed";
} | {
  /** The client's id of it. */
  id: number | null;
  /** Why not. */
  problem?: Problem | null;
  /** The answer. */
  result?: unknown;
  type: "reply";
} | {
  /** By their ids. */
  sessions: Record<string, SessionRow | null>;
  type: "sessions";
} | {
  type: "list_lagged";
};

/** A session as it stands. */
export type SessionDetail = {
  /** What waits for an answer. */
  approvals: Approval[];
  /** It is put away. */
  archived: boolean;
  /** The CLI's id of the conversation. */
  cli_session: string | null;
  /** When it was created. */
  created_at: string;
  /** Where it works. */
  cwd: string;
  /** Its id. */
  id: SessionId;
  /** The number of its last event. */
  last_seq: number;
  /** The permission mode. */
  mode: string | null;
  /** The model. */
  model: string | null;
  /** A person has to do something: answer, or look at what was interrupted. */
  needs_you: boolean;
  /** How many requests wait for an answer. */
  open_approvals: number;
  /** What has begun and not ended. */
  open_items: OpenItem[];
  /** Its policy. */
  policy: string | null;
  /** Whatever else the host keeps with it. Written without the values of variables, headers, flags of the CLI and arguments of MCP servers, and without the credentials and query values of URLs. */
  settings: unknown;
  /** Its state. */
  status: Status;
  /** Its tags, in order. */
  tags: string[];
  /** The tasks that go on. */
  tasks: Task[];
  /** Its title: one that a person chose, or the CLI's. */
  title: string | null;
  /** Something happened that nobody has seen. */
  unread: boolean;
  /** When something last happened that is worth the list's order. */
  updated_at: string;
};

/** A session of ours; the CLI's own id of the conversation is another thing, and may change. */
export type SessionId = string;

/** A session that is there. */
export type SessionRow = {
  /** It is put away. */
  archived: boolean;
  /** The CLI's id of the conversation. */
  cli_session: string | null;
  /** When it was created. */
  created_at: string;
  /** Where it works. */
  cwd: string;
  /** Its id. */
  id: SessionId;
  /** The number of its last event. */
  last_seq: number;
  /** The permission mode. */
  mode: string | null;
  /** The model. */
  model: string | null;
  /** A person has to do something: answer, or look at what was interrupted. */
  needs_you: boolean;
  /** How many requests wait for an answer. */
  open_approvals: number;
  /** Its policy. */
  policy: string | null;
  /** Whatever else the host keeps with it. Written without the values of variables, headers, flags of the CLI and arguments of MCP servers, and without the credentials and query values of URLs. */
  settings: unknown;
  /** Its state. */
  status: Status;
  /** Its tags, in order. */
  tags: string[];
  /** Its title: one that a person chose, or the CLI's. */
  title: string | null;
  /** Something happened that nobody has seen. */
  unread: boolean;
  /** When something last happened that is worth the list's order. */
  updated_at: string;
};

/** A part of a list. */
export type SessionRowPage = {
  /** The entries. */
  items: SessionRow[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** How hard is thought. */
export type SetEffort = {
  /** `low`, `medium`, `high` …, as the model offers. */
  effort: string;
};

/** A permission mode. */
export type SetMode = {
  /** `default`, `acceptEdits`, `plan`, `dontAsk`, `auto`, `bypassPermissions`, or `ask` and `act`. */
  mode: string;
};

/** A model. */
export type SetModel = {
  /** Its name or alias; null for the CLI's default. */
  model?: string | null;
};

/** How much is thought. */
export type SetThinking = {
  /** The most tokens; 0 for no thinking, null for no limit. */
  max_tokens?: number | null;
};

/** A project or a model, and what it took. */
export type Share = {
  /** Put into the cache. */
  cache_creation: number;
  /** Read from the cache. */
  cache_read: number;
  /** Dollars, as the CLI counts them. */
  cost_usd: number;
  /** Read, not from the cache. */
  input: number;
  /** The directory, or the model. */
  name: string;
  /** Written. */
  output: number;
};

/** What is done with a command. */
export type ShellAction = "run" | "run_powershell" | "evaluate" | "watch" | "read_output" | "stop";

/** A command is run, watched, asked for its output or stopped: `Bash`, `PowerShell`, `REPL`, `Monitor`, `BashOutput`, `TaskOutput`, `TaskStop`. */
export type ShellExec = {
  /** What is done. */
  action: ShellAction;
  /** Whether it is not waited for. */
  background?: boolean;
  /** The command line, or the code. Of a background task it is known only from the result, if at all. */
  command?: string | null;
  /** What the command does, in a few words. */
  description?: string | null;
  /** Why the call failed. A command that ran and ended badly has an exit code in place of this. */
  error?: string | null;
  /** What came of it, once it is known. */
  output?: ShellOutput | null;
  /** The address of the socket that is watched in place of a command. */
  socket?: string | null;
  /** The background task: the one that is asked for or stopped, or the one that the command became. */
  task_id?: string | null;
  /** How long it may take, in milliseconds. */
  timeout?: number | null;
  /** Whether it runs outside the sandbox. */
  unsandboxed?: boolean;
};

/** What came of a command. */
export type ShellOutput = {
  /** Whether the user put it into the background. */
  backgrounded_by_user?: boolean;
  /** The exit code. The CLI reports none for a command that went well or that it put into the background; it is 0 here where the CLI says that the command went well. */
  exit_code?: number | null;
  /** Whether the command was interrupted. */
  interrupted?: boolean;
  /** Pictures that it printed. */
  media?: Media[];
  /** What the exit code means where it is no failure, such as that nothing was found. */
  note?: string | null;
  /** Where the CLI has put an output that is too large for the model. */
  output_file?: string | null;
  /** Of a background task, how it stands: `running`, `completed`, `failed`, `killed`. */
  status?: string | null;
  /** Standard error. */
  stderr?: string;
  /** Where `stderr` was shortened here, how many bytes it had. */
  stderr_bytes?: number | null;
  /** Standard output; where the CLI does not tell them apart, together with standard error. */
  stdout?: string;
  /** Where `stdout` was shortened, how many bytes it had. */
  stdout_bytes?: number | null;
  /** Put into the background because it had taken this many milliseconds. */
  timed_out_after_ms?: number | null;
  /** Whether text is missing from `stdout` or `stderr`: left out here, or by the CLI, which then says in `output_file` where the whole is. */
  truncated?: boolean;
};

/** Which daemon is to end. */
export type ShutDown = {
  /** Its process, as its `daemon.json` has it: whoever means another one ends none. */
  pid: number;
};

/** A piece of a text in which something was found. It is what was said, not markup. */
export type Snippet = {
  /** There is more of the text. */
  is_cut: boolean;
  /** Where in it the words stand: from and to, in bytes. */
  marks: ([number, number])[];
  /** The piece. */
  text: string;
};

/** Cost and tokens. */
export type Spent = {
  /** Put into the cache. */
  cache_creation: number;
  /** Read from the cache. */
  cache_read: number;
  /** Dollars, as the CLI counts them. */
  cost_usd: number;
  /** Read, not from the cache. */
  input: number;
  /** Written. */
  output: number;
};

/** Where a change is. */
export type Stage = "staged" | "unstaged" | "untracked";

/** Whether the configuration of a repository is used. */
export type Standing = "empty" | "undecided" | "trusted" | "trusted_for_session" | "trusted_by_claude_code" | "never";

/** From where a run goes on. */
export type StartRun = {
  /** The end of the conversation, where left out. */
  from?: From;
};

/** The state of a session. */
export type Status = "dormant" | "starting" | "ready" | "running" | "awaiting_approval" | "settled" | "idle" | "interrupted" | "ended";

/** What came of a subagent. */
export type SubagentOutput = {
  /** Names the agent. */
  agent_id?: string | null;
  /** Which kind of agent it is. */
  agent_type?: string | null;
  /** How long it took, in milliseconds. */
  duration_ms?: number | null;
  /** The model it runs on. */
  model?: string | null;
  /** Where `result` was shortened here, how many bytes it had. */
  original_bytes?: number | null;
  /** The file that its output goes to. */
  output_file?: string | null;
  /** What it reports. */
  result?: string | null;
  /** Where to look at the task on another machine. */
  session_url?: string | null;
  /** How it stands. */
  status: SubagentStatus;
  /** The task on another machine. */
  task_id?: string | null;
  /** How many tools it called. */
  tool_uses?: number | null;
  /** How many tokens it took. */
  total_tokens?: number | null;
  /** Whether text was left out of `result` here. */
  truncated?: boolean;
  /** The branch of that worktree. */
  worktree_branch?: string | null;
  /** The worktree that it works in. */
  worktree_path?: string | null;
};

/** How a subagent stands when its call returns. */
export type SubagentStatus = "completed" | "launched" | "launched_remotely";

/** A subagent is given work: `Agent`, `Task`. */
export type SubagentTask = {
  /** Whether it is asked not to be waited for. */
  background?: boolean;
  /** What it is to do, in a few words. */
  description?: string | null;
  /** How hard it is to think. */
  effort?: string | null;
  /** Why the call failed. */
  error?: string | null;
  /** Where it works: `worktree` or `remote`; beside its caller where absent. */
  isolation?: string | null;
  /** Which model is asked for; the one it ran on stands in `output`. */
  model?: string | null;
  /** What it is called. */
  name?: string | null;
  /** What came of it, once it is known. */
  output?: SubagentOutput | null;
  /** What it is told. */
  prompt: string;
  /** The agent that is to go on, in place of a new one. */
  resume?: string | null;
  /** Which kind of agent is asked for. */
  subagent_type?: string | null;
};

/** What is asked. */
export type Subject = {
  /** What it would be called with, whole. */
  input: unknown;
  kind: "tool";
  /** What that would do. */
  payload: NormalizedPayload;
  /** The tool. */
  tool_name: string;
} | {
  kind: "enter_plan";
} | {
  /** The file it is kept in. */
  file_path: string | null;
  kind: "plan";
  /** The plan; none if the model wrote none. */
  plan: string | null;
} | {
  kind: "question";
  /** The questions. */
  questions: AskedQuestion[];
} | {
  /** Names it, for when it is complete. */
  elicitation_id: string | null;
  kind: "elicitation";
  /** The question. */
  message: string | null;
  /** What the form holds, as JSON Schema. */
  schema: unknown;
  /** The server. */
  server: string | null;
  /** Where to send the user instead. */
  url: string | null;
} | {
  /** What it shows. */
  content: unknown;
  /** Which. */
  dialog: string;
  kind: "dialog";
};

/** A change that would make a request unnecessary next time. */
export type Suggestion = unknown;

/** A subagent, a background command or the like. */
export type Task = {
  /** It runs beside the conversation. */
  background: boolean;
  /** What it is for. */
  description: string;
  /** Milliseconds it took. */
  duration_ms: number | null;
  /** `local_agent`, `local_bash` … */
  kind: string | null;
  /** The tool it used last. */
  last_tool: string | null;
  /** `running`, `completed`, `failed`, `killed`, `stopped` … */
  status: string;
  /** The kind of subagent. */
  subagent_type: string | null;
  /** What came of it, or what it does. */
  summary: string | null;
  /** The task. */
  task_id: string;
  /** Tokens it took. */
  tokens: number | null;
  /** The call that started it. */
  tool_call_id: string | null;
  /** Tools it used. */
  tool_uses: number | null;
};

/** A part of a list. */
export type TaskPage = {
  /** The entries. */
  items: Task[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** How hard the model thinks. */
export type Thinking = {
  /** `low`, `medium`, `high` … */
  effort: string | null;
  /** The most tokens of thinking; 0 for none. */
  max_tokens: number | null;
};

/** An entry of the to-do list. */
export type Todo = {
  /** What to show while it is being done. */
  active_form?: string | null;
  /** The entries that it waits for. */
  blocked_by?: string[];
  /** The entries that wait for it. */
  blocks?: string[];
  /** What is to be done, at length. */
  description?: string | null;
  /** Names the entry, where the tool gives names. */
  id?: string | null;
  /** Who does it. */
  owner?: string | null;
  /** How urgent it is; from old versions. */
  priority?: string | null;
  /** How it stands. */
  status: TodoStatus;
  /** The headline. */
  title: string;
};

/** What changes in an entry; what is absent stays. */
export type TodoChange = {
  /** What to show while it is being done. */
  active_form?: string | null;
  /** Entries that it waits for, too. */
  add_blocked_by?: string[];
  /** Entries that wait for it, too. */
  add_blocks?: string[];
  /** What is to be done now. */
  description?: string | null;
  /** Names the entry. */
  id: string;
  /** Who does it now. */
  owner?: string | null;
  /** How it stands now. */
  status?: TodoStatus | null;
  /** The new headline. */
  title?: string | null;
};

/** What is done to the to-do list. */
export type TodoOperation = "write" | "list" | "get" | "update";

/** How an entry stands. */
export type TodoStatus = "pending" | "in_progress" | "completed" | "deleted" | "unknown";

/** Whether a server is used. */
export type ToggleServer = {
  /** On or off. */
  enabled: boolean;
};

/** Tokens. */
export type Tokens = {
  /** Put into the cache. */
  cache_creation: number;
  /** Read from the cache. */
  cache_read: number;
  /** Read, not from the cache. */
  input: number;
  /** Written. */
  output: number;
};

/** How a tool call stands. */
export type ToolStatus = "detached" | "complete" | "error" | "cancelled";

/** What is different from the last commit. */
export type TreeChanges = {
  /** The branch that is checked out; none where it is no branch. */
  branch: string | null;
  /** Staged, then unstaged, then untracked files. A file with changes of two kinds is there twice. */
  files: FileDiff[];
  /** There are more changes than these. */
  truncated: boolean;
};

/** A call that is only thought of. */
export type TriedCall = {
  /** What it would be called with. */
  input: Record<string, unknown>;
  /** The permission mode; `default` where left out. */
  mode?: string | null;
  /** The type of the subagent that would call; none in the main thread. */
  subagent?: string | null;
  /** The tool. */
  tool_name: string;
};

/** A person's answer to the question whether a repository is trusted. */
export type TrustAnswer = "session" | "always" | "never";

/** A person's decision about a repository. */
export type TrustDecision = {
  /** Whether, and for how long, the repository is trusted. */
  answer: TrustAnswer;
  /** The digest from the report that the decision is about. */
  digest: string;
  /** A directory in the repository; absolute. */
  directory: string;
  /** Let the repository's hooks answer approvals in the place of a person. Needed to trust a repository that has hooks which can. */
  hooks_may_answer?: boolean;
  /** The session that the report was made for, if it was one. */
  session?: SessionId | null;
};

/** What was decided about a repository. */
export type TrustKind = "always" | "session" | "never" | "claude_code" | "removed";

/** What a repository would bring to sessions in a directory, and whether it may. */
export type TrustReport = {
  /** What the repository would bring. */
  brings: Brings;
  /** Files that differ from what was trusted last; empty if nothing was. */
  changed: string[];
  /** Digest of the configuration and of the files that its commands name. A decision names it, so that nobody trusts what they have not seen. */
  digest: string;
  /** The directory that was asked about. */
  directory: string;
  /** Why the content cannot be trusted at all, and what to do. */
  problem: string | null;
  /** The repository that it belongs to, or the directory itself: what a decision is about. */
  root: string;
  /** Whether its configuration is used. */
  standing: Standing;
};

/** A decision about a repository. */
export type TrustRow = {
  /** The identity that decided. */
  actor: string;
  /** Time of the decision. */
  at: string;
  /** The content that it is about; empty for every content. */
  digest: string;
  /** Whether hooks of the repository may answer approvals. */
  hooks_may_answer: boolean;
  /** What was decided. */
  kind: TrustKind;
  /** The repository's real path. */
  root: string;
  /** The session that it holds for, where it is one. */
  session: SessionId | null;
};

/** A part of a list. */
export type TrustRowPage = {
  /** The entries. */
  items: TrustRow[];
  /** Where the next part begins; none at the end. */
  next: string | null;
};

/** Which policy is tried: one of `policy` and `text`. */
export type TryPolicy = {
  /** The call to be decided. */
  call: TriedCall;
  /** The directory in which that would be, where it is no session's. */
  cwd?: string | null;
  /** The name of a policy. */
  policy?: string | null;
  /** The session in whose directories that would be; or else `cwd`. */
  session?: SessionId | null;
  /** The text of one that was not put there yet. */
  text?: string | null;
};

/** A turn: 1, 2, 3 … */
export type TurnId = number;

/** When a prompt is heard. */
export type Urgency = "next" | "now" | "later";

/** What sessions took on some days. */
export type UsageReport = {
  /** The days on which anything was spent, in their order. */
  days: DayUsage[];
  /** The first day. */
  from: string;
  /** By model, the dearest first. */
  models: Share[];
  /** All other directories, if there are more. */
  other_projects: Spent | null;
  /** By directory, the dearest first; at most 500 of them. */
  projects: Share[];
  /** How many sessions it was. */
  sessions: number;
  /** The last day. */
  to: string;
  /** All of it. */
  total: Spent;
  /** Where they begin and end. */
  zone: string;
};

/** What speaks here. */
export type Version = {
  /** The version of this API. */
  api: string;
  /** The version of the events. */
  events: number;
  /** `pilothouse`. */
  name: string;
  /** Its version. */
  version: string;
};

/** Who a text is from. */
export type Voice = "asked" | "said" | "done";

/** What is asked of the web. */
export type WebAction = "fetch" | "search";

/** A page that a search found. */
export type WebHit = {
  /** A piece of it. */
  snippet?: string | null;
  /** Its title. */
  title?: string | null;
  /** Its address. */
  url: string;
};

/** Who asks. */
export type WhoAmI = {
  /** Who. */
  identity: Identity;
  /** The name to show. */
  name: string;
};

/** The working directory, as `git` sees it. */
export type WorkingTree = {
  kind: "not_a_repository";
} | {
  kind: "repository";
} & TreeChanges;

/** Every operation by its id. */
export interface Operations {
  /** Creates a session. */
  createSession: {
    method: "POST";
    path: "/api/v1/sessions";
    params: Record<string, never>;
    query: Record<string, never>;
    body: CreateSession;
    reply: SessionRow;
  };
  /** Lists sessions: those that need somebody first. */
  listSessions: {
    method: "GET";
    path: "/api/v1/sessions";
    params: Record<string, never>;
    query: {
      /** `next` of the page before. */
      after?: string | null;
      /** Only archived ones, or only others. */
      archived?: boolean | null;
      /** Only the one with this conversation of the CLI. */
      cli_session?: string | null;
      /** Only those in this directory. */
      cwd?: string | null;
      /** How many. */
      limit?: number | null;
      /** Only those whose title or directory contains this. */
      named?: string | null;
      /** Only those that need a person. */
      needs_you?: boolean | null;
      /** Only those in this state; may come several times. */
      status?: Status[];
      /** Only those with this tag. */
      tag?: string | null;
      /** Only those with something new. */
      unread?: boolean | null;
    };
    body: undefined;
    reply: SessionRowPage;
  };
  /** Looks for words in messages and tool calls. */
  searchSessions: {
    method: "GET";
    path: "/api/v1/sessions/search";
    params: Record<string, never>;
    query: {
      /** `next` of the page before. */
      after?: string | null;
      /** Also in archived sessions. */
      archived?: boolean | null;
      /** How many. */
      limit?: number | null;
      /** Words, all of which have to be there; the last may be the beginning of one. What stands in double quotes has to stand together. */
      q: string;
      /** Only in this session. */
      session?: SessionId | null;
      /** Only what these say; may come several times. */
      voice?: Voice[];
    };
    body: undefined;
    reply: HitPage;
  };
  /** A session as it stands, with what waits and what goes on. */
  getSession: {
    method: "GET";
    path: "/api/v1/sessions/{session}";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: SessionDetail;
  };
  /** Changes title, tags, archive, policy, what was read. */
  changeSession: {
    method: "PATCH";
    path: "/api/v1/sessions/{session}";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: ChangeSession;
    reply: SessionRow;
  };
  /** Ends a session's run and deletes all that belongs to it. */
  deleteSession: {
    method: "DELETE";
    path: "/api/v1/sessions/{session}";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** Makes a session with a copy of this one's conversation. */
  forkSession: {
    method: "POST";
    path: "/api/v1/sessions/{session}/fork";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: ForkSession;
    reply: SessionRow;
  };
  /** Changes the permission mode. */
  setMode: {
    method: "PUT";
    path: "/api/v1/sessions/{session}/mode";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: SetMode;
    reply: SessionRow;
  };
  /** Changes the model. */
  setModel: {
    method: "PUT";
    path: "/api/v1/sessions/{session}/model";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: SetModel;
    reply: SessionRow;
  };
  /** Limits thinking. */
  setThinking: {
    method: "PUT";
    path: "/api/v1/sessions/{session}/thinking";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: SetThinking;
    reply: undefined;
  };
  /** Changes how hard the model thinks. */
  setEffort: {
    method: "PUT";
    path: "/api/v1/sessions/{session}/effort";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: SetEffort;
    reply: undefined;
  };
  /** Says something; starts a run where there is none. */
  sendPrompt: {
    method: "POST";
    path: "/api/v1/sessions/{session}/prompts";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: SendPrompt;
    reply: PromptTaken;
  };
  /** What was asked of a session, and what has become of each. */
  listPrompts: {
    method: "GET";
    path: "/api/v1/sessions/{session}/prompts";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** `next` of the page before. */
      after?: string | null;
      /** How many. */
      limit?: number | null;
      /** Only those that have come so far; may come several times. */
      state?: PromptStage[];
    };
    body: undefined;
    reply: PromptRowPage;
  };
  /** What has become of a prompt. */
  getPrompt: {
    method: "GET";
    path: "/api/v1/sessions/{session}/prompts/{prompt}";
    params: {
      /** The prompt. */
      prompt: PromptId;
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: PromptRow;
  };
  /** Takes back a prompt that no turn works on yet. */
  cancelPrompt: {
    method: "DELETE";
    path: "/api/v1/sessions/{session}/prompts/{prompt}";
    params: {
      /** The prompt. */
      prompt: PromptId;
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** Does not wait for the turn's end with a prompt that waits. */
  sendPromptNow: {
    method: "POST";
    path: "/api/v1/sessions/{session}/prompts/{prompt}/send-now";
    params: {
      /** The prompt. */
      prompt: PromptId;
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: PromptTaken;
  };
  /** Stops the turn. */
  interruptTurn: {
    method: "POST";
    path: "/api/v1/sessions/{session}/interrupt";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: InterruptTurn;
    reply: Interrupted;
  };
  /** Keeps an image or a file with a session. */
  uploadAttachment: {
    method: "POST";
    path: "/api/v1/sessions/{session}/attachments";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** Its name, without a directory. */
      name?: string | null;
    };
    body: Blob;
    reply: AttachmentRow;
  };
  /** Lists the images and files of a session. */
  listAttachments: {
    method: "GET";
    path: "/api/v1/sessions/{session}/attachments";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** `next` of the page before. */
      after?: number | null;
      /** How many. */
      limit?: number | null;
    };
    body: undefined;
    reply: AttachmentRowPage;
  };
  /** An image or file. */
  getAttachment: {
    method: "GET";
    path: "/api/v1/sessions/{session}/attachments/{digest}";
    params: {
      /** The SHA-256 of its bytes, in 64 hexadecimal digits. */
      digest: string;
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: Blob;
  };
  /** What waits for an answer, in all sessions. */
  listOpenApprovals: {
    method: "GET";
    path: "/api/v1/approvals";
    params: Record<string, never>;
    query: {
      /** `next` of the page before. */
      after?: string | null;
      /** How many. */
      limit?: number | null;
    };
    body: undefined;
    reply: ApprovalRowPage;
  };
  /** What a session has asked, answered requests included. */
  listApprovals: {
    method: "GET";
    path: "/api/v1/sessions/{session}/approvals";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** `next` of the page before. */
      after?: string | null;
      /** How many. */
      limit?: number | null;
      /** Only those that stand like this. */
      state?: ApprovalState | null;
    };
    body: undefined;
    reply: ApprovalRowPage;
  };
  /** Answers a request, a plan or questions. The first answer counts. */
  decide: {
    method: "POST";
    path: "/api/v1/sessions/{session}/approvals/{approval}/decision";
    params: {
      /** The request. */
      approval: ApprovalId;
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: DecisionInput;
    reply: undefined;
  };
  /** What happened, as it is stored. */
  listEvents: {
    method: "GET";
    path: "/api/v1/sessions/{session}/events";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** Those after this number; 0 for all. */
      after?: number | null;
      /** How many. */
      limit?: number | null;
    };
    body: undefined;
    reply: EventPage;
  };
  /** Subagents and background commands that go on. */
  listTasks: {
    method: "GET";
    path: "/api/v1/sessions/{session}/tasks";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: TaskPage;
  };
  /** Stops a task. */
  stopTask: {
    method: "POST";
    path: "/api/v1/sessions/{session}/tasks/{task}/stop";
    params: {
      /** The session. */
      session: SessionId;
      /** The task. */
      task: string;
    };
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** Sends what runs into the background. */
  backgroundTasks: {
    method: "POST";
    path: "/api/v1/sessions/{session}/tasks/background";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: SendBack;
    reply: undefined;
  };
  /** How the MCP servers are. */
  getMcpServers: {
    method: "GET";
    path: "/api/v1/sessions/{session}/mcp";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: McpServers;
  };
  /** Switches an MCP server on or off. */
  toggleMcpServer: {
    method: "PUT";
    path: "/api/v1/sessions/{session}/mcp/{server}";
    params: {
      /** The server's name. */
      server: string;
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: ToggleServer;
    reply: undefined;
  };
  /** Connects an MCP server anew. */
  reconnectMcpServer: {
    method: "POST";
    path: "/api/v1/sessions/{session}/mcp/{server}/reconnect";
    params: {
      /** The server's name. */
      server: string;
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** What fills the context. */
  getContextUsage: {
    method: "GET";
    path: "/api/v1/sessions/{session}/context";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: ContextReport;
  };
  /** The slash commands that can be used. */
  listCommands: {
    method: "GET";
    path: "/api/v1/sessions/{session}/commands";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: CommandOfferPage;
  };
  /** Puts files back as they were before a prompt, or tells what that would do. */
  rewindFiles: {
    method: "POST";
    path: "/api/v1/sessions/{session}/rewind";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: Rewind;
    reply: Rewound;
  };
  /** Starts a run: resumes the conversation, or begins a new one. */
  startSession: {
    method: "POST";
    path: "/api/v1/sessions/{session}/start";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: StartRun;
    reply: SessionRow;
  };
  /** Ends the run. The session can be resumed. */
  stopSession: {
    method: "POST";
    path: "/api/v1/sessions/{session}/stop";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: SessionRow;
  };
  /** The runs of a session, oldest first. */
  listRuns: {
    method: "GET";
    path: "/api/v1/sessions/{session}/runs";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: RunRowPage;
  };
  /** The wire log of a run, or a part of it. */
  getWireLog: {
    method: "GET";
    path: "/api/v1/sessions/{session}/runs/{run}/wire";
    params: {
      /** The run. */
      run: RunId;
      /** The session. */
      session: SessionId;
    };
    query: {
      /** The most bytes. */
      length?: number | null;
      /** From this byte on. */
      offset?: number | null;
    };
    body: undefined;
    reply: Blob;
  };
  /** One WebSocket for everything. */
  openSocket: {
    method: "GET";
    path: "/api/v1/ws";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** The events of a session as they happen. */
  streamSession: {
    method: "GET";
    path: "/api/v1/sessions/{session}/stream";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** The number of the last event that the client has. `Last-Event-ID` comes before it. */
      after?: number;
    };
    body: undefined;
    reply: Blob;
  };
  /** Names of files for `@`, by a few of their letters. */
  completeFile: {
    method: "GET";
    path: "/api/v1/sessions/{session}/files/complete";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** How many. */
      limit?: number | null;
      /** Letters of the name, in their order; none for the best of all. */
      q?: string;
    };
    body: undefined;
    reply: Completion;
  };
  /** A file, or some lines of it. */
  readFile: {
    method: "GET";
    path: "/api/v1/sessions/{session}/files/read";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** The first line, from 1. */
      first_line?: number | null;
      /** How many lines. */
      lines?: number | null;
      /** Its path: relative to the working directory, or absolute in one of the session's. */
      path: string;
    };
    body: undefined;
    reply: FileView;
  };
  /** A picture, as it is. */
  readImage: {
    method: "GET";
    path: "/api/v1/sessions/{session}/files/image";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** Its path: relative to the working directory, or absolute in one of the session's. */
      path: string;
    };
    body: undefined;
    reply: Blob;
  };
  /** What is in a directory. */
  listDirectory: {
    method: "GET";
    path: "/api/v1/sessions/{session}/files/list";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** How many entries. */
      limit?: number | null;
      /** Its path; the working directory, if left out. */
      path?: string | null;
    };
    body: undefined;
    reply: DirListing;
  };
  /** Directories in which a new session could work. */
  listDirectories: {
    method: "GET";
    path: "/api/v1/directories";
    params: Record<string, never>;
    query: {
      /** What becomes of those that begin with a dot. */
      hidden?: Hidden;
      /** How many. */
      limit?: number | null;
      /** The directory that they are in; the first of those that can be looked through, if left out. */
      path?: string | null;
      /** How their names begin. */
      starts?: string;
    };
    body: undefined;
    reply: Directories;
  };
  /** What is different in the working tree from the last commit. */
  getDiff: {
    method: "GET";
    path: "/api/v1/sessions/{session}/files/diff";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: Record<string, never>;
    body: undefined;
    reply: WorkingTree;
  };
  /** A session as a document: JSON or Markdown. */
  exportSession: {
    method: "GET";
    path: "/api/v1/sessions/{session}/export";
    params: {
      /** The session. */
      session: SessionId;
    };
    query: {
      /** In which form. */
      format?: ExportForm;
    };
    body: undefined;
    reply: Blob;
  };
  /** Conversations that the CLI has kept, the latest first. */
  listHistory: {
    method: "GET";
    path: "/api/v1/history";
    params: Record<string, never>;
    query: {
      /** `next` of the page before. */
      after?: number | null;
      /** Only those of this directory and of the other worktrees of its repository. */
      cwd?: string | null;
      /** How many. */
      limit?: number | null;
    };
    body: undefined;
    reply: PastPage;
  };
  /** Looks for words in conversations that the CLI has kept. */
  searchHistory: {
    method: "GET";
    path: "/api/v1/history/search";
    params: Record<string, never>;
    query: {
      /** Only in conversations of this directory and of the other worktrees of its repository. */
      cwd?: string | null;
      /** How many conversations are enough. */
      limit?: number | null;
      /** The words, as they stand; case does not matter. */
      q: string;
    };
    body: undefined;
    reply: PastFound;
  };
  /** Makes a session of a conversation that the CLI has kept. */
  importHistory: {
    method: "POST";
    path: "/api/v1/history/{cli_session}/import";
    params: {
      /** The CLI's id of it. */
      cli_session: string;
    };
    query: Record<string, never>;
    body: ImportSession;
    reply: SessionRow;
  };
  /** All policies there are. */
  listPolicies: {
    method: "GET";
    path: "/api/v1/policies";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: PolicyNamePage;
  };
  /** A policy and its text. */
  getPolicy: {
    method: "GET";
    path: "/api/v1/policies/{policy}";
    params: {
      /** Its name. */
      policy: string;
    };
    query: Record<string, never>;
    body: undefined;
    reply: PolicyFile;
  };
  /** Puts a policy there. Sessions that have it use it from now on. */
  putPolicy: {
    method: "PUT";
    path: "/api/v1/policies/{policy}";
    params: {
      /** Its name. */
      policy: string;
    };
    query: Record<string, never>;
    body: PutPolicy;
    reply: PolicyFile;
  };
  /** Removes a policy that no session has. */
  deletePolicy: {
    method: "DELETE";
    path: "/api/v1/policies/{policy}";
    params: {
      /** Its name. */
      policy: string;
    };
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** What a policy says to a call, and why. */
  testPolicy: {
    method: "POST";
    path: "/api/v1/policies/test";
    params: Record<string, never>;
    query: Record<string, never>;
    body: TryPolicy;
    reply: PolicyDecision;
  };
  /** What a policy would have said to the calls of a session. */
  replayPolicy: {
    method: "POST";
    path: "/api/v1/policies/replay";
    params: Record<string, never>;
    query: Record<string, never>;
    body: ReplayPolicy;
    reply: PolicyReplay;
  };
  /** Lists decisions about repositories. */
  listTrust: {
    method: "GET";
    path: "/api/v1/trust";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: TrustRowPage;
  };
  /** Reports what a repository would bring to sessions. */
  getTrustReport: {
    method: "GET";
    path: "/api/v1/trust/report";
    params: Record<string, never>;
    query: {
      /** A directory; absolute. */
      directory: string;
      /** A session that works there: answers for it count, and so do its other directories. */
      session?: SessionId | null;
    };
    body: undefined;
    reply: TrustReport;
  };
  /** Trusts a repository with its present content, or never. */
  decideTrust: {
    method: "PUT";
    path: "/api/v1/trust";
    params: Record<string, never>;
    query: Record<string, never>;
    body: TrustDecision;
    reply: TrustReport;
  };
  /** Removes the decisions about a repository. */
  forgetTrust: {
    method: "DELETE";
    path: "/api/v1/trust";
    params: Record<string, never>;
    query: {
      /** A directory in it, or its path as the list has it. */
      directory: string;
    };
    body: undefined;
    reply: undefined;
  };
  /** What was done, and by whom; newest first. */
  listAudit: {
    method: "GET";
    path: "/api/v1/audit";
    params: Record<string, never>;
    query: {
      /** `next` of the page before. */
      after?: string | null;
      /** How many. */
      limit?: number | null;
      /** Only about this session, which may be gone. */
      session?: SessionId | null;
    };
    body: undefined;
    reply: AuditLinePage;
  };
  /** What sessions took: cost and tokens by day, project and model. */
  getUsage: {
    method: "GET";
    path: "/api/v1/usage";
    params: Record<string, never>;
    query: {
      /** The first day, such as `2026-03-01`; 30 days up to the last if it is left out. */
      from?: string | null;
      /** The last day; today if it is left out. At most 400 days can be asked for. */
      to?: string | null;
      /** Where days begin and end, such as `Europe/Berlin`; UTC if it is left out. */
      zone?: string | null;
    };
    body: undefined;
    reply: UsageReport;
  };
  /** What sessions need, and what to do where it is missing. */
  getDoctor: {
    method: "GET";
    path: "/api/v1/doctor";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: DoctorReport;
  };
  /** Numbers, for Prometheus. */
  getMetrics: {
    method: "GET";
    path: "/metrics";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: Blob;
  };
  /** What speaks here. */
  getVersion: {
    method: "GET";
    path: "/api/v1/version";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: Version;
  };
  /** Ends the daemon. Sessions go on, for the next one to take up. */
  shutDown: {
    method: "POST";
    path: "/api/v1/shutdown";
    params: Record<string, never>;
    query: Record<string, never>;
    body: ShutDown;
    reply: undefined;
  };
  /** This document. */
  getOpenApi: {
    method: "GET";
    path: "/api/openapi.json";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: OpenApi;
  };
  /** That the daemon answers. */
  getHealth: {
    method: "GET";
    path: "/api/v1/health";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: Health;
  };
  /** Proves that this daemon knows the token, before a client sends it. */
  proveDaemon: {
    method: "POST";
    path: "/api/v1/challenge";
    params: Record<string, never>;
    query: Record<string, never>;
    body: ChallengeRequest;
    reply: ChallengeReply;
  };
  /** Who asks. */
  whoAmI: {
    method: "GET";
    path: "/api/v1/login";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: WhoAmI;
  };
  /** Redeems a login link; the cookie comes beside it. */
  logIn: {
    method: "POST";
    path: "/api/v1/login";
    params: Record<string, never>;
    query: Record<string, never>;
    body: LoginRequest;
    reply: LoginReply;
  };
  /** Makes a login link that works once. */
  createLoginLink: {
    method: "POST";
    path: "/api/v1/login/links";
    params: Record<string, never>;
    query: Record<string, never>;
    body: LinkRequest;
    reply: LoginLink;
  };
  /** Lists the browsers that are logged in, the last used first. */
  listLogins: {
    method: "GET";
    path: "/api/v1/logins";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: LoginRowPage;
  };
  /** Renames a login. */
  changeLogin: {
    method: "PATCH";
    path: "/api/v1/logins/{login}";
    params: {
      /** The login's id. */
      login: string;
    };
    query: Record<string, never>;
    body: ChangeLogin;
    reply: LoginRow;
  };
  /** Ends a login, and the sockets and streams opened with it. */
  endLogin: {
    method: "DELETE";
    path: "/api/v1/logins/{login}";
    params: {
      /** The login's id. */
      login: string;
    };
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** Ends this login. */
  logOut: {
    method: "POST";
    path: "/api/v1/logout";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
  /** Ends all logins. */
  logOutEverywhere: {
    method: "POST";
    path: "/api/v1/logout/everywhere";
    params: Record<string, never>;
    query: Record<string, never>;
    body: undefined;
    reply: undefined;
  };
}
