//! What events are made of.

use std::collections::BTreeMap;

use pilothouse_wire::Block;
use pilothouse_wire::block::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{PromptId, TurnId};

/// The state of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No process serves it; one is started when it is needed.
    #[default]
    Dormant,
    /// A process is being started.
    Starting,
    /// The CLI waits for the first prompt of this run.
    Ready,
    /// A turn goes on.
    Running,
    /// The CLI waits for an answer.
    AwaitingApproval,
    /// The turn has ended; something goes on in the background.
    Settled,
    /// Nothing goes on.
    Idle,
    /// The process ended in the middle of a turn.
    Interrupted,
    /// The process has ended; the session can be resumed.
    Ended,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Dormant,
        Self::Starting,
        Self::Ready,
        Self::Running,
        Self::AwaitingApproval,
        Self::Settled,
        Self::Idle,
        Self::Interrupted,
        Self::Ended,
    ];

    /// Whether there is a process, or one is being started.
    pub fn has_run(self) -> bool {
        !matches!(self, Self::Dormant | Self::Interrupted | Self::Ended)
    }
}

/// How a run came to be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunOrigin {
    /// A new conversation.
    New,
    /// A conversation goes on.
    Resumed {
        /// The CLI's id of it.
        cli_session: String,
        /// The message after which everything is dropped.
        at: Option<String>,
    },
    /// A copy of a conversation goes on.
    Forked {
        /// The CLI's id of the original.
        cli_session: String,
        /// The message after which the copy ends.
        at: Option<String>,
    },
}

/// How a process ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exit {
    /// Its exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

/// What the end of a run means for its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DeadRun {
    /// It was asked to end, or had nothing left to do.
    Finished,
    /// It ended in mid-turn, or with a prompt unheard. What was under way is known: the session can go
    /// on by itself.
    Resumable {
        /// The last message that is known to be whole.
        at: Option<String>,
    },
    /// It ended in mid-turn while tools ran that may have changed something. A person should look
    /// before it goes on.
    InDoubt {
        /// The calls whose outcome is not known.
        tool_call_ids: Vec<String>,
    },
    /// It could not be started, or ended at once.
    Failed {
        /// What it said.
        message: String,
    },
}

/// Why the CLI's id of the conversation has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConversationReason {
    /// It is the first one.
    Started,
    /// It was resumed under a new id.
    Resumed,
    /// It is a copy.
    Forked,
    /// It was cleared.
    Cleared,
    /// A plan is carried out with a fresh context.
    Plan,
}

/// A slash command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandOffer {
    /// Its name, without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What may follow it.
    pub argument_hint: String,
}

/// A model that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelOffer {
    /// What to choose it by.
    pub value: String,
    /// Its name for people.
    pub name: String,
    /// More about it.
    pub description: String,
    /// The efforts it knows.
    pub efforts: Vec<String>,
}

/// Who pays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountSummary {
    /// The address of the account.
    pub email: Option<String>,
    /// Its organisation.
    pub organization: Option<String>,
    /// Its plan.
    pub subscription: Option<String>,
    /// Where the key comes from.
    pub key_source: Option<String>,
}

/// An image, document or file of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attachment {
    /// The SHA-256 of its bytes, by which the host gives them out again; none where it has not kept
    /// them.
    pub digest: Option<String>,
    /// `image/png` and the like.
    pub media_type: String,
    /// How many bytes.
    pub size: usize,
    /// Its title, or the name of the file.
    pub title: Option<String>,
}

impl Attachment {
    /// What a block of a message is, if it is an image or a document.
    pub fn of(block: &Block) -> Option<Self> {
        let (source, title) = match block {
            Block::Image(image) => (&image.source, None),
            Block::Document(document) => (&document.source, document.title.clone()),
            _ => return None,
        };
        let (media_type, size) = match source {
            Source::Base64(source) => {
                let data = source.data.trim_end_matches('=');
                (source.media_type.clone(), data.len() * 3 / 4)
            }
            Source::Text(source) => {
                (source.media_type.clone().unwrap_or_default(), source.data.len())
            }
            _ => (String::new(), 0),
        };
        Some(Self { digest: None, media_type, size, title })
    }
}

/// Who said something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MessageOrigin {
    /// A person, or a program in their name.
    User,
    /// The host, such as a plan that is carried out with a fresh context.
    Host,
    /// The CLI, such as the end of a background task.
    Cli {
        /// What kind, in the CLI's words.
        source: Option<String>,
    },
}

