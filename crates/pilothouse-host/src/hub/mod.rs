//! Fan-out: what a session shows, to everyone who watches it.
//!
//! A session keeps a short [`Tail`] of what it showed last, and every watcher has a [`Cursor`] in it.
//! Publishing never waits: a watcher that falls behind the tail is told so (`Lagged`) and reads
//! from the store what it has missed.

mod tail;

pub(crate) use tail::{Cursor, Shown, Tail, What};
