//! Changes a repository.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::GitError;
use super::output::{Deadline, collect};
use super::program::{Program, SearchPath};

const PATIENCE: Duration = Duration::from_secs(60);

/// A directory to change with git.
#[derive(Debug)]
pub struct Act {
    program: Program,
    directory: PathBuf,
}

impl Act {
    /// A directory that the caller has created and filled itself, so that no text of others is in
    /// it. The user's configuration, hooks and filters do not apply there.
    ///
    /// # Errors
    /// There is no git, or `directory` cannot be resolved.
    pub fn in_created(directory: &Path) -> Result<Self, GitError> {
        let directory = dunce::canonicalize(directory).map_err(GitError::NotRun)?;
        let program = Program::find(&SearchPath::of_process().without([&directory]))?;
        Ok(Self { program, directory })
    }

    /// Runs git to its end.
    ///
    /// # Errors
    /// git fails or takes longer than a minute.
    pub fn run(&self, arguments: &[&str]) -> Result<(), GitError> {
        let mut command = self.program.command(&self.directory);
        let null = if cfg!(windows) { "NUL" } else { "/dev/null" };
        command.env("GIT_CONFIG_GLOBAL", null).env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_TERMINAL_PROMPT", "0").args(arguments);
        collect(command, Deadline::after(PATIENCE), 1 << 20).map(drop)
    }
}
