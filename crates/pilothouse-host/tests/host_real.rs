//! The host with Claude Code itself, in a throw-away home and with a scripted model on loopback.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![allow(dead_code, reason = "the bed is shared")]
#![cfg(unix)]

#[path = "host_real/asking.rs"]
mod asking;
#[path = "host/bed.rs"]
mod bed;
#[path = "host_real/deaths.rs"]
mod deaths;
#[path = "host_real/given.rs"]
mod given;
#[path = "host_real/plan_policy.rs"]
mod plan_policy;
#[path = "host_real/planning.rs"]
mod planning;
#[path = "host_real/policies.rs"]
mod policies;
#[path = "host_real/stage.rs"]
mod stage;
#[path = "host_real/talking.rs"]
mod talking;
#[path = "host_real/trusting.rs"]
mod trusting;
