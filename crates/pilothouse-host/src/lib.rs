//! Many sessions, many clients, nothing lost: what a daemon that hosts Claude Code is made of.
//!
//! - [`host`]: all sessions, what can be asked of them, and who watches. Everything else here is
//!   what it is made of.
//! - [`daemon`]: the host behind its API.
//! - [`http`]: its face to the network.
//! - [`holder`]: the small process that owns one run's pipes and outlives the daemon.
//! - `inside`: what is done instead of it for runs that are to end with the daemon.
//! - [`wirelog`]: the file in which a holder keeps every line, in both directions.
//! - [`store`]: events, states and everything else that is kept, in SQLite.
//! - [`files`]: what a client may see of a session's directories.
//! - [`past`]: conversations that the CLI has kept.
//! - [`trust`]: whether the Claude Code configuration of a repository is used.
//! - [`export`]: a session as a document.
//! - [`config`]: one file, the environment, flags.
//! - `secrets`: keeps secrets out of everything that is stored, shown and logged.
//! - [`telemetry`]: metrics, traces, logs and debug files.
//! - [`private`]: files that are their owner's alone.
//! - [`data_dir`]: checks that nobody else can write the data directory.
//! - [`doctor`]: what sessions need, and what to do where it is missing.

pub mod config;
pub mod daemon;
pub mod data_dir;
pub mod doctor;
pub mod export;
pub mod files;
pub mod holder;
pub mod host;
pub mod http;
mod hub;
mod inside;
mod open_files;
pub mod past;
pub mod private;
mod runner;
mod secrets;
pub mod store;
pub mod telemetry;
mod tree;
pub mod trust;
pub mod visible;
pub mod wirelog;

pub use host::{Host, HostError};
