//! Parameters of paths.

use pilothouse_session::id::{ApprovalId, PromptId, RunId, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;

/// A session.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(super) struct OfSession {
    /// The session.
    pub(super) session: SessionId,
}

/// A prompt of a session.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(super) struct OfPrompt {
    /// The session.
    pub(super) session: SessionId,
    /// The prompt.
    pub(super) prompt: PromptId,
}

/// A request of a session.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(super) struct OfApproval {
    /// The session.
    pub(super) session: SessionId,
    /// The request.
    pub(super) approval: ApprovalId,
}

/// A run of a session.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub(super) struct OfRun {
    /// The session.
    pub(super) session: SessionId,
    /// The run.
    pub(super) run: RunId,
}

/// A task of a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct OfTask {
    /// The session.
    pub(super) session: SessionId,
    /// The task.
    pub(super) task: String,
}

/// An MCP server of a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct OfServer {
    /// The session.
    pub(super) session: SessionId,
    /// The server's name.
    pub(super) server: String,
}

/// A file of a session.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct OfAttachment {
    /// The session.
    pub(super) session: SessionId,
    /// The SHA-256 of its bytes, in 64 hexadecimal digits.
    pub(super) digest: String,
}

/// A past conversation.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct OfPast {
    /// The CLI's id of it.
    pub(super) cli_session: String,
}

/// A policy.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub(super) struct OfPolicy {
    /// Its name.
    #[schemars(length(min = 1, max = 64))]
    pub(super) policy: String,
}
