//! The whole daemon against those who mean it ill, or know no better.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![allow(dead_code, reason = "the bed is shared")]
#![cfg(unix)]

#[path = "host/bed.rs"]
mod bed;
#[path = "security/browsers.rs"]
mod browsers;
#[path = "socket/client.rs"]
mod client;
#[path = "telemetry/collector.rs"]
mod collector;
#[path = "security/configured.rs"]
mod configured;
#[path = "security/content.rs"]
mod content;
#[path = "security/doors.rs"]
mod doors;
#[path = "security/ends.rs"]
mod ends;
#[path = "security/floods.rs"]
mod floods;
#[path = "guard/page.rs"]
mod page;
#[path = "security/place.rs"]
mod place;
#[path = "security/redacted.rs"]
mod redacted;
#[path = "security/secrets.rs"]
mod secrets;
#[path = "security/sizes.rs"]
mod sizes;
#[path = "security/streams.rs"]
mod streams;
#[path = "security/who.rs"]
mod who;
