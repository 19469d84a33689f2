//! Stands in for the CLI in the measurements of the daemon: `bench::host::generator`; with
//! `--speak DIR` it speaks for all that work there: `bench::host::speaker`.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let done = match args.next() {
        Some(word) if word == "--speak" => {
            let dir = args.next().unwrap_or_default();
            bench::host::speaker::run(dir.as_ref())
        }
        _ => bench::host::generator::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
