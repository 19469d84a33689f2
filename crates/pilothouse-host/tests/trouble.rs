//! What a host does when its surroundings fail it: a locked database, a full disk, files that are
//! gone, a state that cannot be read, approvals that have outlived their run.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![allow(dead_code, reason = "the bed is shared")]
#![cfg(unix)]

#[path = "host/bed.rs"]
mod bed;
#[path = "socket/client.rs"]
mod client;
#[path = "trouble/damage.rs"]
mod damage;
#[path = "trouble/full.rs"]
mod full;
#[path = "trouble/locked.rs"]
mod locked;
#[path = "trouble/plan.rs"]
mod plan;
#[path = "trouble/stale.rs"]
mod stale;
#[path = "trouble/watched.rs"]
mod watched;
