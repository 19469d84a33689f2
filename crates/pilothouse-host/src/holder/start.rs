//! Starts holders, for a daemon.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::dir::RunDir;
use super::error::StartError;
use super::program::HolderProgram;
use super::spec::HoldSpec;

/// Starting a CLI takes milliseconds; a machine that is overloaded may take a while.
const PATIENCE: Duration = Duration::from_secs(60);

/// A started holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Of the holder.
    pub holder: u32,
    /// Of the CLI.
    pub cli: u32,
}

/// Starts a run in the new directory `dir`. Returns when the CLI has been started.
///
/// It blocks for some milliseconds. The holder is not a child of this process.
pub fn start(program: &HolderProgram, dir: &Path, spec: &HoldSpec) -> Result<Started, StartError> {
    RunDir::create(dir, spec)?.fill(|dir, pid_file| start_in(program, dir, spec, pid_file))
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

impl StartError {
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
