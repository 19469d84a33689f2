//! What can go wrong with sessions on disk.

use std::io;
use std::path::{Path, PathBuf};

/// Why a session on disk could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// Neither `CLAUDE_CONFIG_DIR` nor a home directory is known.
    #[error(
        "no Claude configuration directory is known: set HOME or CLAUDE_CONFIG_DIR, or name the \
         directory with History::at"
    )]
    NoConfigDir,

    /// The text is not a session id.
    #[error("`{given}` is not a session id: pass the UUID that a session listing shows")]
    NotASessionId {
        /// What was given.
        given: String,
    },

    /// The text cannot name a project directory.
    #[error(
        "`{given}` cannot name a project directory: use 1 to 64 letters, digits, `-` or `_`, and \
         no device name"
    )]
    NotAProjectDirName {
        /// What was given.
        given: String,
    },

    /// No project looked at holds such a session.
    #[error(
        "session {session} was not found in {searched}: check the id, or search all projects \
         instead"
    )]
    SessionNotFound {
        /// The session asked for.
        session: String,
        /// Where it was looked for.
        searched: String,
    },

    /// The session has no subagent with this id.
    #[error("session {session} has no subagent `{agent}`: list its subagents to see the ids")]
    SubagentNotFound {
        /// The session asked about.
        session: String,
        /// The subagent asked for.
        agent: String,
    },

    /// The message to fork at is not in the session.
    #[error("message {message} is not in session {session}: fork at a uuid that its messages show")]
    MessageNotFound {
        /// The session to fork.
        session: String,
        /// The message asked for.
        message: String,
    },

    /// The session holds no message, so there is nothing to fork.
    #[error("session {session} has no messages to fork: start a new session instead")]
    NothingToFork {
        /// The session to fork.
        session: String,
    },

    /// A title must have visible text.
    #[error("a session title needs at least one visible character")]
    EmptyTitle,

    /// A tag must have visible text.
    #[error("a session tag needs at least one visible character: pass None to remove the tag")]
    EmptyTag,

    /// A symbolic link leads out of the projects directory, where nothing may be changed.
    #[error(
        "{path} leads out of the projects directory, so nothing there is changed: work on the \
         place the link points to yourself"
    )]
    OutsideProjects {
        /// The offending path.
        path: PathBuf,
    },

    /// The operating system refused.
    #[error("could not {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl HistoryError {
    /// For `map_err`: an I/O error with what was tried, and on what.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
