//! `pilothouse`: the binary.
//!
//! - `args`: the command line and its help.
//! - `reach`: the daemon's API, of a daemon that runs or of one in this process.
//! - `view`: events for people to read.
//! - `ask`: what a session asks, in a terminal.
//! - `commands`: a file for each command.
//! - `demo`: the simulated Claude's part, and the tour.
//! - `exit`: what the process ends with.

#[cfg(unix)]
mod args;
#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod commands;
#[cfg(unix)]
mod demo;
#[cfg(unix)]
mod exit;
#[cfg(unix)]
mod reach;
#[cfg(unix)]
mod view;

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    // Before anything else is set up: there is one for each run, and each should stay small.
    if args.next_if(|arg| arg == "hold").is_some() {
        return pilothouse_host::holder::main(args);
    }
    // The demo's Claude, with the arguments of the real one.
    if args.next_if(|arg| arg == "sim").is_some() {
        return demo::play(args.map(|arg| arg.to_string_lossy().into_owned()));
    }
    commands::main()
}

/// Without holders there is no daemon yet.
#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
