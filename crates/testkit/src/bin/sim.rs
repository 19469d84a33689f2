//! The simulated CLI.
fn main() {}
