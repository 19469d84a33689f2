//! Conversations that the CLI has kept: listed, searched, and taken in as sessions of ours.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test says what went wrong by panicking, and needs `mkfifo`"
)]

#[path = "past/bed.rs"]
mod bed;
#[path = "past/damage.rs"]
mod damage;
#[path = "past/import.rs"]
mod import;
#[path = "past/list.rs"]
mod list;
#[path = "past/real.rs"]
mod real;
#[path = "past/search.rs"]
mod search;
