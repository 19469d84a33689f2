//! Why a client does not see a file.

use std::io;
use std::path::{Path, PathBuf};

use crate::open_files::is_exhausted;
use pilothouse_client::git::GitError;

/// Why a client does not see a file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A directory of the session is not there.
    #[error("the session's directory {0} cannot be used: is it still there, and may it be read?")]
    NoDirectory(PathBuf),
    /// It is none of the session's files.
    #[error(
        "`{0}` is not in the session's directories, or a link that leads out of them: ask for a path \
         inside, or add its directory to the session"
    )]
    Outside(String),
    /// There is nothing of that name.
    #[error("`{0}` does not exist: check the name, or list its directory")]
    NotFound(String),
    /// It is neither a file nor a directory.
    #[error("`{path}` is {what}, which is not read: only files and directories are")]
    Special {
        /// What was asked for.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// A directory was to be read as a file.
    #[error("`{0}` is a directory: list it, or name a file in it")]
    IsDirectory(String),
    /// A file was to be listed.
    #[error("`{0}` is not a directory: read it, or name its directory")]
    NotDirectory(String),
    /// The system says no.
    #[error("`{path}` cannot be read ({reason})")]
    Unreadable {
        /// What was asked for.
        path: String,
        /// Why not.
        reason: io::Error,
    },
    /// `git` cannot show the changes.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The daemon has too many files open.
    #[error(
        "`{path}` cannot be opened now, because the daemon has too many files open ({reason}): try \
         again, or raise its limit (`ulimit -n`, or LimitNOFILE= in the service)"
    )]
    Exhausted {
        /// What was asked for.
        path: String,
        /// What the system says.
        reason: io::Error,
    },
}

impl FileError {
    pub(super) fn outside(path: &Path) -> Self {
        Self::Outside(path.display().to_string())
    }

    pub(crate) fn unreadable(path: &Path, reason: impl Into<io::Error>) -> Self {
        let (path, reason) = (path.display().to_string(), reason.into());
        match is_exhausted(&reason) {
            true => Self::Exhausted { path, reason },
            false => Self::Unreadable { path, reason },
        }
    }
}
