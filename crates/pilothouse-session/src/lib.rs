//! One Claude Code session as a machine without I/O.
//!
//! [`Session::handle`] takes what happened ([`Input`]: a line of the CLI, a command of a client, a
//! run that began or ended) and gives what is to be done ([`Effect`]: store an event, show a delta,
//! write a line, start a process). It knows no clock, no file, no socket and no task; whoever runs
//! it passes the time in and carries the effects out, in their order.
//!
//! The machine is a fold: the same inputs give the same effects. Its state can be written down and
//! read back ([`Session`] is `Serialize` and `Deserialize`), which is how a session survives the
//! process that runs it: see [`recovery`](session) there.
//!
//! - [`event`]: the facts about a session, and the pieces of items that are still growing.
//! - [`tool`]: what a tool call does, whatever the tool is called.
//! - [`approval`]: what the CLI asks, and what may be answered.
//! - [`policy`]: rules that answer approvals.
//! - [`command`]: what a client can ask for.

pub mod approval;
pub mod command;
pub mod effect;
pub mod event;
pub mod id;
pub mod input;
pub mod policy;
pub mod replay;
pub mod session;
pub mod tool;

pub use command::{Command, Refusal};
pub use effect::Effect;
pub use event::{Body, Delta, Event};
pub use input::Input;
pub use session::Session;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
