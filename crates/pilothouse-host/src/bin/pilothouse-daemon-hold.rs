//! The holder of `pilothouse-daemon`: `pilothouse_host::holder` has its description.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    pilothouse_host::holder::main(std::env::args_os().skip(1))
}

/// Without holders the CLI is a child of the daemon.
#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
