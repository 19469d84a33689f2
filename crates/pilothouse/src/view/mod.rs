//! Events for people to read: as lines of text that a terminal can show, narrow ones too.
//!
//! Text of models, tools and repositories is not trusted: control, bidirectional and invisible
//! characters are named, here and nowhere else. Commands write through this module alone.

mod out;
mod request;
mod screen;
mod style;
mod table;
mod text;
mod tool;
mod transcript;

pub(crate) use out::{Exact, print, print_exact, print_json, prompt, report, warn};
pub(crate) use request::{Line, opening, options, request};
pub(crate) use screen::{Screen, set_color};
pub(crate) use style::*;
pub(crate) use table::{Table, ago, short};
pub(crate) use text::{count, harmless, one_line};
pub(crate) use tool::diff;
pub(crate) use transcript::{Transcript, seconds};
