//! The small process that owns one run's pipes and outlives the daemon.
//!
//! A holder starts the CLI, writes every line of it to the run's [wire log](crate::wirelog) before
//! anything else happens to that line, and streams the log to the daemon that is attached. The log
//! *is* the channel: a daemon that comes back says how far it has read and gets the rest. Holders
//! know nothing of what the lines mean.
//!
//! - [`start()`] starts one, [`find()`] finds those that are there, [`Link`] talks to one.
//! - [`main()`] is the holder itself, [`protocol`] what is said over its socket.
//!
//! The directory of a run, which is its owner's alone:
//!
//! | file | |
//! |---|---|
//! | `wire.log` | the [wire log](crate::wirelog) |
//! | `sock` | where the holder listens, while it lives |
//! | `pid` | the pids of the holder and of the CLI; locked while the holder lives |
//! | `boot` | which start of the machine it began in |
//!
//! | what dies | what happens |
//! |---|---|
//! | the daemon | nothing |
//! | the CLI | what it left behind is ended; the log gets its last record |
//! | the holder | the CLI sees the end of its stdin; a guard ends what is left of the run |

mod boot;
#[cfg(unix)]
mod cli;
mod dir;
mod error;
#[cfg(unix)]
mod feed;
mod find;
#[cfg(unix)]
mod gather;
#[cfg(unix)]
mod guard;
#[cfg(unix)]
mod hold;
mod ladder;
#[cfg(unix)]
mod link;
mod program;
#[cfg_attr(not(unix), expect(dead_code, reason = "nobody listens there"))]
pub mod protocol;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod source;
mod spec;
#[cfg(unix)]
mod start;
#[cfg(unix)]
mod visitor;

pub use boot::is_of_this_boot;
pub use error::StartError;
pub use find::{FoundRun, RunState, find, look};
#[cfg(unix)]
pub use link::{Link, LinkError, connect, end, stop};
pub use program::HolderProgram;
#[cfg(unix)]
pub use run::{HoldOptions, Stage, main, run};
pub use spec::{HoldSpec, Text, Times};
#[cfg(unix)]
pub use start::{Started, start};

pub(crate) use dir::RunDir;
#[cfg(unix)]
pub(crate) use guard::Guard;
pub(crate) use ladder::{Ladder, Rung};

/// The socket's name in the directory of a run.
pub const SOCKET: &str = "sock";

/// The pid file's name in the directory of a run.
pub const PID_FILE: &str = "pid";
