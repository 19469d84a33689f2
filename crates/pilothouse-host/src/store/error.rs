//! What can go wrong, and what to do about it.

use std::path::PathBuf;

use jiff::Timestamp;
use pilothouse_session::id::{PromptId, SessionId};
use rusqlite::{ErrorCode, ffi};

/// Why the store did not do what it was asked. Nothing of what was asked has been done (but see
/// [`Unconfirmed`](Self::Unconfirmed)); everything that was acknowledged before is still there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No room is left, or the disk did not take what was written; nothing of it counts.
    #[error(
        "no room is left for the database ({0}): free some space on its disk or of your quota, or \
         delete sessions; then try again"
    )]
    Full(String),
    /// The disk failed to take what had been committed: whether it was done will show when the
    /// database is opened again. Until then nothing more is written, since a disk that has failed
    /// once says that all is well when it is asked again.
    #[error(
        "the disk did not confirm what was written ({0}): check the disk, then restart the daemon; \
         sessions go on meanwhile"
    )]
    Unconfirmed(String),
    /// Somebody else writes.
    #[error(
        "the database is locked by another program: end what has it open (another daemon, a backup, \
         an SQLite shell), then try again"
    )]
    Locked,
    /// Too much waits to be written.
    #[error(
        "the store cannot keep up, {waiting} writes wait: wait for an acknowledgement, then try again"
    )]
    Busy {
        /// How many writes wait.
        waiting: usize,
    },
    /// The file is damaged, or is no database.
    #[error(
        "the database is damaged ({0}): stop the daemon, move the file away together with its -wal \
         file, and put a backup in its place"
    )]
    Corrupt(String),
    /// A newer version wrote the file.
    #[error(
        "the database has schema {found}, this version knows {known}: install the version of \
         Pilothouse that wrote it, or a newer one"
    )]
    NewerSchema {
        /// The schema of the file.
        found: u32,
        /// The newest one known.
        known: u32,
    },
    /// The file is a database of something else.
    #[error("{0} is a database of another program: choose another file")]
    Foreign(PathBuf),
    /// Events are missing before these.
    #[error(
        "event {got} cannot follow, the next one is {expected}: read the session's state again and \
         hand in what comes after it"
    )]
    Gap {
        /// The number of the next event.
        expected: u64,
        /// The number that came.
        got: u64,
    },
    /// An event of another session.
    #[error(
        "an event of session {got} was to be stored in session {expected}: store it in its own"
    )]
    Misplaced {
        /// The session that was written to.
        expected: SessionId,
        /// The session of the event.
        got: SessionId,
    },
    /// There is no such session.
    #[error("there is no session {0}: it was deleted, or never created")]
    UnknownSession(SessionId),
    /// There is one already.
    #[error("there is a session {0} already: choose another id")]
    SessionExists(SessionId),
    /// The conversation belongs to another session.
    #[error("conversation {cli_session} is that of session {session}: use that one, or fork it")]
    ConversationTaken {
        /// The CLI's id.
        cli_session: String,
        /// Who has it.
        session: SessionId,
    },
    /// Somebody else has the session.
    #[error("session {session} is served by {owner} until {until}: ask there, or wait")]
    Claimed {
        /// The session.
        session: SessionId,
        /// Who has it.
        owner: String,
        /// Until when, unless it is renewed.
        until: Timestamp,
    },
    /// Somebody else has taken the session over.
    #[error(
        "session {0} was taken over by another owner: stop serving it, and claim it again if needed"
    )]
    Fenced(SessionId),
    /// The key was used for another prompt.
    #[error(
        "the idempotency key {0:?} was used for another prompt: use a new key for a new prompt"
    )]
    KeyReused(String),
    /// The id was used for another prompt.
    #[error(
        "prompt {0} was said before, in other words or in another session: use a new id for a new \
         prompt"
    )]
    PromptExists(PromptId),
    /// Too large.
    #[error("{what} of {size} bytes is too large, {limit} are allowed: send less")]
    TooLarge {
        /// What.
        what: &'static str,
        /// How large it is.
        size: u64,
        /// How large it may be.
        limit: u64,
    },
    /// A mark for the next page that is not one of ours.
    #[error("{0:?} is not a mark of a page: use `next` of the page before, unchanged")]
    BadCursor(String),
    /// The store was closed.
    #[error("the store is closed: open it again")]
    Closed,
    /// A file could not be made or changed.
    #[error("{path}: {reason}: check that the directory exists and may be written")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Anything else that SQLite says.
    #[error("the database failed ({0}): try again, and report it if it stays")]
    Failed(String),
}

impl StoreError {
    /// Whether the surroundings are at fault and not what was asked: the same may work later.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Full(_) | Self::Locked | Self::Busy { .. })
    }

    pub(super) fn file(path: impl Into<PathBuf>, error: &std::io::Error) -> Self {
        Self::File { path: path.into(), reason: error.to_string() }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(text),
            Some(ErrorCode::SystemIoFailure) if lacks_room(&error) => Self::Full(text),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(text),
            _ => Self::Failed(text),
        }
    }
}

/// Whether the system would not take more, for another reason than a full disk: a quota, a limit on
/// the size of files. What was committed before is not touched, as it is where a sync fails.
fn lacks_room(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(code, Some(ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE))
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: std::ffi::c_int) -> StoreError {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()
    }

    #[test]
    fn what_may_work_later_is_told_from_what_will_not() {
        for code in [ffi::SQLITE_FULL, ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_SHMSIZE] {
            assert!(matches!(of(code), StoreError::Full(_)), "{code}: {:?}", of(code));
            assert!(of(code).is_passing());
        }
        for code in [ffi::SQLITE_BUSY, ffi::SQLITE_LOCKED, ffi::SQLITE_BUSY_SNAPSHOT] {
            assert_eq!(of(code), StoreError::Locked, "{code}");
            assert!(of(code).is_passing());
        }
        for code in [ffi::SQLITE_CORRUPT, ffi::SQLITE_NOTADB] {
            assert!(matches!(of(code), StoreError::Corrupt(_)), "{code}: {:?}", of(code));
            assert!(!of(code).is_passing());
        }
        // A disk that cannot be read, or does not confirm, does not mend by waiting.
        let lasting =
            [ffi::SQLITE_IOERR, ffi::SQLITE_IOERR_READ, ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_ERROR];
        for code in lasting {
            assert!(matches!(of(code), StoreError::Failed(_)), "{code}: {:?}", of(code));
            assert!(!of(code).is_passing());
        }
    }
}
