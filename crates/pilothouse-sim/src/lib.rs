//! A simulated Claude Code CLI.
//!
//! * [`script`]: the small language in which is said what the model answers.
//! * [`answer`]: a scripted reply turned into what the Messages API sends for it. Pure, like
//!   `script`.
//! * [`sim`]: the CLI, which plays scripts without a model, and misbehaves on demand.
//!
//! It knows none of Pilothouse's other crates: what it says of the protocol is independent of what
//! they believe of it. Tests hold it to the real CLI.

pub mod answer;
pub mod script;
pub mod sim;
