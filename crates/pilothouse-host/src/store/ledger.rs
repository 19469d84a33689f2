//! What can be asked across sessions: approvals, prompts by their keys, the audit.

use jiff::Timestamp;
use pilothouse_session::approval::{Approval, Decider, Decision};
use pilothouse_session::id::{ApprovalId, PromptId, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Store;
use super::ack::Ack;
use super::error::StoreError;
use super::session::Page;
use super::sqlite::{Durability, approvals, audit, prompts};

/// How a request stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    /// It waits for an answer.
    #[default]
    Open,
    /// It was answered.
    Decided,
    /// Nobody can answer it any more.
    Void,
}

/// A request of a session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ApprovalRow {
    /// The session.
    pub session: SessionId,
    /// The request.
    pub approval: ApprovalId,
    /// The event that told of it.
    pub seq: u64,
    /// When it was asked.
    pub requested_at: Timestamp,
    /// How it stands.
    pub state: ApprovalState,
    /// The tool it is about.
    pub tool_name: Option<String>,
    /// What is asked, as long as it is open. Later the event has it.
    pub request: Option<Approval>,
    /// When it was answered, or became void.
    pub settled_at: Option<Timestamp>,
    /// What was decided.
    pub decision: Option<Decision>,
    /// By whom, or by which rule.
    pub by: Option<Decider>,
}

/// A prompt that is to be sent once, however often it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The session.
    pub session: SessionId,
    /// The client's name for the attempt, where it has one; else the prompt's id is that.
    pub key: Option<String>,
    /// The id that the prompt gets, if the key is new.
    pub prompt: PromptId,
    /// Something that is the same for the same content and another for another.
    pub digest: String,
}

/// A prompt that a key stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reserved {
    /// The prompt.
    pub prompt: PromptId,
    /// Whether it was asked for the first time. If not, the prompt may or may not have been handed to
    /// the session: handing it in again under the same id does no harm.
    pub is_new: bool,
    /// What has become of it: a [`PromptStage`].
    pub state: String,
}

/// What has become of a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptStage {
    /// It was asked for, and the session has not taken it in yet.
    #[default]
    Reserved,
    /// It waits for the CLI.
    Queued,
    /// The CLI has it.
    Sent,
    /// A turn works on it.
    TakenUp,
    /// Its turn is over.
    Answered,
    /// It was taken back.
    Cancelled,
    /// It could not be said.
    Failed,
}

/// A prompt of a session. What was said is in the event that names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PromptRow {
    /// The prompt.
    pub prompt: PromptId,
    /// The client's name for the attempt, where it had one.
    pub key: Option<String>,
    /// What has become of it.
    pub state: PromptStage,
    /// When it was asked for.
    pub asked_at: Timestamp,
}

/// Something that was done, and by whom. Holds nothing of what was said in a session.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AuditLine {
    /// 1, 2, 3 …
    pub no: u64,
    /// When.
    pub at: Timestamp,
    /// In which session, which may be gone.
    pub session: Option<SessionId>,
    /// By whom.
    pub actor: String,
    /// What: `approval.allowed`, `login.failed`, `session.deleted` …
    pub action: String,
    /// More about it.
    pub detail: Value,
}

impl Store {
    /// The requests that wait for an answer, in all sessions, oldest first.
    pub fn open_approvals(&self) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read(approvals::open_ones)
    }

    /// The requests of a session, answered ones too, oldest first.
    pub fn approvals(&self, session: SessionId) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read(|conn| approvals::of_session(conn, session))
    }

    /// Takes note of a prompt before it is handed to its session. The same key gives the same prompt
    /// again, and so does the same id; one that was used for something else is refused.
    pub fn reserve(&self, reservation: Reservation) -> Ack<Reserved> {
        self.write(Durability::PowerLoss, 256, move |tx| {
            prompts::reserve(tx, &reservation, Timestamp::now())
        })
    }

    /// The prompts of a session that have come so far, oldest first; all where no stage is named.
    /// `after` is `next` of the page before.
    pub fn prompts(
        &self,
        session: SessionId,
        stages: &[PromptStage],
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<PromptRow>, StoreError> {
        self.read(|conn| prompts::list(conn, session, stages, after, limit))
    }

    /// A prompt of a session.
    pub fn prompt(
        &self,
        session: SessionId,
        prompt: PromptId,
    ) -> Result<Option<PromptRow>, StoreError> {
        self.read(|conn| prompts::get(conn, session, prompt))
    }

    /// Adds a line to the audit. Decisions and deletions are added by themselves.
    pub fn record(
        &self,
        session: Option<SessionId>,
        actor: &str,
        action: &str,
        detail: Value,
    ) -> Ack<()> {
        let (actor, action) = (actor.to_owned(), action.to_owned());
        self.write(Durability::PowerLoss, 256, move |tx| {
            audit::add(tx.conn, Timestamp::now(), session, &actor, &action, &detail)
        })
    }

    /// The audit, newest first; of one session, or of all. `after` is `next` of the page before.
    pub fn audit(
        &self,
        session: Option<SessionId>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<AuditLine>, StoreError> {
        self.read(|conn| audit::list(conn, session, after, limit))
    }
}
