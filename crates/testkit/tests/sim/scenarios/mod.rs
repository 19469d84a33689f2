//! The scenarios that both programs play.

pub(crate) mod control;
pub(crate) mod conversation;
pub(crate) mod endings;
pub(crate) mod hooks;
pub(crate) mod old;
pub(crate) mod permissions;
pub(crate) mod sessions;
pub(crate) mod tasks;
pub(crate) mod tools;
