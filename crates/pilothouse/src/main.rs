//! `pilothouse`: the binary.
//!
//! - `args`: the command line and its help.
//! - `reach`: the daemon's API, of a daemon that runs or of one in this process.
//! - `view`: events for people to read.
//! - `ask`: what a session asks, in a terminal.
//! - `commands`: a file for each command.
//! - `demo`: the simulated Claude's part, and the tour.
//! - `exit`: what the process ends with.
//! - `system`: what differs from system to system.

mod args;
mod ask;
mod commands;
#[cfg(unix)]
mod demo;
mod exit;
mod reach;
mod system;
mod view;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(unix)]
    if let Some(code) = another_part() {
        return code;
    }
    commands::main()
}

/// What this program is for itself. Before anything else is set up: there is a holder for each run,
/// and each should stay small.
#[cfg(unix)]
fn another_part() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    match args.next()?.to_str()? {
        "hold" => Some(pilothouse_host::holder::main(args)),
        // The demo's Claude, with the arguments of the real one.
        "sim" => Some(demo::play(args.map(|arg| arg.to_string_lossy().into_owned()))),
        _ => None,
    }
}
