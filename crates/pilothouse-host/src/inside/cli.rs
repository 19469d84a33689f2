//! The CLI as a child of the daemon.

use std::io;
use std::process::ExitStatus;

use pilothouse_client::mark::end_marked;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

#[cfg(unix)]
use crate::holder::Guard;
use crate::holder::HoldSpec;
use crate::host::blocking;
use crate::tree::{End, Tree};
use crate::wirelog::Exit;

/// A started CLI.
pub(super) struct Cli {
    child: Child,
    pid: u32,
    end: End,
    run: String,
    tree: Tree,
    guard: io::Result<Guard>,
}

/// The pipes of a CLI.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Cli {
    /// Starts it. When it goes, the CLI and all that it has started go.
    pub(super) fn start(spec: &HoldSpec) -> io::Result<(Self, Pipes)> {
        let mut command = spec.command();
        let mut tree = Tree::plant(&mut command)?;
        let end = End::foresee()?;
        let guard = Guard::start(&spec.run);
        let mut child = Command::from(command).kill_on_drop(true).spawn()?;
        tree.grow_async(&child)?;
        let pid = child.id().ok_or(io::ErrorKind::NotFound)?;
        let guard = guard.and_then(|mut guard| guard.watch(pid).map(|()| guard));
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let run = spec.run.clone();
        Ok((Self { child, pid, end, run, tree, guard }, Pipes { stdin, stdout, stderr }))
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Why it may outlive a daemon that is killed, if it may.
    pub(super) fn unguarded(&self) -> Option<&io::Error> {
        self.guard.as_ref().err()
    }

    /// Waits for its end. The waiting may be given up and begun again.
    pub(super) async fn wait(&mut self) {
        self.end.of(&mut self.child).await;
    }

    /// How it ended; then everything it has left behind has ended, too.
    pub(super) async fn collect(&mut self) -> Exit {
        // Those of its group first, while it is dead but still has its number.
        self.tree.fell();
        let status = self.child.wait().await;
        let run = self.run.clone();
        blocking(move || end_marked(&run)).await;
        match status {
            Ok(status) => Exit { code: status.code(), signal: signal_of(status) },
            Err(_) => Exit { code: None, signal: None },
        }
    }

    /// Asks it to end, where there is a way to ask.
    pub(super) fn ask_to_end(&self) {
        self.tree.shake();
    }

    /// Ends it.
    pub(super) fn kill(&mut self) {
        self.tree.fell();
        let _ = self.child.start_kill();
    }

    /// The run is over.
    pub(super) async fn let_go(self) {
        if let Ok(guard) = self.guard {
            blocking(move || guard.dismiss()).await;
        }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// The tree ends with this process by itself.
#[cfg(not(unix))]
struct Guard;

#[cfg(not(unix))]
impl Guard {
    fn start(_run: &str) -> io::Result<Self> {
        Ok(Self)
    }

    fn watch(&mut self, _group: u32) -> io::Result<()> {
        Ok(())
    }

    fn dismiss(self) {}
}
