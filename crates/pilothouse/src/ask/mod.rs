//! What a session asks, in a terminal.
//!
//! - `dialog`: from a request and lines of text to a decision. It knows no terminal.
//! - `rules`: describes what "always" would change.
//! - `console`: lines from the terminal, also where stdin is something else.

mod console;
mod dialog;
mod form;
mod rules;

pub(crate) use console::Console;
pub(crate) use dialog::{Dialog, Step};
pub(crate) use rules::{adds_rules, sentence};
