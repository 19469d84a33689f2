//! The CLI as a process: its group, its pipes, its end.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use pilothouse_client::mark::end_marked;
use rustix::process::{Pid, Signal, kill_process_group};

use super::spec::HoldSpec;
use crate::wirelog::Exit;

/// How much the kernel is asked to hold between the CLI and us. More would be faster by little and
/// soon exhaust what one user's pipes may hold together (64 MiB).
#[cfg(target_os = "linux")]
const PIPE_SIZE: usize = 256 * 1024;

/// How often to look where the kernel cannot tell that a process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// A started CLI.
pub(super) struct Cli {
    child: Child,
    /// Becomes readable when the CLI ends.
    ended: Option<OwnedFd>,
    run: String,
}

/// The pipes of a CLI.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Cli {
    /// Starts it in a group of its own.
    #[expect(clippy::disallowed_methods, reason = "the holder is what starts the CLI here")]
    pub(super) fn start(spec: &HoldSpec) -> io::Result<(Self, Pipes)> {
        let mut child = spec.command().process_group(0).spawn()?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(&stdout, PIPE_SIZE);
        let ended = watch(&child);
        Ok((Self { child, ended, run: spec.run.clone() }, Pipes { stdin, stdout, stderr }))
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What becomes readable when the CLI ends.
    pub(super) fn ended(&self) -> Option<BorrowedFd<'_>> {
        self.ended.as_ref().map(AsFd::as_fd)
    }

    /// When to look whether it has ended.
    pub(super) fn look_again(&self, now: Instant) -> Option<Instant> {
        self.ended.is_none().then(|| now + LOOK_EVERY)
    }

    /// Signals its group. The CLI has not been waited for, so the number is still its own.
    pub(super) fn signal(&self, signal: Signal) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            // No such group: everyone in it has ended.
            let _ = kill_process_group(group, signal);
        }
    }

    /// How it ended, if it has; then everything it has left behind has ended, too.
    pub(super) fn collect(&mut self) -> Option<Exit> {
        let known = self.ended.is_some();
        let status = match known {
            // Those of its group first, while it is dead but still has its number.
            true => {
                self.signal(Signal::KILL);
                self.child.wait()
            }
            false => self.child.try_wait().transpose()?,
        };
        end_marked(&self.run);
        Some(match status {
            Ok(status) => Exit { code: status.code(), signal: status.signal() },
            Err(_) => Exit { code: None, signal: None },
        })
    }
}

#[cfg(target_os = "linux")]
fn watch(child: &Child) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(Pid::from_raw(i32::try_from(child.id()).ok()?)?, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn watch(_child: &Child) -> Option<OwnedFd> {
    None
}