/// What has become of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PromptState {
    /// It is stored and waits for the CLI.
    Queued,
    /// It was written to the CLI.
    Sent,
    /// A turn works on it.
    TakenUp {
        /// The turn.
        turn: TurnId,
    },
    /// The turn that worked on it has settled.
    Answered {
        /// The turn.
        turn: TurnId,
    },
    /// It was taken back before anything came of it.
    Cancelled,
    /// Nothing will come of it.
    Failed {
        /// Why.
        reason: String,
    },
}

impl PromptState {
    /// Nothing more becomes of it.
    pub fn is_past(&self) -> bool {
        match self {
            Self::Queued | Self::Sent | Self::TakenUp { .. } => false,
            Self::Answered { .. } | Self::Cancelled | Self::Failed { .. } => true,
        }
    }
}

/// How a tool call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It goes on in the background.
    Detached,
    /// It has done what it should.
    Complete,
    /// It has failed, or was refused.
    Error,
    /// It was cut off, or nobody knows.
    Cancelled,
}

/// Why a request cannot be answered any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelReason {
    /// The CLI has withdrawn it.
    Withdrawn,
    /// The run that asked has ended.
    RunEnded,
}

/// How hard the model thinks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Thinking {
    /// The most tokens of thinking; 0 for none.
    pub max_tokens: Option<u64>,
    /// `low`, `medium`, `high` …
    pub effort: Option<String>,
}

/// A subagent, a background command or the like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// The task.
    pub task_id: String,
    /// The call that started it.
    pub tool_call_id: Option<String>,
    /// What it is for.
    pub description: String,
    /// `local_agent`, `local_bash` …
    pub kind: Option<String>,
    /// The kind of subagent.
    pub subagent_type: Option<String>,
    /// It runs beside the conversation.
    pub background: bool,
    /// `running`, `completed`, `failed`, `killed`, `stopped` …
    pub status: String,
    /// What came of it, or what it does.
    pub summary: Option<String>,
    /// The tool it used last.
    pub last_tool: Option<String>,
    /// Tokens it took.
    pub tokens: Option<u64>,
    /// Tools it used.
    pub tool_uses: Option<u64>,
    /// Milliseconds it took.
    pub duration_ms: Option<f64>,
}

impl Task {
    /// Whether the session is not idle before it has ended: its end makes the model speak. A command
    /// in the background may run for ever.
    pub(crate) fn is_awaited(&self) -> bool {
        self.background && self.kind.as_deref() != Some("local_bash")
    }
}

/// How loud a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Worth a look.
    Warning,
    /// Something did not work.
    Error,
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The API failed and is asked again.
    Retry,
    /// A hook said something, or failed.
    Hook,
    /// The CLI tells something.
    Informational,
    /// The model refused, and another one may take over.
    Refusal,
    /// A tool was refused without anybody being asked.
    Denied,
    /// Login, keys, tokens.
    Authentication,
    /// Plugins, servers, files around the session.
    Surroundings,
    /// The session does something about itself, such as starting again.
    Session,
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It came to its end.
    Done,
    /// Somebody stopped it.
    Interrupted,
    /// It failed.
    Failed,
    /// A limit on turns or money was reached.
    LimitReached,
    /// Its run ended before it did.
    Lost,
}

/// Tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tokens {
    /// Read, not from the cache.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Put into the cache.
    pub cache_creation: u64,
    /// Read from the cache.
    pub cache_read: u64,
}

/// What came of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// How it ended.
    pub outcome: Outcome,
    /// The prompts it answered.
    pub prompts: Vec<PromptId>,
    /// Dollars that the run has cost so far: not of this turn, and not to be summed.
    pub total_cost_usd: Option<f64>,
    /// Tokens of this turn's main thread.
    pub tokens: Tokens,
    /// By model, for the run so far.
    pub models: BTreeMap<String, ModelShare>,
    /// Milliseconds of the turn.
    pub duration_ms: Option<f64>,
    /// Milliseconds of it spent in the API.
    pub duration_api_ms: Option<f64>,
    /// Requests to the model.
    pub num_turns: Option<u64>,
    /// The last message that is known to be whole: where to resume after a failure.
    pub last_message_uuid: Option<String>,
    /// Why the CLI ended it, in its words.
    pub reason: Option<String>,
    /// What was asked for as JSON.
    pub structured_output: Option<serde_json::Value>,
    /// Calls that were refused.
    pub denied_tool_call_ids: Vec<String>,
    /// Prompts that follow by themselves.
    pub queued_turns: Option<u64>,
}

/// A model's share of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelShare {
    /// Tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// Dollars.
    pub cost_usd: Option<f64>,
    /// Tokens of its context.
    pub context_window: Option<u64>,
}
