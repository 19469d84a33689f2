//! Trust in the Claude Code configuration of a repository.
//!
//! `.claude/`, `.mcp.json` and `CLAUDE.md` are ordinary files of a clone, and Claude Code takes
//! hooks, servers, helpers, variables and permission rules from them. Over stream-json it does not
//! ask whether the directory is trusted, so the host does: until a person has trusted a directory
//! with its present content, runs there start with the user's own settings only.
//!
//! - `place`: the repository that a directory belongs to, by real path.
//! - `content`: the files that count, and their digest.
//! - `names`: the files of the repository that a command names.
//! - `brings`: the same content as a list for people.
//! - `claude`: directories that Claude Code itself has recorded as trusted.
//!
//! The digest covers the configuration and the files that its commands name. What those programs
//! run in turn is not covered. Nothing in here decides: `host::trusting` does, with the store.

mod brings;
mod claude;
mod content;
mod names;
mod place;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use brings::{Brings, BroughtHelper, BroughtHook, BroughtRule, BroughtServer, BroughtVariable};
pub(crate) use claude::is_recorded;
pub(crate) use content::Content;
pub(crate) use place::Place;

/// What a repository would bring to sessions in a directory, and whether it may.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrustReport {
    /// The directory that was asked about.
    pub directory: String,
    /// The repository that it belongs to, or the directory itself: what a decision is about.
    pub root: String,
    /// Whether its configuration is used.
    pub standing: Standing,
    /// Digest of the configuration and of the files that its commands name. A decision names it, so
    /// that nobody trusts what they have not seen.
    pub digest: String,
    /// Files that differ from what was trusted last; empty if nothing was.
    pub changed: Vec<String>,
    /// What the repository would bring.
    pub brings: Brings,
    /// Why the content cannot be trusted at all, and what to do.
    pub problem: Option<String>,
}

/// Whether the configuration of a repository is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// There is nothing to be used.
    Empty,
    /// Nobody has decided about this content. It is not used.
    Undecided,
    /// It is used: by a decision about this directory and content.
    Trusted,
    /// It is used in this session only.
    TrustedForSession,
    /// It is used: Claude Code had recorded the directory as trusted when it was first seen.
    TrustedByClaudeCode,
    /// It is never used, and nobody is asked.
    Never,
}

impl Standing {
    /// Whether runs take the repository's configuration.
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::Trusted | Self::TrustedForSession | Self::TrustedByClaudeCode)
    }
}

/// A person's answer to the question whether a repository is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustAnswer {
    /// In one session, as long as the content stays the same.
    Session,
    /// In all sessions of the directory, as long as the content stays the same.
    Always,
    /// In no session, whatever the content.
    Never,
}
