//! Events around a tool call and its permission.

use crate::permission::{McpServerRef, PermissionUpdate};
use crate::raw::{Num, Raw};
use crate::tool::{ToolInput, ToolOutput};

event! {
    /// A tool is about to run.
    pub struct PreToolUse {
        /// The tool.
        tool_name: String,
        /// What the model passes; see [`PreToolUse::input`].
        tool_input: Raw,
        /// The call.
        tool_use_id: Option<String>,
        /// Where an MCP tool is from.
        mcp_server: Option<McpServerRef>,
    }
}

event! {
    /// A tool ran.
    pub struct PostToolUse {
        /// The tool.
        tool_name: String,
        /// What the model passed; see [`PostToolUse::input`].
        tool_input: Raw,
        /// What the tool returned; see [`PostToolUse::output`].
        tool_response: Raw,
        /// The call.
        tool_use_id: Option<String>,
        /// How long it took.
        duration_ms: Option<Num>,
        /// Where an MCP tool is from.
        mcp_server: Option<McpServerRef>,
    }
}

event! {
    /// A tool failed.
    pub struct PostToolUseFailure {
        /// The tool.
        tool_name: String,
        /// What the model passed; see [`PostToolUseFailure::input`].
        tool_input: Raw,
        /// The call.
        tool_use_id: Option<String>,
        /// What went wrong.
        error: Option<String>,
        /// Whether the user interrupted it.
        is_interrupt: Option<bool>,
        /// How long it took.
        duration_ms: Option<Num>,
        /// Where an MCP tool is from.
        mcp_server: Option<McpServerRef>,
    }
}

event! {
    /// All tools of one answer ran.
    pub struct PostToolBatch {
        /// The calls.
        tool_calls: Vec<BatchedCall>,
    }
}

object! {
    /// One call of a batch.
    #[derive(Default)]
    pub struct BatchedCall {
        /// The tool.
        tool_name: String,
        /// What the model passed; see [`BatchedCall::input`].
        tool_input: Raw,
        /// The call.
        tool_use_id: Option<String>,
        /// What the tool returned.
        tool_response: Option<Raw>,
    }
}

event! {
    /// A permission is about to be asked for.
    pub struct PermissionRequest {
        /// The tool.
        tool_name: String,
        /// What the model passes; see [`PermissionRequest::input`].
        tool_input: Raw,
        /// Updates that would spare the user the next question.
        permission_suggestions: Vec<PermissionUpdate>,
        /// Where an MCP tool is from.
        mcp_server: Option<McpServerRef>,
    }
}

event! {
    /// A permission was denied.
    pub struct PermissionDenied {
        /// The tool.
        tool_name: String,
        /// What the model passed; see [`PermissionDenied::input`].
        tool_input: Raw,
        /// The call.
        tool_use_id: Option<String>,
        /// Why.
        reason: Option<String>,
        /// Where an MCP tool is from.
        mcp_server: Option<McpServerRef>,
    }
}

macro_rules! typed_input {
    ($($event:ident),*) => {$(
        impl $event {
            /// What the model passes to the tool, typed.
            pub fn input(&self) -> ToolInput {
                ToolInput::of(&self.tool_name, &self.tool_input)
            }
        }
    )*};
}
typed_input!(
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    BatchedCall,
    PermissionRequest,
    PermissionDenied
);

impl PostToolUse {
    /// What the tool returned, typed.
    pub fn output(&self) -> ToolOutput {
        ToolOutput::of(&self.tool_name, &self.tool_response)
    }
}

impl BatchedCall {
    /// What the tool returned, typed.
    pub fn output(&self) -> Option<ToolOutput> {
        let response = self.tool_response.as_ref()?;
        Some(ToolOutput::of(&self.tool_name, response))
    }
}
