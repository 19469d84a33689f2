//! The client against the real CLI, at three versions.
//!
//! The model is scripted and everything runs in a throw-away home, so that nothing but the code under
//! test is in doubt. Every scenario runs on every version, as a test of its own; where versions
//! differ, [`expected`] says how.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what went wrong by panicking"
)]

#[macro_use]
mod bed;
mod expected;
mod lasting;
mod session;

mod control;
mod endings;
mod failures;
mod hooks;
mod interrupting;
mod mcp;
mod permissions;
mod plans;
mod rewinding;
mod rules;
mod sessions;
mod starting;
mod talking;
mod tasks;
