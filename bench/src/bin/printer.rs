//! Stands in for the CLI: answers the handshake, then prints the corpus as fast
//! as the pipe takes it.
//!
//! Every contender insists on starting an executable and on speaking to it
//! first. What it must see differs, so the printer accepts all of it: an
//! `initialize` request is answered, the first prompt starts the corpus, and so
//! does the end of stdin (a prompt given as an argument comes with no stdin).
//! Arguments are ignored but for `--version`. Knows nothing of what it prints.

use std::fs::File;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use serde_json::Value;

/// Names the file to print.
const CORPUS: &str = "BENCH_CORPUS";
/// Bytes asked for at once; the kernel takes what the pipe has room for.
#[cfg(target_os = "linux")]
const STEP: usize = 16 << 20;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done when stderr is gone as well.
            let _ = writeln!(io::stderr(), "printer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    if std::env::args().any(|argument| argument == "--version" || argument == "-v") {
        return writeln!(stdout, "2.1.325 (Claude Code)");
    }
    let path = std::env::var_os(CORPUS).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("set {CORPUS} to the file to print"))
    })?;
    let corpus = File::open(path)?;
    shake_hands(&mut stdout)?;
    pour(&corpus, &mut stdout)
}

/// In the kernel from the page cache to the pipe or socket: the printer costs next
/// to nothing, and it is the reader that is measured.
#[cfg(target_os = "linux")]
fn pour(corpus: &File, stdout: &mut io::StdoutLock<'_>) -> io::Result<()> {
    // What the kernel writes must not overtake what the buffer holds.
    stdout.flush()?;
    let pipe = std::os::fd::AsFd::as_fd(&*stdout);
    while rustix::fs::sendfile(pipe, corpus, None, STEP)? > 0 {}
    Ok(())
}

/// Through user space, where there is no better way.
#[cfg(not(target_os = "linux"))]
fn pour(mut corpus: &File, stdout: &mut io::StdoutLock<'_>) -> io::Result<()> {
    io::copy(&mut corpus, stdout)?;
    stdout.flush()
}

/// Answers control requests until a prompt or the end of stdin.
fn shake_hands(stdout: &mut impl Write) -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line?) else {
            continue;
        };
        match message.get("type").and_then(Value::as_str) {
            Some("user") => break,
            Some("control_request") => {
                let reply = bench::handshake::reply(&message);
                writeln!(stdout, "{reply}")?;
                stdout.flush()?;
            }
            _ => {}
        }
    }
    Ok(())
}
