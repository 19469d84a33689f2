//! The session history against hand-made transcripts.
//!
//! `fixtures/messages` and `fixtures/listing` hold one case for each behaviour: a transcript and
//! what is expected of it. The expectations are those of the official TypeScript SDK 0.3.325,
//! which was run on the same files; a new behaviour is a new pair of files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that cannot do its part has failed the test"
)]

mod bed;
mod changes;
mod checkpoints;
mod forking;
mod hostile;
mod listing;
mod messages;
mod places;
mod subagents;
