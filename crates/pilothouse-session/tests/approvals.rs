//! What the CLI asks, what clients answer and ask for, and what comes of it.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

mod support;

#[path = "approvals/hooks.rs"]
mod hooks;
#[path = "approvals/modes.rs"]
mod modes;
#[path = "approvals/plan.rs"]
mod plan;
#[path = "approvals/policy.rs"]
mod policy;
#[path = "approvals/prompts.rs"]
mod prompts;
#[path = "approvals/questions.rs"]
mod questions;
#[path = "approvals/tools.rs"]
mod tools;
