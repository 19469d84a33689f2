//! MCP servers that live in this process.
//!
//! The CLI is their client: it sends every JSON-RPC message inside a control request and takes the
//! answer from the control response, so no socket and no child process is needed. A server is
//! either anything that implements [`rmcp::ServerHandler`] ([`McpServer::new`]), or a set of tools
//! with typed inputs ([`McpServer::builder`]). The model sees the tool `add` of the server `calc`
//! as `mcp__calc__add`.
//!
//! ```
//! use pilothouse_client::mcp::{McpServer, Tool, ToolReply, schemars};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! #[schemars(crate = "pilothouse_client::mcp::schemars")]
//! struct AddInput {
//!     /// The first number.
//!     a: f64,
//!     /// The second number.
//!     b: f64,
//! }
//!
//! # fn main() -> Result<(), pilothouse_client::mcp::McpError> {
//! let calc = McpServer::builder("calc")
//!     .version("1.0.0")
//!     .tool("add", "Adds two numbers", |input: AddInput| async move {
//!         Ok(ToolReply::text((input.a + input.b).to_string()))
//!     })
//!     .with_tool(
//!         Tool::new("sqrt", "Square root of `a`", |input: AddInput| async move {
//!             if input.a < 0.0 {
//!                 return Ok(ToolReply::error("`a` must not be negative"));
//!             }
//!             Ok(ToolReply::text(input.a.sqrt().to_string()))
//!         })
//!         .read_only(),
//!     )
//!     .build()?;
//! # assert_eq!(calc.name(), "calc");
//! # Ok(())
//! # }
//! ```
//!
//! What this module promises: calls run side by side; a call that the CLI withdraws is cancelled in
//! the server; whatever a handler does (panics included), each request gets exactly one answer; a
//! second handshake gets a session of its own and does not disturb calls in flight.

mod builder;
mod calls;
mod host;
mod jsonrpc;
mod link;
mod reply;
mod server;
mod tool;

#[cfg(test)]
mod tests;

pub use builder::ServerBuilder;
pub use reply::{ToolError, ToolReply};
pub use rmcp;
pub use rmcp::schemars;
pub use server::{McpServer, PermissionPolicy};
pub use tool::{Tool, ToolCall};

pub(crate) use host::{McpHost, Said};

/// Why a server cannot be offered, or a message not be delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// A server with an empty name.
    #[error("an in-process MCP server has no name; give it one, its tools are named after it")]
    UnnamedServer,
    /// Two servers whose tools the model could not tell apart.
    #[error(
        "two in-process MCP servers are called `{name}` (characters other than letters, digits, \
         `_` and `-` count as `_`); rename one of them"
    )]
    DuplicateServer {
        /// The name of the second one.
        name: String,
    },
    /// Two tools that the model could not tell apart.
    #[error(
        "two tools of the MCP server `{server}` are called `{tool}` (characters other than \
         letters, digits, `_` and `-` count as `_`); rename one of them"
    )]
    DuplicateTool {
        /// The server.
        server: String,
        /// The name of the second tool.
        tool: String,
    },
    /// A tool whose input type is not an object in JSON.
    #[error(
        "the input type of the tool `{tool}` of the MCP server `{server}` cannot be used: {reason} \
         Take a struct with named fields (an empty one for a tool without input)"
    )]
    InputType {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// What its schema lacks.
        reason: String,
    },
    /// The CLI addressed a server that was not offered.
    #[error("no in-process MCP server is called `{name}`; there are: {}", known.join(", "))]
    UnknownServer {
        /// The name it asked for.
        name: String,
        /// The names it could have asked for.
        known: Vec<String>,
    },
}

/// The name as the model sees it: what is not a letter, a digit, `_` or `-` becomes `_`.
fn shown_name(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .collect()
}
