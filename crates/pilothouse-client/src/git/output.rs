//! Collects the output of one run of git, bounded in time and size.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::GitError;

/// Bytes of stderr that are kept.
const COMPLAINT: u64 = 4 << 10;

/// The output of one run of git.
#[derive(Debug)]
pub struct Output {
    /// Standard output.
    pub text: Vec<u8>,
    /// There was more than the limit.
    pub is_cut: bool,
}

/// The time limit of one or several runs together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    at: Instant,
    patience: Duration,
}

impl Deadline {
    pub(super) fn after(patience: Duration) -> Self {
        Self { at: Instant::now() + patience, patience }
    }

    fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }
}

enum Part {
    Stdout(io::Result<Vec<u8>>),
    Stderr(Vec<u8>),
}

/// Runs `command` until it ends, until `limit` bytes were printed, or until `deadline`. Kills its
/// process group in the last two cases.
pub(super) fn collect(
    mut command: Command,
    deadline: Deadline,
    limit: usize,
) -> Result<Output, GitError> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = spawn(command).map_err(GitError::NotRun)?;
    let output = read(&mut child, deadline, limit);
    kill(&mut child);
    output
}

#[expect(clippy::disallowed_methods, reason = "starts git, not the CLI")]
fn spawn(mut command: Command) -> io::Result<Child> {
    command.spawn()
}

fn read(child: &mut Child, deadline: Deadline, limit: usize) -> Result<Output, GitError> {
    let (Some(stdout), Some(mut stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(GitError::NotRun(io::ErrorKind::BrokenPipe.into()));
    };
    let (sender, parts) = mpsc::channel();
    let complaints = sender.clone();
    // Each thread ends with its pipe, at the latest when the process group is killed.
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.take(limit as u64 + 1).read_to_end(&mut text);
        sender.send(Part::Stdout(read.map(|_| text))).ok();
    });
    std::thread::spawn(move || {
        let mut text = Vec::new();
        stderr.by_ref().take(COMPLAINT).read_to_end(&mut text).ok();
        // Discards the rest, so that git does not block on a full pipe.
        io::copy(&mut stderr, &mut io::sink()).ok();
        complaints.send(Part::Stderr(text)).ok();
    });
    let (mut text, mut complaint) = (None, None);
    while text.is_none() || complaint.is_none() {
        match parts.recv_timeout(deadline.left()) {
            Ok(Part::Stdout(read)) => {
                let mut read = read.map_err(GitError::NotRun)?;
                if read.len() > limit {
                    read.truncate(limit);
                    return Ok(Output { text: read, is_cut: true });
                }
                text = Some(read);
            }
            Ok(Part::Stderr(read)) => complaint = Some(read),
            Err(RecvTimeoutError::Timeout) => {
                return Err(GitError::Timeout(deadline.patience.as_secs()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(GitError::NotRun(io::ErrorKind::BrokenPipe.into()));
            }
        }
    }
    // Both pipes are closed, so git has ended or is about to.
    let status = child.wait().map_err(GitError::NotRun)?;
    if !status.success() {
        let complaint = complaint.unwrap_or_default();
        return Err(GitError::Failed(String::from_utf8_lossy(&complaint).trim().to_owned()));
    }
    Ok(Output { text: text.unwrap_or_default(), is_cut: false })
}

/// Ends git and its children, and reaps it.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(None) = child.try_wait()
        && let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw)
    {
        // The process is not reaped, so that the number is still its own.
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).ok();
    }
    child.kill().ok();
    child.wait().ok();
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn stops_a_program_at_the_deadline() {
        // `tail -f` prints nothing and never ends by itself.
        let mut command = Command::new("tail");
        command.args(["-f", "/dev/null"]);
        let ended = collect(command, Deadline::after(Duration::from_millis(1)), 10);
        assert!(matches!(ended, Err(GitError::Timeout(_))), "{ended:?}");
    }

    #[test]
    fn stops_a_program_at_the_size_limit() {
        let deadline = Deadline::after(Duration::from_secs(600));
        let output = collect(Command::new("yes"), deadline, 10).unwrap();
        assert_eq!((output.text.as_slice(), output.is_cut), (&b"y\ny\ny\ny\ny\n"[..], true));
    }
}
