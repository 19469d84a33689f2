//! Runs a program to hear what it says of itself, and waits no longer than it is told to.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

/// More is not read.
const LONGEST: u64 = 16 << 10;

/// What came of it.
#[derive(Debug)]
pub(super) enum Trial {
    /// It said something and ended.
    Said(ExitStatus, String),
    /// It had to be ended.
    Hung,
    /// It could not be run.
    NotRun(io::Error),
}

/// Runs `exe`. Nothing of it is left behind.
pub(super) fn hear<A: AsRef<OsStr>>(
    exe: impl AsRef<OsStr>,
    args: impl IntoIterator<Item = A>,
    patience: Duration,
) -> Trial {
    let mut command = Command::new(exe);
    command
        .args(args)
        // `--version` needs no update, and must not begin one.
        .env("DISABLE_AUTOUPDATER", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0);
    #[expect(clippy::disallowed_methods, reason = "asks for a version; no session is run")]
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Trial::NotRun(error),
    };
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (told, said) = sync_channel(1);
    let listener = std::thread::spawn(move || {
        let _nobody_waits_any_more = told.send(listen(child));
    });
    let heard = said.recv_timeout(patience);
    // What it left behind, and itself where it hangs: its pipe must close for the thread to end.
    if let Some(group) = group {
        let _may_be_gone = kill_process_group(group, Signal::KILL);
    }
    let _cannot_panic = listener.join();
    match heard {
        Ok(Ok((status, text))) => Trial::Said(status, text),
        Ok(Err(error)) => Trial::NotRun(error),
        Err(_) => Trial::Hung,
    }
}

fn listen(mut child: Child) -> io::Result<(ExitStatus, String)> {
    let mut bytes = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(LONGEST).read_to_end(&mut bytes)?;
    }
    let status = child.wait()?;
    Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
}
