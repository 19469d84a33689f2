//! Side-by-side measurements of Pilothouse and its alternatives.
//!
//! Every contender is a program that reads the same bytes and prints one
//! [`Reading`](reading::Reading) as JSON, so that each one's memory is its own
//! and no contender can disturb another. The runner (`main.rs`) only prepares,
//! starts, collects and compares.

pub mod contenders;
pub mod corpus;
pub mod goals;
pub mod handshake;
#[cfg(target_os = "linux")]
pub mod host;
pub mod options;
pub mod ours;
pub mod reading;
pub mod runner;
pub mod setup;
pub mod shapes;
pub mod table;
pub mod text;
