//! Conversations that the CLI has kept on this machine, whoever led them.
//!
//! They are in `$CLAUDE_CONFIG_DIR/projects` (`~/.claude/projects`). Nothing here writes: a past
//! conversation is listed, searched and read, and becomes a session of ours when somebody goes on with
//! it ([`Past::import`]).
//!
//! Transcripts are somebody else's files. Damaged lines, overlong lines and files that end in the
//! middle of one are passed over and counted; links are not followed and pipes not waited for.
//!
//! Every call reads files and blocks; call it off the async threads. [`Past`] is cheap to clone.

mod import;
mod list;
mod message;
mod scan;
mod search;
mod threads;

use jiff::Timestamp;
use pilothouse_client::history::{History, HistoryError, Scope, SessionId as CliSession};
use serde::{Deserialize, Serialize};

pub use import::{Imported, Skipped};
pub use list::{PastPage, PastSession};
pub use search::{PastFound, PastHit, PastSearch, Said, Snippet};

/// Which past conversations are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PastPlace {
    /// All there are.
    #[default]
    Everywhere,
    /// Those of a directory and of the other worktrees of its repository.
    Directory(std::path::PathBuf),
}

impl PastPlace {
    fn scope(&self) -> Scope {
        match self {
            Self::Everywhere => Scope::AllProjects,
            Self::Directory(path) => Scope::directory(path),
        }
    }
}

/// Why a past conversation could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PastError {
    /// The transcripts, or this one, cannot be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// There is no conversation in it.
    #[error("session {0} holds no conversation: there is nothing to go on with")]
    Empty(String),
    /// It is larger than any conversation.
    #[error(
        "the transcript of session {session} has {size} bytes, the most that is read is {most}: \
         resume it with the CLI itself, or compact it there first"
    )]
    TooLarge {
        /// The conversation.
        session: String,
        /// Its size.
        size: u64,
        /// The limit.
        most: u64,
    },
    /// Nothing to look for.
    #[error("there is nothing to look for: give at least one letter")]
    NoQuery,
}

/// The past conversations of one configuration directory.
#[derive(Clone, Debug)]
pub struct Past {
    history: History,
}

impl Past {
    /// Those of the present user: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    pub fn new() -> Result<Self, PastError> {
        Ok(Self { history: History::new()? })
    }

    /// Those of this history.
    pub fn of(history: History) -> Self {
        Self { history }
    }

    /// One conversation as a list shows it.
    pub fn session(&self, session: &str) -> Result<PastSession, PastError> {
        let id = CliSession::parse(session)?;
        let found = self.history.session(&id, &Scope::AllProjects);
        found.map(PastSession::from).ok_or_else(|| PastError::Empty(session.to_owned()))
    }
}

/// The time of so many milliseconds since 1970; the nearest there is where that is beyond reason.
fn from_ms(ms: i64) -> Timestamp {
    let bound = |fallback| if ms < 0 { Timestamp::MIN } else { fallback };
    Timestamp::from_millisecond(ms).unwrap_or_else(|_| bound(Timestamp::MAX))
}
