//! Many sessions, many clients, nothing lost: what a daemon that hosts Claude Code is made of.
//!
//! - [`host`]: all sessions, what can be asked of them, and who watches. Everything else here is
//!   what it is made of.
//! - [`holder`]: the small process that owns one run's pipes and outlives the daemon.
//! - [`wirelog`]: the file in which a holder keeps every line, in both directions.
//! - [`store`]: events, states and everything else that is kept, in SQLite.

#[cfg(unix)]
pub mod holder;
#[cfg(unix)]
pub mod host;
#[cfg(unix)]
mod hub;
#[cfg(unix)]
mod runner;
pub mod store;
pub mod wirelog;

#[cfg(unix)]
pub use host::{Host, HostError};
