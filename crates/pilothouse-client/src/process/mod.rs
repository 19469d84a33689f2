//! One CLI process: started in a group of its own, stopped by a ladder, never left behind.
//!
//! The CLI starts shells, and those start what they like, often in groups of their own. So every
//! process of a run carries a mark in its environment ([`MARK`]); whatever still carries it when the
//! CLI has ended is ended too. A guard process does the same if this process dies first.

mod guard;
mod leftovers;
mod stderr;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};

use guard::Guard;
pub(crate) use stderr::StderrTail;
pub use stderr::redact;

use crate::error::StartError;
use crate::mark::MARK;

/// How much the kernel is asked to hold between the CLI and us.
const PIPE_SIZE: usize = 1024 * 1024;

/// What to start.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) exe: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: Option<PathBuf>,
    /// Start from an empty environment.
    pub(crate) clear_env: bool,
    pub(crate) set_env: Vec<(OsString, OsString)>,
    pub(crate) remove_env: Vec<OsString>,
}

/// How long each rung of the stop ladder is given.
#[derive(Clone, Copy, Debug)]
pub struct StopLadder {
    /// From the end of stdin to SIGTERM. The CLI writes its transcript in this time.
    pub after_eof: Duration,
    /// From SIGTERM to SIGKILL.
    pub after_term: Duration,
}

impl Default for StopLadder {
    fn default() -> Self {
        Self { after_eof: Duration::from_secs(5), after_term: Duration::from_secs(5) }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last of what it wrote to stderr, without secrets.
    pub stderr: String,
}

impl Exit {
    /// Whether it ended with code 0.
    pub fn success(&self) -> bool {
        self.code == Some(0)
    }
}

impl std::fmt::Display for Exit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}")?,
            (None, Some(signal)) => write!(f, "signal {signal}")?,
            (None, None) => f.write_str("an unknown status")?,
        }
        match self.stderr.trim() {
            "" => Ok(()),
            text => write!(f, "; it said: {text}"),
        }
    }
}

/// A started CLI.
pub(crate) struct Process {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) control: ProcessControl,
}

/// Stops a CLI. When it goes, the CLI goes.
#[derive(Debug)]
pub(crate) struct ProcessControl {
    pub(crate) pid: Option<u32>,
    pub(crate) exit: ExitWatch,
    stop: mpsc::Sender<()>,
}

/// Tells how a CLI ended.
#[derive(Clone, Debug)]
pub(crate) struct ExitWatch {
    pub(crate) stderr: StderrTail,
    exit: watch::Receiver<Option<Exit>>,
}

impl Process {
    /// Starts the CLI. Must be called within a tokio runtime.
    pub(crate) fn start(
        launch: &Launch,
        run: &str,
        ladder: StopLadder,
    ) -> Result<Self, StartError> {
        let guard = Guard::start(run);
        let mut command = Command::new(&launch.exe);
        if launch.clear_env {
            command.env_clear();
        }
        for name in &launch.remove_env {
            command.env_remove(name);
        }
        command.envs(launch.set_env.iter().map(|(name, value)| (name, value))).env(MARK, run);
        if let Some(cwd) = &launch.cwd {
            command.current_dir(cwd);
        }
        command.args(&launch.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(windows)]
        command.creation_flags(0x0800_0000); // no console window
        let mut child = command.spawn().map_err(|error| StartError::from_spawn(launch, error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(StartError::NoPipes);
        };
        widen(&stdout);
        let stderr = StderrTail::drain(stderr);
        let pid = child.id();
        let (stop, stops) = mpsc::channel(1);
        let (exit_sender, exit) = watch::channel(None);
        let (run, last_words) = (run.to_owned(), stderr.clone());
        let supervisor = Supervisor { child, guard, run, ladder, stderr: last_words };
        tokio::spawn(supervisor.run(stops, exit_sender));
        let control = ProcessControl { pid, exit: ExitWatch { stderr, exit }, stop };
        Ok(Self { stdin, stdout, control })
    }
}

/// A larger pipe means fewer, larger reads: 1.4 times the throughput in `bench/`.
fn widen(stdout: &ChildStdout) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::pipe::fcntl_setpipe_size(stdout, PIPE_SIZE) {
        tracing::debug!(%error, "the pipe keeps its size");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stdout, PIPE_SIZE);
}

