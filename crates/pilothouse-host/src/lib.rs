//! Many sessions, many clients, nothing lost: what a daemon that hosts Claude Code is made of.
//!
//! - [`host`]: all sessions, what can be asked of them, and who watches. Everything else here is
//!   what it is made of.
//! - [`daemon`]: the host behind its API.
//! - [`http`]: its face to the network.
//! - [`holder`]: the small process that owns one run's pipes and outlives the daemon.
//! - [`wirelog`]: the file in which a holder keeps every line, in both directions.
//! - [`store`]: events, states and everything else that is kept, in SQLite.
//! - [`files`]: what a client may see of a session's directories.
//! - [`past`]: conversations that the CLI has kept.
//! - [`export`]: a session as a document.
//! - [`config`]: one file, the environment, flags.
//! - [`telemetry`]: metrics, traces, logs and debug files.
//! - [`doctor`]: what sessions need, and what to do where it is missing.

#[cfg(unix)]
pub mod config;
#[cfg(unix)]
pub mod daemon;
#[cfg(unix)]
pub mod doctor;
pub mod export;
#[cfg(unix)]
pub mod files;
#[cfg(unix)]
pub mod holder;
#[cfg(unix)]
pub mod host;
#[cfg(unix)]
pub mod http;
#[cfg(unix)]
mod hub;
#[cfg(unix)]
pub mod past;
#[cfg(unix)]
mod runner;
pub mod store;
pub mod telemetry;
pub mod wirelog;

#[cfg(unix)]
pub use host::{Host, HostError};
