//! Built-in tools: what the model passes to them and what they return.
//!
//! Messages carry both as raw JSON, since tools come and go with every release. [`ToolInput::of`]
//! and [`ToolOutput::of`] look at them by the tool's name, under which the tool may also go in old
//! transcripts. Neither can fail: what does not fit comes back as it was.
//!
//! ```
//! use pilothouse_wire::Raw;
//! use pilothouse_wire::tool::ToolInput;
//!
//! let input = Raw::from_text(r#"{"command":"ls","timeout":500}"#.to_owned()).unwrap();
//! let ToolInput::Bash(bash) = ToolInput::of("Bash", &input) else { panic!() };
//! assert_eq!(bash.command, "ls");
//! ```

pub mod agent;
pub mod file;
mod input;
pub mod legacy;
pub mod mcp;
mod name;
mod output;
pub mod schedule;
pub mod search;
pub mod service;
pub mod shell;
#[cfg(test)]
pub(crate) mod tests;
pub mod todo;
pub mod user;

pub use input::ToolInput;
pub use name::{ToolName, canonical, mcp_parts};
pub use output::ToolOutput;
