//! Ends a run when this process dies without ending it: killed, crashed, or dropped.
//!
//! The guard is a shell that waits on a pipe we hold the other end of. A kernel closes pipes of the
//! dead; no signal handler, no thread-bound parent-death signal and no unsafe code is needed, and it
//! reaches processes that left the CLI's group. If there is no shell, runs go unguarded.

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};

/// The guard of one run.
pub(super) struct Guard {
    shell: Option<(Child, ChildStdin)>,
}

impl Guard {
    /// Starts the guard, before the run, so that there is no moment without one.
    pub(super) fn start(run: &str) -> Self {
        let started = start_shell(run);
        if let Err(error) = &started {
            tracing::warn!(%error, "no guard: if this process is killed, the CLI may outlive it");
        }
        Self { shell: started.ok().flatten() }
    }

    /// Tells the guard which group to end.
    pub(super) async fn watch(&mut self, group: Option<u32>) {
        if let Some(group) = group {
            self.tell(&format!("{group}\n")).await;
        }
    }

    /// The run is over; the guard ends too.
    pub(super) async fn dismiss(&mut self) {
        self.tell("done\n").await;
        if let Some((mut child, stdin)) = self.shell.take() {
            drop(stdin);
            let _ = child.wait().await;
        }
    }

    async fn tell(&mut self, line: &str) {
        if let Some((_, stdin)) = &mut self.shell
            && let Err(error) = stdin.write_all(line.as_bytes()).await
        {
            tracing::warn!(%error, "the guard has ended");
        }
    }
}

#[cfg(unix)]
fn start_shell(run: &str) -> std::io::Result<Option<(Child, ChildStdin)>> {
    use std::process::Stdio;
    use tokio::process::Command;

    use crate::mark::{GUARD, MARK};

    let mark = format!("{MARK}={run}");
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD, "pilothouse-guard", &mark]).env_remove(MARK);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // A group of its own: Ctrl-C in a terminal is not for the guard.
    command.process_group(0).current_dir("/");
    let mut child = command.spawn()?;
    let stdin = child.stdin.take();
    Ok(stdin.map(|stdin| (child, stdin)))
}

#[cfg(not(unix))]
fn start_shell(_run: &str) -> std::io::Result<Option<(Child, ChildStdin)>> {
    Ok(None)
}
