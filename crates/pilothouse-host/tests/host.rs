//! The host through its public face, with the simulated CLI in real holders.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![cfg(unix)]

#[path = "host/bed.rs"]
mod bed;
#[path = "host/deaths.rs"]
mod deaths;
#[path = "host/inside.rs"]
mod inside;
#[path = "host/keeping.rs"]
mod keeping;
#[path = "host/life.rs"]
mod life;
#[path = "host/modes.rs"]
mod modes;
#[path = "host/restored.rs"]
mod restored;
#[path = "host/rules.rs"]
mod rules;
