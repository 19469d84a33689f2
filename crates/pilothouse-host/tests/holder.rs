//! Holders as real processes, with shell scripts and the simulated CLI to hold.
//!
//! Nothing here sleeps to be in order: tests wait for a record, for the end of a process, or for a
//! named pipe.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout)]

#[path = "holder/attach.rs"]
mod attach;
#[path = "holder/bed.rs"]
mod bed;
#[path = "holder/bulk.rs"]
mod bulk;
#[path = "holder/deaths.rs"]
mod deaths;
#[path = "holder/disk.rs"]
mod disk;
#[path = "holder/ends.rs"]
mod ends;
#[path = "holder/gather.rs"]
mod gather;
#[path = "holder/sim.rs"]
mod sim;
