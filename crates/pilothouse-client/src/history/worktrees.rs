//! The git worktrees of a directory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::git::Look;

const PATIENCE: Duration = Duration::from_secs(5);

/// All worktrees of the repository around `directory`, the main one included. Empty where there is
/// no git, no repository, or one that [`Look`] refuses.
pub(super) fn worktrees(directory: &Path) -> Vec<PathBuf> {
    let look = Look::open(directory, PATIENCE).ok().flatten();
    look.and_then(|look| look.worktrees().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_repository_is_no_worktree() {
        let outside = tempfile::tempdir().unwrap();
        assert!(worktrees(outside.path()).is_empty());
        assert!(worktrees(&outside.path().join("gone")).is_empty());
    }
}