impl ExitWatch {
    /// Waits until the CLI has ended.
    pub(crate) async fn wait(&self) -> Exit {
        let mut exit = self.exit.clone();
        let ended = exit.wait_for(Option::is_some).await;
        let known = ended.ok().and_then(|exit| exit.clone());
        // The supervisor only goes away without a word when the runtime shuts down.
        known.unwrap_or_else(|| Exit { code: None, signal: None, stderr: self.stderr.text() })
    }

    /// Waits until the CLI has ended and `moment` has passed since, or since this was called.
    pub(crate) async fn ended_for(&mut self, moment: Duration) {
        let ended = self.exit.wait_for(Option::is_some).await;
        // The lock that this holds is not for keeping.
        drop(ended);
        tokio::time::sleep(moment).await;
    }

    /// How the CLI ended, if it has.
    pub(crate) fn get(&self) -> Option<Exit> {
        self.exit.borrow().clone()
    }
}

impl ProcessControl {
    /// Starts down the ladder. Stdin should have been closed; a CLI that does not read it ends all
    /// the same.
    pub(crate) async fn stop(&self) {
        // The channel is closed when the CLI has already ended: nothing to stop.
        let _ = self.stop.send(()).await;
    }
}

/// Owns the child until it has ended, and everything it started.
struct Supervisor {
    child: Child,
    guard: Guard,
    run: String,
    ladder: StopLadder,
    stderr: StderrTail,
}

impl Supervisor {
    async fn run(mut self, mut stops: mpsc::Receiver<()>, exit: watch::Sender<Option<Exit>>) {
        self.guard.watch(self.child.id()).await;
        let pid = self.child.id();
        let status = tokio::select! {
            status = self.child.wait() => status,
            // Told to stop, or every handle is gone. The guard stays: if this process, or only its
            // runtime, ends on the way down, the rest of the ladder is the guard's to walk.
            _ = stops.recv() => self.descend().await,
        };
        leftovers::end(&self.run, pid).await;
        self.stderr.finished().await;
        let (code, signal) = match &status {
            Ok(status) => (status.code(), signal_of(status)),
            Err(error) => {
                tracing::warn!(%error, "could not wait for the CLI");
                (None, None)
            }
        };
        self.guard.dismiss().await;
        exit.send_replace(Some(Exit { code, signal, stderr: self.stderr.text() }));
    }

    async fn descend(&mut self) -> std::io::Result<std::process::ExitStatus> {
        let (pid, ladder) = (self.child.id(), self.ladder);
        if let Ok(status) = tokio::time::timeout(ladder.after_eof, self.child.wait()).await {
            return status;
        }
        signal_group(pid, Signal::Term);
        if let Ok(status) = tokio::time::timeout(ladder.after_term, self.child.wait()).await {
            return status;
        }
        signal_group(pid, Signal::Kill);
        self.child.start_kill()?;
        self.child.wait().await
    }
}

#[derive(Clone, Copy)]
enum Signal {
    Term,
    Kill,
}

/// Signals every process of the CLI's group that is still there.
#[cfg(unix)]
fn signal_group(pid: Option<u32>, signal: Signal) {
    let group =
        pid.and_then(|pid| i32::try_from(pid).ok()).and_then(rustix::process::Pid::from_raw);
    let Some(group) = group else { return };
    let signal = match signal {
        Signal::Term => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
    };
    // No such group: everyone in it has ended.
    let _ = rustix::process::kill_process_group(group, signal);
}

#[cfg(not(unix))]
fn signal_group(_pid: Option<u32>, _signal: Signal) {}

#[cfg(unix)]
fn signal_of(status: &std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(status)
}

#[cfg(not(unix))]
fn signal_of(_status: &std::process::ExitStatus) -> Option<i32> {
    None
}
