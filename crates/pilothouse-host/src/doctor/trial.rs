//! Runs a program to hear what it says of itself, and waits no longer than it is told to.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use crate::tree::Tree;

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
        .stderr(Stdio::null());
    let (mut tree, child) = match start(command) {
        Ok(started) => started,
        Err(error) => return Trial::NotRun(error),
    };
    let (told, said) = sync_channel(1);
    let listener = std::thread::spawn(move || {
        let _nobody_waits_any_more = told.send(listen(child));
    });
    let heard = said.recv_timeout(patience);
    // What it left behind, and itself where it hangs: its pipe must close for the thread to end.
    tree.fell();
    let _cannot_panic = listener.join();
    match heard {
        Ok(Ok((status, text))) => Trial::Said(status, text),
        Ok(Err(error)) => Trial::NotRun(error),
        Err(_) => Trial::Hung,
    }
}

#[expect(clippy::disallowed_methods, reason = "asks for a version; no session is run")]
fn start(mut command: Command) -> io::Result<(Tree, Child)> {
    let mut tree = Tree::plant(&mut command)?;
    let child = command.spawn()?;
    tree.grow(&child)?;
    Ok((tree, child))
}

fn listen(mut child: Child) -> io::Result<(ExitStatus, String)> {
    let mut bytes = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(LONGEST).read_to_end(&mut bytes)?;
    }
    let status = child.wait()?;
    Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
}
