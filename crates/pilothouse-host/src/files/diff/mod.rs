//! What `git` says has changed, file by file.

mod parse;
mod quoted;
mod untracked;

use pilothouse_session::tool::PatchHunk;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use parse::parse;
pub(super) use untracked::untracked;

/// A file that is not as it was committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiff {
    /// Its name, relative to the working directory. One that is no text has replacement characters.
    pub path: String,
    /// Its name before, where it has another one now.
    pub old_path: Option<String>,
    /// Where the change is.
    pub stage: Stage,
    /// What has become of it.
    pub change: ChangeKind,
    /// It is no text; there are no hunks.
    pub binary: bool,
    /// Lines added, also those that there is no room for.
    pub lines_added: u64,
    /// Lines removed, also those that there is no room for.
    pub lines_removed: u64,
    /// The change, piece by piece.
    pub hunks: Vec<PatchHunk>,
    /// The same as a unified diff.
    pub diff: String,
    /// `hunks` and `diff` are cut, or left out, because the change is too large.
    pub truncated: bool,
}

/// Where a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// To be committed.
    Staged,
    /// In the working tree only.
    Unstaged,
    /// A new file that `git` was not told of.
    Untracked,
}

/// What has become of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// It has other content.
    Modified,
    /// It has another name, and maybe other content.
    Renamed,
    /// It is a copy.
    Copied,
    /// Only its mode is another one.
    Mode,
    /// Two changes do not fit together, and nobody has decided yet.
    Conflicted,
}
