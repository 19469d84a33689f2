//! The binary from outside: what it prints, what it ends with, and what it does to sessions.

#![allow(clippy::unwrap_used, clippy::panic, reason = "it is a test")]
#![allow(clippy::disallowed_methods, reason = "what is started here is the binary under test")]

#[path = "cli/bed.rs"]
mod bed;
#[path = "cli/daemon.rs"]
mod daemon;
#[path = "cli/demo.rs"]
mod demo;
#[path = "cli/doctor.rs"]
mod doctor;
#[path = "cli/exits.rs"]
mod exits;
#[path = "cli/follow.rs"]
mod follow;
#[path = "cli/gate.rs"]
mod gate;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/hostile.rs"]
mod hostile;
#[path = "cli/look.rs"]
mod look;
#[path = "cli/names.rs"]
mod names;
#[path = "cli/output.rs"]
mod output;
#[path = "cli/real.rs"]
mod real;
#[path = "cli/sessions.rs"]
mod sessions;
#[path = "cli/silence.rs"]
mod silence;
#[path = "cli/steer.rs"]
mod steer;
#[path = "cli/stranger.rs"]
mod stranger;
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/trust.rs"]
mod trust;
