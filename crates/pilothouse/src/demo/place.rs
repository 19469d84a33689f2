//! A throw-away directory: a small project, a home for the simulated Claude, and the data of the
//! demo's daemon.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use pilothouse_client::git::Act;

const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("harbour/README.md")),
    ("tides.sh", include_str!("harbour/tides.sh")),
    ("tests.sh", include_str!("harbour/tests.sh")),
];

/// The policy of the demo's sessions.
pub(super) const POLICY: (&str, &str) = ("demo", include_str!("harbour/policy.toml"));

/// Where a demo happens.
#[derive(Debug)]
pub(crate) struct Place {
    root: PathBuf,
}

/// It is gone when the demo ends.
impl Drop for Place {
    fn drop(&mut self) {
        if !self.root.as_os_str().is_empty() {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

impl Place {
    /// One that was made.
    pub(crate) fn at(root: PathBuf) -> Self {
        Self { root }
    }

    /// Leaves it to somebody else.
    pub(crate) fn keep(mut self) -> PathBuf {
        std::mem::take(&mut self.root)
    }

    /// Makes it. `exe` is the program that plays Claude.
    pub(crate) fn new(exe: &Path) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("pilothouse-demo-").tempdir()?.keep();
        let place = Self { root };
        for dir in [place.project(), place.home()] {
            fs::create_dir(dir)?;
        }
        for (name, text) in FILES {
            fs::write(place.project().join(name), text)?;
        }
        let quoted = exe.to_string_lossy().replace('\'', r"'\''");
        fs::write(place.claude(), format!("#!/bin/sh\nexec '{quoted}' sim \"$@\"\n"))?;
        fs::set_permissions(place.claude(), fs::Permissions::from_mode(0o755))?;
        place.keep_history();
        Ok(place)
    }

    /// The daemon's data.
    pub(crate) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    /// Where sessions work.
    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("harbour")
    }

    /// What stands for `~/.claude`.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The simulated Claude.
    pub(crate) fn claude(&self) -> PathBuf {
        self.root.join("claude")
    }

    /// Makes the project a repository, where there is git: so that changes can be seen.
    fn keep_history(&self) {
        let Ok(git) = Act::in_created(&self.project()) else { return };
        for args in [
            &["init", "--quiet"][..],
            &["add", "."],
            &["commit", "--quiet", "--message", "The tide table"],
        ] {
            let author = ["-c", "user.name=Harbour", "-c", "user.email=harbour@example.org"];
            if git.run(&[&author, args].concat()).is_err() {
                return;
            }
        }
    }
}
