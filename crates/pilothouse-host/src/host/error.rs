//! Why the host did not do what it was asked.

use std::io;
use std::path::PathBuf;

use pilothouse_session::Refusal;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::policy::PolicyError;

use super::checks::Unfit;
use super::profile::{ModeError, ProfileError};
use super::trusting::TrustError;
use crate::data_dir::DataDirError;
use crate::runner::CommandError;
use crate::store::StoreError;
use crate::wirelog::ArchiveError;

/// Why the host did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Another daemon has the data directory.
    #[error("{0} is in use by another daemon: end that one, or choose another data directory")]
    InUse(PathBuf),
    /// Other users could change what is in the data directory.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// A file of the host's own cannot be used.
    #[error("{path} cannot be used ({reason}): check that it exists and is yours")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// The store did not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The session refuses.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The session cannot be started as it was asked for.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// The session may not have this mode.
    #[error(transparent)]
    Mode(#[from] ModeError),
    /// A decision about a repository was not taken.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// The working directory cannot be used.
    #[error("{0} is not a directory: give the absolute path of one that exists")]
    NoDirectory(String),
    /// There is no such policy.
    #[error(
        "there is no policy {0:?}: use `autonomous`, `supervised`, `plan`, or the name of one that \
         was put there"
    )]
    NoPolicy(String),
    /// A policy's name is none.
    #[error("{0:?} cannot be the name of a policy: use letters, digits, `-` and `_`")]
    BadPolicyName(String),
    /// A policy is needed.
    #[error(
        "policy {policy:?} is the one of {}: give those that have it another one first",
        .session.map_or("new sessions".to_owned(), |session| format!("session {session}"))
    )]
    PolicyInUse {
        /// The policy.
        policy: String,
        /// A session that has it; none where the configuration names it.
        session: Option<SessionId>,
    },
    /// A policy cannot be read.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// There is no such run.
    #[error("session {session} has no run {run}: list its runs")]
    NoRun {
        /// The session.
        session: SessionId,
        /// The run.
        run: RunId,
    },
    /// A wire log cannot be read.
    #[error(transparent)]
    WireLog(#[from] ArchiveError),
    /// Two sessions would write to one conversation.
    #[error("conversation {cli_session} is open in session {session}: use that one, or fork it")]
    ConversationInUse {
        /// The CLI's id.
        cli_session: String,
        /// Who has it.
        session: SessionId,
    },
    /// There is nothing to fork.
    #[error("session {0} has no conversation yet: send it a prompt first")]
    NoConversation(SessionId),
    /// A prompt says nothing, or what is not a person's to say.
    #[error("this cannot be said: give a text, or a list of `text`, `image` and `document` blocks")]
    BadPrompt,
    /// Something that was asked for is not what it should be.
    #[error(transparent)]
    Unfit(#[from] Unfit),
    /// Files cannot be put into the session's directory.
    #[error(
        "{0} is a link, or no directory, and nothing is written through it: remove it, or attach \
         the file as a block"
    )]
    NoUploads(PathBuf),
    /// A file cannot be put into the session's directory.
    #[error(
        "the file cannot be put into the session's directory ({path}: {reason}): check that the \
         directory is there and can be written, or attach the file as a block"
    )]
    Upload {
        /// Where it should be.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// What is stored of the session makes no sense.
    #[error(
        "session {session} cannot be opened ({reason}): what was said in it can still be read; \
         begin another one with its conversation, or delete it"
    )]
    Broken {
        /// The session.
        session: SessionId,
        /// What is wrong with it.
        reason: String,
    },
    /// The session's loop has ended while it was asked.
    #[error("session {0} was closed in the middle of this: look at it again, then try again")]
    Closed(SessionId),
}

impl HostError {
    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |reason| Self::File { path, reason }
    }

    pub(super) fn upload(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Upload { path, reason }
    }
}

impl HostError {
    /// Why a command of a session was not carried out.
    pub(super) fn of_command(session: SessionId) -> impl FnOnce(CommandError) -> Self {
        move |error| match error {
            CommandError::Refused(refusal) => Self::Refused(refusal),
            CommandError::Store(error) => Self::Store(error),
            CommandError::Broken(reason) => Self::Broken { session, reason },
            CommandError::File { path, reason } => {
                Self::File { path, reason: io::Error::other(reason) }
            }
        }
    }
}
