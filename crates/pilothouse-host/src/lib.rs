//! Many sessions, many clients, nothing lost: what a daemon that hosts Claude Code is made of.
//!
//! - [`holder`]: the small process that owns one run's pipes and outlives the daemon.
//! - [`wirelog`]: the file in which a holder keeps every line, in both directions.
//! - [`store`]: events, states and everything else that is kept, in SQLite.

#[cfg(unix)]
pub mod holder;
pub mod store;
pub mod wirelog;
