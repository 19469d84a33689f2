//! How the CLI is started: typed options in, a command line and environment changes out.
//!
//! [`Invocation`] holds what can be said when a run starts. [`Invocation::argv`] turns it into
//! arguments, [`Invocation::env`] into environment changes, [`Program`] says what to execute. What
//! can be said later, or only over the pipe (agents, hooks, in-process MCP servers), belongs to the
//! `initialize` request and is not here.
//!
//! What this module promises:
//!
//! * **No value becomes a flag.** Every value is written `--flag=value`, in one argument. In the
//!   two-argument form a value that begins with `-` would be read as another flag.
//! * **What the CLI would drop in silence is an error here**: a rule that its parser would tear
//!   apart, an MCP server without a command, a list entry that holds the separator.
//! * **It names itself**, never another product, and sets no credentials.
//!
//! It reads no file, no environment and no clock.
//!
//! ```
//! use pilothouse_wire::invocation::{Invocation, PermissionMode, PermissionPrompts, Resume};
//!
//! let invocation = Invocation::new()
//!     .model("opus")
//!     .permission_mode(PermissionMode::Default)
//!     .permission_prompts(PermissionPrompts::Host)
//!     .allowed_tools(["Read", "Bash(git log *)"])
//!     .start(Resume::session("b3f7c1de-5d42-4a51-9f4e-0c6a3f1f2a10"));
//!
//! assert_eq!(
//!     invocation.argv()?[3..],
//!     [
//!         "--model=opus",
//!         "--permission-mode=default",
//!         "--permission-prompt-tool=stdio",
//!         "--allowedTools=Read,Bash(git log *)",
//!         "--resume=b3f7c1de-5d42-4a51-9f4e-0c6a3f1f2a10",
//!     ],
//! );
//! # Ok::<(), pilothouse_wire::invocation::InvocationError>(())
//! ```

mod argv;
mod builder;
mod env;
mod error;
mod flags;
mod identity;
mod limits;
mod masked;
mod mcp;
mod options;
mod program;
mod rejection;
mod rules;
mod sandbox;
mod settings;
mod start;
mod values;

#[cfg(test)]
mod tests;

pub use env::EnvPlan;
pub use error::InvocationError;
pub use flags::Flag;
pub use identity::{ClientApp, Entrypoint};
pub use masked::Masked;
pub use mcp::{McpRemote, McpSdk, McpServer, McpStdio, McpToolPolicy};
pub use options::Invocation;
pub use program::Program;
pub use rejection::Rejection;
pub use sandbox::{Sandbox, SandboxFilesystem, SandboxNetwork};
pub use settings::{ManagedSettings, Settings};
pub use start::{Cut, Fork, Resume, Start};
pub use values::{
    BaseTools, Debug, Effort, PermissionMode, PermissionPrompts, Plugin, PluginMcp, PreviewFormat,
    PromptText, SettingSource, Startup, StateEvents, Thinking, ThinkingDisplay, ToolPolicy,
    TraceContext,
};
