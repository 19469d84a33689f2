//! Events for people to read: as lines of text that a terminal can show, narrow ones too.
//!
//! What models and tools say is not trusted: no control character of theirs reaches the terminal.

mod screen;
mod style;
mod table;
mod text;
mod tool;
mod transcript;

pub(crate) use screen::{Screen, set_color};
pub(crate) use style::*;
pub(crate) use table::{Table, ago, short};
pub(crate) use text::{count, harmless, one_line};
pub(crate) use tool::diff;
pub(crate) use transcript::{Transcript, seconds};
