//! The git worktrees of a directory, asked of `git` itself.
//!
//! Runs no hook and no file-system monitor of the repository, waits five seconds at most, and
//! answers with nothing when there is no git or no repository.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(5);

/// More than a hundred thousand worktrees; a runaway `git` ends here.
const MOST_OUTPUT: u64 = 16 << 20;

/// Set when we run inside a git hook, they would point git at another repository.
const REPOSITORY_VARIABLES: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// All worktrees of the repository around `directory`, the main one included.
pub(super) fn worktrees(directory: &Path) -> Vec<PathBuf> {
    let mut git = Command::new("git");
    git.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor="])
        .args(["worktree", "list", "--porcelain"])
        .current_dir(directory)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    for variable in REPOSITORY_VARIABLES {
        git.env_remove(variable);
    }
    output(git, PATIENCE).map(|listing| parse(&listing)).unwrap_or_default()
}

/// What `command` prints, unless it takes longer than `patience`.
#[expect(clippy::disallowed_methods, reason = "starts git, not the CLI, and only for its output")]
fn output(mut command: Command, patience: Duration) -> Option<Vec<u8>> {
    let mut child = command.stdout(Stdio::piped()).spawn().ok()?;
    let stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.take(MOST_OUTPUT).read_to_end(&mut bytes);
        // Nobody listens any more once the time is over.
        let _ = sender.send(read.is_ok().then_some(bytes));
    });
    let read = receiver.recv_timeout(patience).ok().flatten();
    // Its output has ended or its time has: nothing it could still do is of use. Killing what has
    // already exited does nothing.
    let _ = child.kill();
    let _ = child.wait();
    read
}

fn parse(listing: &[u8]) -> Vec<PathBuf> {
    listing
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"worktree "))
        .map(path_from_bytes)
        .collect()
}

#[cfg(unix)]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes.trim_ascii_end()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_porcelain_listing() {
        let listing = b"worktree /a/main\nHEAD 0\nbranch refs/heads/main\n\nworktree /a/other tree\ndetached\n\n";
        assert_eq!(parse(listing), [PathBuf::from("/a/main"), PathBuf::from("/a/other tree")]);
    }

    #[test]
    fn no_repository_is_no_worktree() {
        let outside = tempfile::tempdir().unwrap();
        assert!(worktrees(outside.path()).is_empty());
        assert!(worktrees(&outside.path().join("gone")).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_command_that_hangs_is_given_up() {
        // `tail -f` prints nothing and never ends by itself.
        let mut hanging = Command::new("tail");
        hanging.args(["-f", "/dev/null"]);
        assert_eq!(output(hanging, Duration::from_millis(1)), None);
    }
}
