//! Telemetry, fed with recorded conversations of real CLIs.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

#[path = "telemetry/collector.rs"]
mod collector;
#[path = "telemetry/debug.rs"]
mod debug;
#[path = "telemetry/log.rs"]
mod log;
#[path = "telemetry/numbers.rs"]
mod numbers;
#[path = "telemetry/play.rs"]
mod play;
#[path = "telemetry/prometheus.rs"]
mod prometheus;
#[path = "telemetry/slow.rs"]
mod slow;
#[path = "telemetry/spans.rs"]
mod spans;
