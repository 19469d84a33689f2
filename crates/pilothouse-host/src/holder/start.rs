//! Starts holders, for a daemon.

use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

use super::run::{VERSION_FLAG, version};
use super::spec::HoldSpec;
use super::{PID_FILE, boot};

/// Starting a CLI takes milliseconds; a machine that is overloaded may take a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// How to run the holder program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderProgram {
    /// The program.
    pub exe: PathBuf,
    /// What comes before the run's directory: a subcommand.
    pub args: Vec<OsString>,
}

impl HolderProgram {
    /// The holder that was installed beside this program, under its name and `-hold`, which needs a
    /// third of the memory; without it this program itself, whose first argument `hold` must then
    /// lead to [`main`](super::main()).
    pub fn of_this_program() -> io::Result<Self> {
        Ok(Self::beside(std::env::current_exe()?))
    }

    /// One that is left from another version is not used: it would not know what it is told.
    fn beside(exe: PathBuf) -> Self {
        let mut name = exe.file_name().unwrap_or_default().to_owned();
        name.push("-hold");
        let small = exe.with_file_name(name);
        match is_of_this_version(&small) {
            true => Self { exe: small, args: Vec::new() },
            false => Self { exe, args: vec!["hold".into()] },
        }
    }
}

fn is_of_this_version(program: &Path) -> bool {
    let mut command = Command::new(program);
    command.arg(VERSION_FLAG).stdin(Stdio::null()).stderr(Stdio::null());
    command
        .output()
        .is_ok_and(|said| said.status.success() && said.stdout.trim_ascii() == version().as_bytes())
}

/// A started holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Of the holder.
    pub holder: u32,
    /// Of the CLI.
    pub cli: u32,
}

/// A run was not started. Nothing of it is left.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There was a run of this name.
    #[error("there is a run in {0} already: give every run a name of its own")]
    Exists(PathBuf),
    /// The working directory is relative.
    #[error("the working directory {0} must be absolute: nobody knows what it is relative to")]
    Relative(PathBuf),
    /// The CLI's executable is not there.
    #[error("{0} cannot be found: install Claude Code, or say where its `claude` is")]
    NoCli(String),
    /// The working directory is not there.
    #[error("the working directory {0} does not exist: create it or choose another")]
    NoDirectory(String),
    /// The holder program cannot be run.
    #[error("the holder {exe} cannot be started ({reason}): is the installation complete?")]
    NoHolder {
        /// What was tried.
        exe: PathBuf,
        /// What came of it.
        reason: io::Error,
    },
    /// The holder has ended or said nothing.
    #[error("the holder gave no answer ({0}); try again")]
    NoAnswer(String),
    /// Anything else.
    #[error("the run cannot be started: {0}")]
    Other(String),
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

impl StartError {
    pub(super) fn from_spawn(spec: &HoldSpec, error: io::Error) -> Self {
        let cwd = Path::new(&spec.cwd);
        match error.kind() {
            // The same error for both.
            ErrorKind::NotFound | ErrorKind::NotADirectory if !cwd.is_dir() => {
                Self::NoDirectory(cwd.display().to_string())
            }
            ErrorKind::NotFound => Self::NoCli(spec.exe.0.to_string_lossy().into_owned()),
            _ => Self::Other(format!("{}: {error}", spec.exe.0.to_string_lossy())),
        }
    }

    /// As the holder answers it.
    pub(super) fn to_line(&self) -> String {
        let (kind, text) = match self {
            Self::NoCli(exe) => ("no-cli", exe.clone()),
            Self::NoDirectory(dir) => ("no-directory", dir.clone()),
            other => ("other", other.to_string()),
        };
        format!("failed {kind} {}", text.replace('\n', " "))
    }

    fn from_line(line: &str) -> Self {
        let mut words = line.splitn(3, ' ').skip(1);
        let (kind, text) = (words.next(), words.next().unwrap_or_default().to_owned());
        match kind {
            Some("no-cli") => Self::NoCli(text),
            Some("no-directory") => Self::NoDirectory(text),
            Some("other") => Self::Other(text),
            _ => Self::NoAnswer(format!("it said `{line}`")),
        }
    }
}

