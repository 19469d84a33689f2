//! The holder as a program of its own: it is a tenth of `pilothouse hold`, which does the same where
//! this one is not installed beside it. `pilothouse_host::holder` has its description.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    use pilothouse_host::holder::{HoldOptions, run};
    match HoldOptions::from_args(std::env::args_os().skip(1)) {
        Some(options) => run(options),
        None => ExitCode::from(2),
    }
}

/// Without holders the CLI is a child of the daemon.
#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
