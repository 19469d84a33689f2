//! The API over a real socket, with the simulated CLI in real holders.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![cfg(unix)]

#[path = "rest/afterwards.rs"]
mod afterwards;
#[path = "rest/approvals.rs"]
mod approvals;
#[expect(dead_code, reason = "other tests use more of it")]
#[path = "host/bed.rs"]
mod bed;
#[path = "rest/beginnings.rs"]
mod beginnings;
#[path = "rest/cli.rs"]
mod cli;
#[path = "rest/client.rs"]
mod client;
#[path = "rest/ending.rs"]
mod ending;
#[path = "rest/files.rs"]
mod files;
#[path = "rest/looking.rs"]
mod looking;
#[path = "rest/policies.rs"]
mod policies;
#[path = "rest/profile.rs"]
mod profile;
#[path = "rest/prompts.rs"]
mod prompts;
#[path = "rest/real.rs"]
mod real;
#[path = "rest/refused.rs"]
mod refused;
#[path = "rest/runs.rs"]
mod runs;
#[path = "rest/sessions.rs"]
mod sessions;
#[path = "rest/tree.rs"]
mod tree;
