//! Finds git and reads its version.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::GitError;
use super::output::{Deadline, collect};

/// The oldest git that [`Look`](super::Look) accepts: the first with `safe.bareRepository`.
pub(super) const OLDEST: Version = Version(2, 38);

const NAME: &str = if cfg!(windows) { "git.exe" } else { "git" };

/// The directories to search for git.
#[derive(Clone, Debug)]
pub struct SearchPath {
    path: OsString,
    /// Real directories whose programs are not trusted.
    workspace: Vec<PathBuf>,
}

impl SearchPath {
    /// The PATH of this process.
    pub fn of_process() -> Self {
        Self::new(std::env::var_os("PATH").unwrap_or_default())
    }

    /// A search path in the form of PATH.
    pub fn new(path: impl Into<OsString>) -> Self {
        Self { path: path.into(), workspace: Vec::new() }
    }

    /// Leaves out what is below these directories: programs there are those of the repository.
    pub fn without<P: AsRef<Path>>(mut self, workspace: impl IntoIterator<Item = P>) -> Self {
        let real = |directory: P| dunce::canonicalize(directory).ok();
        self.workspace.extend(workspace.into_iter().filter_map(real));
        self
    }

    /// The real directories to search. Leaves out relative and empty entries, which would be
    /// searched in the repository.
    fn directories(&self) -> Vec<PathBuf> {
        std::env::split_paths(&self.path)
            .filter(|entry| entry.is_absolute())
            .filter_map(|entry| dunce::canonicalize(entry).ok())
            .filter(|entry| !self.is_in_workspace(entry))
            .collect()
    }

    fn is_in_workspace(&self, real: &Path) -> bool {
        self.workspace.iter().any(|directory| real.starts_with(directory))
    }
}

/// The git to start, and the PATH that it and its children get.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) exe: PathBuf,
    path: OsString,
}

impl Program {
    pub(super) fn find(search: &SearchPath) -> Result<Self, GitError> {
        let directories = search.directories();
        let is_git = |path: &PathBuf| {
            let real = dunce::canonicalize(path).ok();
            real.is_some_and(|real| is_executable(&real) && !search.is_in_workspace(&real))
        };
        let exe = directories.iter().map(|directory| directory.join(NAME)).find(is_git);
        let exe = exe.ok_or(GitError::NotFound)?;
        let path = std::env::join_paths(directories).map_err(|_| GitError::NotFound)?;
        Ok(Self { exe, path })
    }

    /// A command in `directory` whose environment has nothing of this process but where the user's
    /// own configuration is.
    pub(super) fn command(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.exe);
        command.env_clear().env("PATH", &self.path).env("LC_ALL", "C").current_dir(directory);
        for name in ["HOME", "XDG_CONFIG_HOME", "SystemRoot"] {
            // git would take a relative one from the repository.
            let value = std::env::var_os(name).filter(|value| Path::new(value).is_absolute());
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        command
    }

    /// The version. One before `oldest` is an error.
    pub(super) fn version(&self, oldest: Version, deadline: Deadline) -> Result<Version, GitError> {
        let mut command = self.command(Path::new(if cfg!(windows) { "\\" } else { "/" }));
        command.arg("--version");
        let text = collect(command, deadline, 4 << 10)?.text;
        let exe = self.exe.clone();
        match Version::parse(&String::from_utf8_lossy(&text)) {
            Some(version) if version >= oldest => Ok(version),
            Some(found) => Err(GitError::TooOld { exe, found }),
            None => Err(GitError::NoVersion { exe }),
        }
    }
}

/// Returns the version of the git on this process's PATH, where it is one that
/// [`Look`](super::Look) accepts.
pub fn version(patience: Duration) -> Result<Version, GitError> {
    Program::find(&SearchPath::of_process())?.version(OLDEST, Deadline::after(patience))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// The first two numbers of a git version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32);

impl Version {
    /// Reads the output of `git --version`: vendors append words and numbers of their own.
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.trim().strip_prefix("git version ")?.split(['.', ' ', '-']);
        let mut next = || numbers.next()?.parse().ok();
        Some(Self(next()?, next()?))
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

/// Bytes that git has printed, as a path or a key.
#[cfg(unix)]
pub(super) fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

/// Text that git has printed, as a path or a key.
#[cfg(not(unix))]
pub(super) fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions_of_every_vendor() {
        for (text, expected) in [
            ("git version 2.39.5\n", Some(Version(2, 39))),
            ("git version 2.39.5 (Apple Git-154)", Some(Version(2, 39))),
            ("git version 2.47.3.windows.1", Some(Version(2, 47))),
            ("git version 2.48.0-rc1", Some(Version(2, 48))),
            ("git version 3.0", Some(Version(3, 0))),
            ("git version two", None),
            ("hello", None),
            ("", None),
        ] {
            assert_eq!(Version::parse(text), expected, "{text}");
        }
        assert!(Version(2, 4) < OLDEST && Version(2, 38) >= OLDEST && Version(3, 0) > OLDEST);
    }
}
