//! Why a run was not started.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::spec::HoldSpec;

/// A run was not started. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There was a run of this name.
    #[error("there is a run in {0} already: give every run a name of its own")]
    Exists(PathBuf),
    /// The working directory is relative.
    #[error("the working directory {0} must be absolute: nobody knows what it is relative to")]
    Relative(PathBuf),
    /// The CLI's executable is not there.
    #[error("{0} cannot be found: install Claude Code, or say where its `claude` is")]
    NoCli(String),
    /// The working directory is not there.
    #[error("the working directory {0} does not exist: create it or choose another")]
    NoDirectory(String),
    /// The holder program cannot be run.
    #[error("the holder {exe} cannot be started ({reason}): is the installation complete?")]
    NoHolder {
        /// What was tried.
        exe: PathBuf,
        /// What came of it.
        reason: io::Error,
    },
    /// The holder has ended or said nothing.
    #[error("the holder gave no answer ({0}); try again")]
    NoAnswer(String),
    /// Anything else.
    #[error("the run cannot be started: {0}")]
    Other(String),
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

impl StartError {
    pub(crate) fn from_spawn(spec: &HoldSpec, error: io::Error) -> Self {
        let cwd = Path::new(&spec.cwd);
        match error.kind() {
            // The same error for both.
            ErrorKind::NotFound | ErrorKind::NotADirectory if !cwd.is_dir() => {
                Self::NoDirectory(cwd.display().to_string())
            }
            ErrorKind::NotFound => Self::NoCli(spec.exe.0.to_string_lossy().into_owned()),
            _ => Self::Other(format!("{}: {error}", spec.exe.0.to_string_lossy())),
        }
    }
}
