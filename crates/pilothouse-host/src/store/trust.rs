//! Decisions about the Claude Code configuration of repositories.

use std::collections::BTreeMap;

use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Store;
use super::ack::Ack;
use super::error::StoreError;
use super::sqlite::{Durability, trust};

/// What was decided about a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustKind {
    /// Its configuration is used in all sessions.
    Always,
    /// It is used in one session.
    Session,
    /// It is used in no session, whatever it is.
    Never,
    /// It is used: Claude Code had recorded the directory as trusted when it was first seen.
    ClaudeCode,
    /// A decision was removed. What Claude Code has recorded does not bring it back.
    Removed,
}

impl TrustKind {
    pub(super) const ALL: [Self; 5] =
        [Self::Always, Self::Session, Self::Never, Self::ClaudeCode, Self::Removed];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Session => "session",
            Self::Never => "never",
            Self::ClaudeCode => "claude_code",
            Self::Removed => "removed",
        }
    }
}

/// A decision about a repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TrustRow {
    /// The repository's real path.
    pub root: String,
    /// The content that it is about; empty for every content.
    pub digest: String,
    /// The session that it holds for, where it is one.
    pub session: Option<SessionId>,
    /// What was decided.
    pub kind: TrustKind,
    /// Whether hooks of the repository may answer approvals.
    pub hooks_may_answer: bool,
    /// Digests of the files, to say later which of them have changed.
    #[serde(skip)]
    #[schemars(skip)]
    pub files: BTreeMap<String, String>,
    /// The identity that decided.
    pub actor: String,
    /// Time of the decision.
    pub at: Timestamp,
}

impl Store {
    /// The decisions about a repository, newest first.
    pub fn trust_of(&self, root: &str) -> Result<Vec<TrustRow>, StoreError> {
        self.read(|conn| trust::of_root(conn, root))
    }

    /// All decisions, by repository.
    pub fn trust_list(&self) -> Result<Vec<TrustRow>, StoreError> {
        self.read(trust::list)
    }

    /// Stores a decision and its line in the audit.
    pub fn trust(&self, row: TrustRow) -> Ack<()> {
        let weight = row.root.len() + row.files.len() * 128;
        self.write(Durability::PowerLoss, weight, move |tx| trust::put(tx, &row))
    }

    /// Removes all decisions about a repository; returns whether there were any.
    pub fn forget_trust(&self, root: &str, actor: &str) -> Ack<bool> {
        let (root, actor) = (root.to_owned(), actor.to_owned());
        self.write(Durability::PowerLoss, root.len(), move |tx| {
            trust::remove(tx, &root, &actor, Timestamp::now())
        })
    }
}
