//! Puts every CLI version that the tests use into the cache, so that they can run without a
//! network.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports to a person")]

use std::process::ExitCode;

use testkit::cli::CliVersion;

fn main() -> ExitCode {
    for version in CliVersion::ALL {
        if version.is_installed() {
            println!("Claude Code {version}: already there");
            continue;
        }
        println!("Claude Code {version}: downloading through npm ...");
        match version.install() {
            Ok(path) => println!("Claude Code {version}: installed as {}", path.display()),
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
