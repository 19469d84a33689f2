//! What a client may see of a session's directories: names to complete, files, changes.
//!
//! - [`Roots`]: the directories, and the one way into them. Everything else goes through it.
//! - [`Completions`]: names for `@`, found by a few of their letters.
//! - [`Roots::read`], [`Roots::list`]: a file, a directory.
//! - [`Roots::directories`]: where a new session could work.
//! - [`Roots::changes`]: what is different from the last commit.
//! - [`images`]: what may be sent as a picture. [`media`]: what bytes are given out as.
//!
//! What is in the directories is nobody's friend: links that lead out, pipes that never answer,
//! devices, repositories whose configuration runs programs, names that are no text. Everything is
//! bounded. Calls block; make them off the async threads.

mod changes;
mod complete;
mod diff;
mod directories;
mod error;
pub mod images;
mod list;
pub mod media;
mod open;
mod read;
mod roots;

pub use changes::{TreeChanges, WorkingTree};
pub use complete::{Candidate, Completion, CompletionLimits, Completions};
pub use diff::{ChangeKind, FileDiff, Stage};
pub use directories::{Directories, Hidden, Search};
pub use error::FileError;
pub use list::{DirEntry, DirListing, EntryKind};
#[cfg(unix)]
pub(crate) use open::open_directory;
pub use read::{FileText, FileView, ReadRange, Seen};
pub use roots::{Inside, InsideKind, Roots};