/// Starts a run in the new directory `dir`. Returns when the CLI has been started.
///
/// It blocks for some milliseconds. The holder is not a child of this process.
pub fn start(program: &HolderProgram, dir: &Path, spec: &HoldSpec) -> Result<Started, StartError> {
    if !Path::new(&spec.cwd).is_absolute() {
        return Err(StartError::Relative(PathBuf::from(&spec.cwd.0)));
    }
    let dir = std::path::absolute(dir)?;
    match DirBuilder::new().mode(0o700).create(&dir) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(StartError::Exists(dir));
        }
        made => made?,
    }
    let started = boot::note(&dir)
        .and_then(|()| locked_pid_file(&dir))
        .map_err(StartError::from)
        .and_then(|pid_file| start_in(program, &dir, spec, pid_file));
    if started.is_err() {
        // Nothing was run in it.
        let _ = std::fs::remove_dir_all(&dir);
    }
    started
}

fn locked_pid_file(dir: &Path) -> io::Result<File> {
    // Under another name until it is locked: a run must not be found without its lock.
    let new = dir.join(format!("{PID_FILE}.new"));
    let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&new)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    std::fs::rename(&new, dir.join(PID_FILE))?;
    Ok(file)
}

#[expect(clippy::disallowed_methods, reason = "a holder is not the CLI")]
fn start_in(
    program: &HolderProgram,
    dir: &Path,
    spec: &HoldSpec,
    pid_file: File,
) -> Result<Started, StartError> {
    let spec = serde_json::to_vec(spec).map_err(io::Error::from)?;
    let (mut ours, theirs) = UnixStream::pair()?;
    let mut command = Command::new(&program.exe);
    command.args(&program.args).arg(dir).stdin(OwnedFd::from(theirs)).stdout(pid_file);
    command.stderr(Stdio::null());
    let launched = command.spawn();
    // It has copies of their end and of the pid file, which are not for keeping.
    drop(command);
    let mut launcher =
        launched.map_err(|reason| StartError::NoHolder { exe: program.exe.clone(), reason })?;
    ours.set_read_timeout(Some(PATIENCE))?;
    ours.set_write_timeout(Some(PATIENCE))?;
    let said = ours.write_all(&spec).and_then(|()| ours.shutdown(Shutdown::Write));
    let mut answer = String::new();
    let heard = said.and_then(|()| ours.read_to_string(&mut answer).map(drop));
    // It ends as soon as it has started the holder proper.
    let _ = launcher.wait();
    heard.map_err(|error| StartError::NoAnswer(error.to_string()))?;
    let line = answer.trim_end();
    let ready = || -> Option<Started> {
        let (holder, cli) = line.strip_prefix("ready ")?.split_once(' ')?;
        Some(Started { holder: holder.parse().ok()?, cli: cli.parse().ok()? })
    };
    ready().ok_or_else(|| StartError::from_line(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program beside `daemon` that says this when it is asked.
    fn says(text: &str) -> (tempfile::TempDir, HolderProgram) {
        let dir = tempfile::tempdir().unwrap();
        let small = dir.path().join("daemon-hold");
        // Another process writes it: one that is started meanwhile must not have it open.
        let write = r#"printf '#!/bin/sh\necho "%s"\n' "$1" > "$2" && chmod 755 "$2""#;
        let mut shell = Command::new("sh");
        shell.args(["-c", write, "sh", text]).arg(&small);
        assert!(shell.status().unwrap().success());
        let program = HolderProgram::beside(dir.path().join("daemon"));
        (dir, program)
    }

    #[test]
    fn the_small_one_is_used_if_it_is_of_this_version() {
        let (dir, program) = says(&version());
        assert_eq!(program, HolderProgram { exe: dir.path().join("daemon-hold"), args: vec![] });
    }

    #[test]
    fn one_of_another_version_is_left_alone() {
        for text in ["pilothouse-hold 0.0.1 protocol 1", ""] {
            let (dir, program) = says(text);
            let own = HolderProgram { exe: dir.path().join("daemon"), args: vec!["hold".into()] };
            assert_eq!(program, own);
        }
        let alone = HolderProgram::beside("/nowhere/daemon".into());
        assert_eq!(alone.exe, Path::new("/nowhere/daemon"));
    }
}
