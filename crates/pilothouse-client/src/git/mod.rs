//! Runs `git` for the whole host: nothing else starts it.
//!
//! There are two kinds of call.
//!
//! - [`Look`] reads a repository that nobody has vouched for. A repository can name programs for git
//!   to run: hooks, monitors, external diffs, text converters, filters, remote helpers. `Look`
//!   switches all of them off, also the filters of the user's own configuration: a file that a filter
//!   such as git-lfs replaces is shown as git stores it, as a pointer. `Look` takes no lock, fetches
//!   nothing, asks nobody, and bounds time and output.
//! - [`Act`] changes a repository. It runs only on a person's command, and only where the directory
//!   is trusted. The one caller today is the demo, in a directory that it has created itself. The
//!   first feature that commits in a user's repository adds a second constructor, which takes the
//!   proof that the directory is trusted and keeps the user's hooks and filters.
//!
//! # Why settings travel in the environment
//!
//! `-c KEY=VALUE` ends the key at the first `=`, so that a filter named `a=b` could not be overruled.
//! `GIT_CONFIG_KEY_n` and `GIT_CONFIG_VALUE_n` hold both parts whole (git 2.31). A directory of a
//! clone can itself be a git directory whose `core.worktree` is the clone; git enters it unless
//! `safe.bareRepository` is `explicit` (git 2.38). An older git is refused.
//!
//! In-tree attributes stay in force: line endings, encodings and `-diff` come from them, and without
//! a filter, a converter or an external diff they run nothing.

mod act;
mod error;
mod look;
mod output;
mod program;
mod quarantine;
mod repository;

pub use act::Act;
pub use error::GitError;
pub use look::Look;
pub use output::Output;
pub use program::{SearchPath, Version, version};
pub use quarantine::Quarantine;
