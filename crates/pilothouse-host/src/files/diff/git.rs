//! Running `git` in a directory that is not trusted.
//!
//! A repository can name programs for `git` to run: hooks, monitors, external diffs, text
//! converters, filters, remote helpers. All of these are switched off here, those that bear names of
//! their own (filters) after they were asked for. Nothing of the daemon's environment gets through,
//! no lock is taken, nothing is fetched, nobody is asked, and output and time have an end.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::super::FileError;

/// What is always said first.
const ALWAYS: [&str; 18] = [
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=true",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "diff.suppressBlankEmpty=false",
    "-c",
    "submodule.recurse=false",
    "--no-replace-objects",
];

/// What is kept of complaints.
const COMPLAINT: u64 = 4 << 10;

/// `git` in a directory, for one answer.
pub(in super::super) struct Git<'a> {
    dir: &'a Path,
    until: Instant,
    patience: Duration,
    /// Settings of this repository that are overruled.
    overruled: Vec<OsString>,
}

/// What it said.
pub(in super::super) struct Said {
    pub(in super::super) text: Vec<u8>,
    /// There was more.
    pub(in super::super) is_cut: bool,
}

impl<'a> Git<'a> {
    /// All answers together take no longer than `patience`.
    pub(in super::super) fn new(dir: &'a Path, patience: Duration) -> Self {
        Self { dir, until: Instant::now() + patience, patience, overruled: Vec::new() }
    }

    /// Switches off the filters that the repository itself names. Those of the user's own
    /// configuration, such as the one for large files, stay.
    pub(in super::super) fn distrust_filters(&mut self) -> Result<(), FileError> {
        let arguments = ["config", "--list", "--show-scope", "--name-only", "-z"];
        let said = self.say(&arguments, 4 << 20)?;
        if said.is_cut {
            return Err(FileError::Git("the configuration of the repository has no end".into()));
        }
        let mut words = said.text.split(|byte| *byte == 0);
        while let (Some(scope), Some(key)) = (words.next(), words.next()) {
            let is_own = matches!(scope, b"system" | b"global");
            if let (false, Some(name)) = (is_own, filter_name(key)) {
                for (part, value) in
                    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")]
                {
                    self.overruled.push("-c".into());
                    self.overruled.push(setting(name, part, value));
                }
            }
        }
        Ok(())
    }

    /// What it says to these arguments, and at most so many bytes of it.
    pub(in super::super) fn say(
        &self,
        arguments: &[impl AsRef<OsStr>],
        most: usize,
    ) -> Result<Said, FileError> {
        let mut child = self.start(arguments).map_err(FileError::NoGit)?;
        let said = self.hear(&mut child, most);
        // Also what it may have started.
        stop(&mut child);
        said
    }

    #[expect(clippy::disallowed_methods, reason = "git is not the CLI")]
    fn start(&self, arguments: &[impl AsRef<OsStr>]) -> io::Result<Child> {
        let mut command = Command::new("git");
        command.env_clear();
        // Where it is, and whose settings count; nothing else.
        for name in ["HOME", "XDG_CONFIG_HOME", "SystemRoot"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        // A relative entry would be looked for in the repository.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::split_paths(&path).filter(|entry| entry.is_absolute());
        command.env("PATH", std::env::join_paths(path).map_err(io::Error::other)?);
        command
            .env("LC_ALL", "C")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_PAGER", "cat")
            .args(ALWAYS)
            .args(&self.overruled)
            .args(arguments)
            .current_dir(self.dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn()
    }

    fn hear(&self, child: &mut Child, most: usize) -> Result<Said, FileError> {
        let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(FileError::Git("it has no output".to_owned()));
        };
        let (sender, heard) = mpsc::channel();
        let complaints = sender.clone();
        // Each ends when its pipe does, at the latest when the group is killed.
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = out.take(most as u64 + 1).read_to_end(&mut text);
            sender.send(Heard::Out(read.map(|_| text))).ok();
        });
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let mut err = err;
            err.by_ref().take(COMPLAINT).read_to_end(&mut text).ok();
            // The rest is of no interest, but whoever says it must not be stopped by that.
            io::copy(&mut err, &mut io::sink()).ok();
            complaints.send(Heard::Err(text)).ok();
        });
        let (mut out, mut err) = (None, None);
        while out.is_none() || err.is_none() {
            let left = self.until.saturating_duration_since(Instant::now());
            match heard.recv_timeout(left) {
                Ok(Heard::Out(text)) => {
                    let mut text = text.map_err(FileError::NoGit)?;
                    if text.len() > most {
                        // Enough was said.
                        text.truncate(most);
                        return Ok(Said { text, is_cut: true });
                    }
                    out = Some(text);
                }
                Ok(Heard::Err(text)) => err = Some(text),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(FileError::GitTimeout(self.patience.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(FileError::Git("nobody listens to it".to_owned()));
                }
            }
        }
        // Both pipes are closed: it has ended, or is about to.
        let status = child.wait().map_err(FileError::NoGit)?;
        if !status.success() {
            let complaint = String::from_utf8_lossy(&err.unwrap_or_default()).trim().to_owned();
            return Err(FileError::Git(complaint));
        }
        Ok(Said { text: out.unwrap_or_default(), is_cut: false })
    }
}

enum Heard {
    Out(io::Result<Vec<u8>>),
    Err(Vec<u8>),
}

/// Ends it and everything it started, and forgets it.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(None) = child.try_wait()
        && let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
    {
        // It is not reaped, so that the number is still its own.
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).ok();
    }
    child.kill().ok();
    child.wait().ok();
}

/// The name of a filter, from one of its settings: `filter.NAME.clean`. The name may have dots.
fn filter_name(key: &[u8]) -> Option<&[u8]> {
    let rest = key.strip_prefix(b"filter.")?;
    let dot = memchr::memrchr(b'.', rest)?;
    Some(&rest[..dot])
}

/// `filter.NAME.part=value`
fn setting(name: &[u8], part: &str, value: &str) -> OsString {
    let mut text = b"filter.".to_vec();
    text.extend_from_slice(name);
    text.extend_from_slice(format!(".{part}={value}").as_bytes());
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(text);
    #[cfg(not(unix))]
    String::from_utf8_lossy(&text).into_owned().into()
}
