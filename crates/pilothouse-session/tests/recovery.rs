//! What outlives what: the state its process, the session its runs, the prompts both.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

mod support;

#[path = "recovery/crash.rs"]
mod crash;
#[path = "recovery/exits.rs"]
mod exits;
#[path = "recovery/kept.rs"]
mod kept;
#[path = "recovery/lost.rs"]
mod lost;
#[path = "recovery/size.rs"]
mod size;
#[path = "recovery/transcripts.rs"]
mod transcripts;
