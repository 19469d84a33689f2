//! Attacks on the daemon, one table per kind of attack. Each row names an attack; each must be
//! refused, and must have no effect.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test reports what went wrong by panicking"
)]
#![allow(dead_code, reason = "the beds are shared with other tests")]
#![cfg(unix)]

#[path = "attacks/authentication.rs"]
mod authentication;
#[path = "host/bed.rs"]
mod bed;
#[path = "attacks/bypass.rs"]
mod bypass;
#[path = "attacks/bypass_real.rs"]
mod bypass_real;
#[path = "socket/client.rs"]
mod client;
#[path = "attacks/flags.rs"]
mod flags;
#[path = "attacks/foreign.rs"]
mod foreign;
#[path = "guard/page.rs"]
mod page;
#[path = "security/place.rs"]
mod place;
#[path = "attacks/raw.rs"]
mod raw;
#[path = "attacks/rebinding.rs"]
mod rebinding;
#[path = "rest/client.rs"]
mod served;
#[path = "attacks/slowloris.rs"]
mod slowloris;
#[path = "attacks/smuggling.rs"]
mod smuggling;
#[path = "host_real/stage.rs"]
mod stage;
#[path = "attacks/swapped_links.rs"]
mod swapped_links;
