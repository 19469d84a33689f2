//! Errors of running git.

use std::io;
use std::path::PathBuf;

use super::program::{OLDEST, Version};

/// An error of running git.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// No directory of the search path has a git.
    #[error(
        "`git` was not found: install it, or put its directory into the daemon's PATH (relative \
         directories and directories below the workspace are not searched)"
    )]
    NotFound,
    /// The program does not start, or its output cannot be read.
    #[error("`git` cannot be run ({0}): run `git --version` by hand and see what it prints")]
    NotRun(io::Error),
    /// The version lacks what [`Look`](super::Look) needs.
    #[error(
        "`{exe}` is git {found}, which cannot be kept from running a repository's programs: install \
         git {OLDEST} or newer, or put one first in the daemon's PATH"
    )]
    TooOld {
        /// The program.
        exe: PathBuf,
        /// Its version.
        found: Version,
    },
    /// The output of `git --version` is no version.
    #[error("`{exe}` does not print its version: install git {OLDEST} or newer")]
    NoVersion {
        /// The program.
        exe: PathBuf,
    },
    /// The time limit was reached.
    #[error("`git` gave no answer in {0} seconds: is the repository very large, or its disk slow?")]
    Timeout(u64),
    /// The repository's configuration sets `core.worktree` to another directory.
    #[error(
        "the repository in {top} has its files elsewhere ({says}): see core.worktree in its \
         configuration"
    )]
    FilesElsewhere {
        /// The directory with `.git`.
        top: PathBuf,
        /// The working tree that git names.
        says: String,
    },
    /// `.git` leads to a git directory that belongs to another working tree.
    #[error(
        "the .git of {top} leads to {git_dir}, which does not name {top} as its working tree: if it \
         is right, run `git worktree repair` or set core.worktree there"
    )]
    ForeignRepository {
        /// The directory with `.git`.
        top: PathBuf,
        /// The git directory.
        git_dir: PathBuf,
    },
    /// git ended with an error.
    #[error("`git` failed: {0}")]
    Failed(String),
}
