//! Sessions on disk: listing, reading, renaming, tagging, archiving, forking and deleting them
//! without a running CLI.
//!
//! The CLI keeps each conversation as a file of JSON lines under
//! `$CLAUDE_CONFIG_DIR/projects/` (`~/.claude/projects/`). A [`History`] reads and changes these
//! files the way the CLI and the official SDKs do, so that all of them can be used side by side.
//!
//! ```no_run
//! use pilothouse_client::history::{History, MessageQuery, Scope, SessionQuery};
//!
//! # fn main() -> Result<(), pilothouse_client::history::HistoryError> {
//! let history = History::new()?;
//! let here = Scope::directory("/src/app");
//! for session in history.sessions(&SessionQuery::new().scope(here.clone()).limit(10)) {
//!     println!("{} {}", session.session_id, session.summary);
//!     let query = MessageQuery::new().scope(here.clone()).limit(50);
//!     for message in history.messages(&session.session_id, &query)? {
//!         println!("  {:?} {}", message.kind, message.uuid);
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Blocking
//!
//! Every call reads files and may run `git`, and returns when it is done. In async code, wrap
//! calls in `tokio::task::spawn_blocking`; a [`History`] is cheap to clone into it.
//!
//! # Trust
//!
//! Transcripts are taken as untrusted input: broken lines, cut lines, unknown types and fields,
//! lone surrogates, loops in the chain and overlong lines are all survived. Files are opened
//! without following symbolic links, and nothing is changed outside the projects directory.

mod chain;
mod checkpoint;
mod entry;
mod error;
mod files;
mod fork;
mod id;
mod index;
mod json;
mod key;
mod line;
mod list;
mod messages;
mod mutate;
mod places;
mod prompt;
mod queued;
mod recorded;
mod rewrite;
mod siblings;
mod subagents;
mod summary;
mod text;
mod worktrees;

use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

pub use checkpoint::{Before, Checkpoint, CopyError};
pub use error::HistoryError;
pub use fork::ForkRequest;
pub use id::SessionId;
pub use key::project_key;
pub use list::SessionQuery;
pub use messages::{MessageKind, MessageQuery, SessionMessage};
pub use places::Scope;
pub use subagents::Subagent;
pub use summary::SessionSummary;

/// The sessions under one Claude configuration directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    config_dir: PathBuf,
    project_dir_name: Option<String>,
}

impl History {
    /// The sessions of the present user: `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    ///
    /// With `CLAUDE_CONFIG_DIR` set, `CLAUDE_CODE_PROJECT_DIR_NAME` is respected too, as the CLI
    /// does; see [`History::with_project_dir_name`].
    ///
    /// # Errors
    /// [`HistoryError::NoConfigDir`] when there is neither that variable nor a home directory.
    pub fn new() -> Result<Self, HistoryError> {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(dir) = set("CLAUDE_CONFIG_DIR") {
            let history = Self::at(composed(Path::new(&dir)));
            let name = set("CLAUDE_CODE_PROJECT_DIR_NAME").and_then(|name| name.into_string().ok());
            return Ok(match name {
                // The CLI ignores a name it cannot use.
                Some(name) => history.clone().with_project_dir_name(name).unwrap_or(history),
                None => history,
            });
        }
        let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
        home.map(|home| Self::at(composed(&home.join(".claude")))).ok_or(HistoryError::NoConfigDir)
    }

    /// The sessions under this configuration directory, which need not exist.
    #[must_use]
    pub fn at(config_dir: impl Into<PathBuf>) -> Self {
        Self { config_dir: config_dir.into(), project_dir_name: None }
    }

    /// Looks first into the project directory of this name, whatever working directory is asked
    /// for.
    ///
    /// For CLIs run with `CLAUDE_CODE_PROJECT_DIR_NAME`, which keep all sessions in it.
    ///
    /// # Errors
    /// [`HistoryError::NotAProjectDirName`] for a name the CLI would ignore.
    pub fn with_project_dir_name(mut self, name: impl Into<String>) -> Result<Self, HistoryError> {
        let name = name.into();
        if !is_project_dir_name(&name) {
            return Err(HistoryError::NotAProjectDirName { given: name });
        }
        self.project_dir_name = Some(name);
        Ok(self)
    }

    /// The configuration directory.
    #[must_use]
    pub fn config_dir(&self) -> &Path {
        &self.config_dir
    }

    /// The directory that has one directory for each project.
    #[must_use]
    pub fn projects_dir(&self) -> PathBuf {
        self.config_dir.join("projects")
    }
}

/// The CLI composes (NFC) its configuration directory on every system.
fn composed(path: &Path) -> PathBuf {
    match path.to_str() {
        Some(text) => PathBuf::from(text.nfc().collect::<String>()),
        None => path.to_owned(),
    }
}

fn is_project_dir_name(name: &str) -> bool {
    let device = |name: &str| {
        let name = name.to_ascii_lowercase();
        matches!(name.as_str(), "con" | "prn" | "aux" | "nul")
            || name
                .strip_prefix("com")
                .or_else(|| name.strip_prefix("lpt"))
                .is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && !device(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn project_dir_names_are_single_harmless_components() {
        for good in ["shared", "a-b_c9", "com10", "console"] {
            assert!(History::at("/x").with_project_dir_name(good).is_ok(), "{good}");
        }
        let long = "a".repeat(65);
        for bad in ["", "..", "a/b", "a.b", "CON", "lpt1", "é", long.as_str()] {
            assert!(History::at("/x").with_project_dir_name(bad).is_err(), "{bad}");
        }
    }
}
