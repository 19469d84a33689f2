//! One word for each case of what events say, for names of spans and lines of files. What metrics are
//! told apart by has its words in `metrics`.

use pilothouse_session::event::{Body, DeltaKind, NoticeKind, NoticeLevel, ToolStatus};
use pilothouse_session::tool::NormalizedPayload;

/// The `type` of an event.
pub(crate) fn event(body: &Body) -> &'static str {
    match body {
        Body::SessionStatus { .. } => "session_status",
        Body::RunStarted { .. } => "run_started",
        Body::RunReady { .. } => "run_ready",
        Body::RunEnded { .. } => "run_ended",
        Body::ConversationChanged { .. } => "conversation_changed",
        Body::AvailableCommands { .. } => "available_commands",
        Body::UserMessage { .. } => "user_message",
        Body::PromptUpdated { .. } => "prompt_updated",
        Body::TurnStarted { .. } => "turn_started",
        Body::Message { .. } => "message",
        Body::Reasoning { .. } => "reasoning",
        Body::ToolCall { .. } => "tool_call",
        Body::ToolUpdate { .. } => "tool_update",
        Body::Retracted { .. } => "retracted",
        Body::ApprovalRequested { .. } => "approval_requested",
        Body::ApprovalResolved { .. } => "approval_resolved",
        Body::PermissionCancelled { .. } => "permission_cancelled",
        Body::PlanReady { .. } => "plan_ready",
        Body::QuestionAsked { .. } => "question_asked",
        Body::ModeChanged { .. } => "mode_changed",
        Body::ModelChanged { .. } => "model_changed",
        Body::ThinkingChanged { .. } => "thinking_changed",
        Body::ContextWindow { .. } => "context_window",
        Body::Todos { .. } => "todos",
        Body::FileUpdated { .. } => "file_updated",
        Body::TaskStarted { .. } => "task_started",
        Body::TaskUpdated { .. } => "task_updated",
        Body::TaskEnded { .. } => "task_ended",
        Body::Compacted { .. } => "compacted",
        Body::RateLimit { .. } => "rate_limit",
        Body::Notice { .. } => "notice",
        Body::PromptSuggestion { .. } => "prompt_suggestion",
        Body::Renamed { .. } => "renamed",
        Body::Complete { .. } => "complete",
        Body::Error { .. } => "error",
        Body::Unknown { .. } => "unknown",
    }
}

pub(crate) fn delta(kind: DeltaKind) -> &'static str {
    match kind {
        DeltaKind::MessageChunk => "message_chunk",
        DeltaKind::ReasoningChunk => "reasoning_chunk",
        DeltaKind::ToolInputChunk => "tool_input_chunk",
    }
}

pub(crate) fn tool_status(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Detached => "detached",
        ToolStatus::Complete => "complete",
        ToolStatus::Error => "error",
        ToolStatus::Cancelled => "cancelled",
    }
}

pub(crate) fn tool_kind(payload: &NormalizedPayload) -> &'static str {
    match payload {
        NormalizedPayload::ReadFile(_) => "read_file",
        NormalizedPayload::ModifyFile(_) => "modify_file",
        NormalizedPayload::ShellExec(_) => "shell_exec",
        NormalizedPayload::CodeSearch(_) => "code_search",
        NormalizedPayload::HttpRequest(_) => "http_request",
        NormalizedPayload::SubagentTask(_) => "subagent_task",
        NormalizedPayload::CreateTask(_) => "create_task",
        NormalizedPayload::ManageTodos(_) => "manage_todos",
        NormalizedPayload::Plan(_) => "plan",
        NormalizedPayload::Question(_) => "question",
        NormalizedPayload::Generic(_) => "generic",
        NormalizedPayload::Misc(_) => "misc",
    }
}

pub(crate) fn notice_level(level: NoticeLevel) -> &'static str {
    match level {
        NoticeLevel::Info => "info",
        NoticeLevel::Warning => "warning",
        NoticeLevel::Error => "error",
    }
}

pub(crate) fn notice_kind(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::Retry => "retry",
        NoticeKind::Hook => "hook",
        NoticeKind::Informational => "informational",
        NoticeKind::Refusal => "refusal",
        NoticeKind::Denied => "denied",
        NoticeKind::Authentication => "authentication",
        NoticeKind::Surroundings => "surroundings",
        NoticeKind::Session => "session",
    }
}
