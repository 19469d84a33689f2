//! The daemon under load: `cargo run --release -p bench --bin host`.
//!
//! Everything real: daemons, holders and generators are processes of their own, clients are
//! WebSockets over loopback. [`generator`] plays the CLI, [`check`] sees to it that nothing is lost,
//! each of [`parts`] fills some rows of the one table.

pub mod bed;
pub mod check;
pub mod client;
pub mod gathered;
pub mod generator;
pub mod latency;
pub mod parts;
pub mod process;
pub mod report;
pub mod script;
pub mod speaker;
mod speech;

use std::time::{SystemTime, UNIX_EPOCH};

/// What goes wrong in a measurement is told, and the next one made.
pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Nanoseconds since 1970, by the clock that all processes here share.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
