//! Drive the Claude Code CLI from Rust.
//!
//! [`query`] asks one thing. [`Client`] holds a conversation: prompts, permission requests, hooks,
//! MCP servers in this process, interrupts, changes of mode and model. [`history`] reads and changes
//! the sessions on disk. The protocol's own types are in [`wire`].
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use pilothouse_client::wire::Inbound;
//! use pilothouse_client::wire::invocation::Invocation;
//! use pilothouse_client::{Client, Options};
//!
//! let options = Options::new(Invocation::new().cwd("/srv/app"))
//!     .on_permission(|ask| async move { ask.allow() });
//! let (client, mut messages) = Client::start(options).await?;
//! client.prompt("Fix the failing test.").await?;
//! while let Some(frame) = messages.next().await {
//!     match frame.message {
//!         Inbound::Assistant(assistant) => println!("{:?}", assistant.message.content),
//!         Inbound::Result(result) => {
//!             println!("{}", result.text());
//!             break;
//!         }
//!         _ => {}
//!     }
//! }
//! client.stop().await;
//! # Ok(()) }
//! ```
//!
//! # What it promises
//!
//! * No CLI release can break it: what this version does not know comes through as `Unknown`, whole.
//! * Handlers run side by side and never hold up the reader; the CLI's withdrawals are honoured.
//! * Nothing is left behind when the CLI is stopped, when the client is dropped, or (on Linux) when
//!   this process is killed.
//!
//! Everything but [`history`] must run within a tokio runtime with time and I/O enabled.

mod answering;
mod client;
mod connection;
mod control;
mod error;
// For the host; no part of driving the CLI.
#[doc(hidden)]
pub mod git;
mod handler;
pub mod history;
mod locate;
pub mod mark;
pub mod mcp;
mod messages;
mod options;
mod process;
mod prompt;
mod query;
mod questions;
mod queue;
mod servers;
mod writer;

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;

pub use client::Client;
pub use control::{Detail, Queued, Rewind};
pub use error::{Limit, RequestError, StartError, TurnError};
pub use handler::{Hook, HookCall, TokenRequest};
pub use locate::Cli;
pub use messages::{Messages, Turn};
pub use options::Options;
pub use pilothouse_wire as wire;
pub use process::{Exit, StopLadder, redact};
pub use prompt::{Prompt, PromptError};
pub use query::{Query, query};
pub use questions::{NoSuchQuestion, Questions};
