//! The guard through real sockets: requests that a client library would not write, and what comes
//! back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]

#[path = "guard/bed.rs"]
mod bed;
#[path = "guard/body.rs"]
mod body;
#[path = "guard/challenge.rs"]
mod challenge;
#[path = "guard/foreign.rs"]
mod foreign;
#[path = "guard/hostile.rs"]
mod hostile;
#[path = "guard/login.rs"]
mod login;
#[path = "guard/misshapen.rs"]
mod misshapen;
#[path = "guard/page.rs"]
mod page;
#[path = "guard/pages.rs"]
mod pages;
#[path = "guard/serve.rs"]
mod serve;
#[path = "guard/slow.rs"]
mod slow;
#[cfg(unix)]
#[path = "guard/token.rs"]
mod token;
