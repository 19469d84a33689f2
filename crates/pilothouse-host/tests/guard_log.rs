//! What the guard logs. A test program of its own: what is logged is decided once per program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

#[path = "guard/bed.rs"]
#[allow(dead_code, reason = "made for more tests than these")]
mod bed;
#[path = "guard/log.rs"]
mod log;
#[path = "guard/page.rs"]
#[allow(dead_code, reason = "made for more tests than these")]
mod page;
