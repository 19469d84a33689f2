//! What a client may see of a session's directories, with real files, links, pipes and repositories.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test says what went wrong by panicking, and needs `git` and `mkfifo`"
)]

#[path = "files/changes.rs"]
mod changes;
#[path = "files/complete.rs"]
mod complete;
#[path = "files/directories.rs"]
mod directories;
#[path = "files/hostile_git.rs"]
mod hostile_git;
#[path = "files/images.rs"]
mod images;
#[path = "files/read.rs"]
mod read;
#[path = "files/resolve.rs"]
mod resolve;

use std::path::{Path, PathBuf};
use std::process::Command;

use pilothouse_host::files::Roots;

/// A directory of a session with something outside of it.
pub(crate) struct Bed {
    dir: tempfile::TempDir,
}

impl Bed {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        Self { dir }
    }

    /// Where everything is.
    pub(crate) fn top(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// Where the session works.
    pub(crate) fn project(&self) -> PathBuf {
        self.top().join("project")
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::new(self.project(), [] as [&Path; 0]).unwrap()
    }

    /// Writes a file, relative to where everything is.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.top().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn fifo(&self, path: &str) {
        let made = Command::new("mkfifo").arg(self.top().join(path)).status().unwrap();
        assert!(made.success());
    }

    /// Runs `git` in the project as its user would.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(self.project())
            .output()
            .unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }
}
