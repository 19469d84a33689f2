//! Who may do what. Pure: rules, modes and paths in, a verdict out. Settings files are in
//! [`settings`].

mod command;
mod decide;
mod rule;
pub(super) mod settings;
mod store;

pub(super) use decide::{Ask, Verdict, Wish, decide, path_of};
pub(super) use store::{Changed, Mode, Source, Store};
