//! The simulated CLI as a program: `testkit::sim` has its description.

use std::process::ExitCode;

fn main() -> ExitCode {
    testkit::sim::main()
}
