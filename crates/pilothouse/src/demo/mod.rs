//! The demo: a simulated Claude with something to say, and a tour of what can be done with it.
//!
//! - `author`: what the simulated Claude answers, to whatever it is told.
//! - `sketch`: scripts, written in Rust.
//! - `place`: a throw-away directory with a project, and a `claude` that is this program.
//! - `tour`: the sessions that are there from the start.

mod author;
mod place;
mod sketch;
mod tour;

use std::process::ExitCode;

pub(crate) use place::Place;
pub(crate) use tour::begin;

/// The simulated Claude, with the arguments of a CLI.
pub(crate) fn play(args: impl Iterator<Item = String>) -> ExitCode {
    pilothouse_sim::sim::play(args, Some(author::write))
}
