//! Why a client does not see a file.

use std::io;
use std::path::{Path, PathBuf};

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
    /// `git` cannot be run.
    #[error("`git` cannot be run ({0}): install it, or put it into the daemon's PATH")]
    NoGit(io::Error),
    /// `git` takes too long.
    #[error("`git` gave no answer in {0} seconds: is the repository very large, or its disk slow?")]
    GitTimeout(u64),
    /// `git` has failed.
    #[error("`git` failed: {0}")]
    Git(String),
}

impl FileError {
    pub(super) fn outside(path: &Path) -> Self {
        Self::Outside(path.display().to_string())
    }

    pub(crate) fn unreadable(path: &Path, reason: impl Into<io::Error>) -> Self {
        Self::Unreadable { path: path.display().to_string(), reason: reason.into() }
    }
}
