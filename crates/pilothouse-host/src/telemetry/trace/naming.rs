//! What events are called in traces, and what is told of them.
//!
//! What happens in a conversation is a span of its own under the turn's; what only tells how the
//! session stands is a remark on the span that is open.

use pilothouse_session::event::{Body, Completion, Outcome, ToolStatus};

use super::span::Span;
use crate::telemetry::metrics::{DeciderWord, DecisionWord, Label, SubjectKind, TurnOutcome};
use crate::telemetry::words;

/// How an event is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    /// As a span.
    Span(&'static str),
    /// As an event of the span that is open.
    Remark(&'static str),
}

pub(super) fn telling(body: &Body) -> Telling {
    use Telling::{Remark, Span};
    match body {
        // Deltas are not traced one by one; the whole text bears the name that pieces of it have
        // elsewhere, so that queries for it find it.
        Body::Message { .. } => Span("streamjson.message_chunk"),
        Body::Reasoning { .. } => Span("streamjson.reasoning"),
        Body::ToolCall { .. } => Span("streamjson.tool_call"),
        Body::ToolUpdate { .. } => Span("streamjson.tool_update"),
        Body::Retracted { .. } => Span("streamjson.retracted"),
        Body::ApprovalRequested { .. } => Span("streamjson.approval_requested"),
        Body::ApprovalResolved { .. } => Span("streamjson.approval_resolved"),
        Body::PermissionCancelled { .. } => Span("streamjson.permission_cancelled"),
        Body::PlanReady { .. } => Span("streamjson.plan_ready"),
        Body::QuestionAsked { .. } => Span("streamjson.question_asked"),
        Body::ContextWindow { .. } => Span("streamjson.context_window"),
        Body::FileUpdated { .. } => Span("streamjson.file_updated"),
        Body::TaskStarted { .. } => Span("streamjson.task_started"),
        Body::TaskEnded { .. } => Span("streamjson.task_ended"),
        Body::Compacted { .. } => Span("streamjson.compacted"),
        Body::RateLimit { .. } => Span("streamjson.rate_limit"),
        Body::Notice { .. } => Span("streamjson.notice"),
        Body::Complete { .. } => Span("streamjson.complete"),
        Body::Error { .. } => Span("streamjson.error"),
        Body::Unknown { .. } => Span("streamjson.unknown"),
        Body::SessionStatus { .. }
        | Body::RunStarted { .. }
        | Body::RunReady { .. }
        | Body::RunEnded { .. }
        | Body::ConversationChanged { .. }
        | Body::AvailableCommands { .. }
        | Body::UserMessage { .. }
        | Body::PromptUpdated { .. }
        | Body::TurnStarted { .. }
        | Body::ModeChanged { .. }
        | Body::ModelChanged { .. }
        | Body::ThinkingChanged { .. }
        | Body::Todos { .. }
        | Body::TaskUpdated { .. }
        | Body::PromptSuggestion { .. }
        | Body::Renamed { .. } => Remark(words::event(body)),
    }
}

/// What may always be told of an event: words and numbers, nothing that anybody wrote.
pub(super) fn describe(span: &mut Span, body: &Body) {
    match body {
        Body::Message { text, partial, uuid, .. } => {
            span.set("pilothouse.text.bytes", text.len());
            span.set("pilothouse.partial", *partial);
            span.set_some("pilothouse.message.uuid", uuid.clone());
        }
        Body::Reasoning { text, redacted, .. } => {
            span.set("pilothouse.text.bytes", text.len());
            span.set("pilothouse.redacted", *redacted);
        }
        Body::ToolCall { tool_call_id, tool_name, payload, .. } => {
            span.set("gen_ai.tool.name", tool_name.clone());
            span.set("gen_ai.tool.call.id", tool_call_id.clone());
            span.set("pilothouse.tool.kind", words::tool_kind(payload));
        }
        Body::ToolUpdate { tool_call_id, status, payload, .. } => {
            span.set("gen_ai.tool.call.id", tool_call_id.clone());
            span.set("pilothouse.tool.kind", words::tool_kind(payload));
            span.set("pilothouse.tool.status", words::tool_status(*status));
            if *status == ToolStatus::Error {
                span.failure = Some("the tool call failed or was refused".to_owned());
            }
        }
        Body::Retracted { uuids, .. } => span.set("pilothouse.messages", uuids.len()),
        Body::ApprovalRequested { approval } => {
            span.set("pilothouse.approval", approval.approval.0);
            span.set("pilothouse.approval.subject", SubjectKind::from(&approval.subject).word());
            span.set_some("gen_ai.tool.call.id", approval.tool_call_id.clone());
        }
        Body::ApprovalResolved { resolution } => {
            span.set("pilothouse.approval", resolution.approval.0);
            span.set(
                "pilothouse.approval.decision",
                DecisionWord::from(&resolution.decision).word(),
            );
            span.set("pilothouse.approval.decider", DeciderWord::from(&resolution.by).word());
            span.set_some("gen_ai.tool.name", resolution.tool_name.clone());
            span.set_some("gen_ai.tool.call.id", resolution.tool_call_id.clone());
        }
        Body::PermissionCancelled { approval, .. } => span.set("pilothouse.approval", approval.0),
        Body::PlanReady { approval, plan, .. } => {
            span.set("pilothouse.approval", approval.0);
            span.set("pilothouse.text.bytes", plan.len());
        }
        Body::QuestionAsked { approval, questions } => {
            span.set("pilothouse.approval", approval.0);
            span.set("pilothouse.questions", *questions);
        }
        Body::ContextWindow { used, window } => {
            span.set("pilothouse.context.used_tokens", *used);
            span.set("pilothouse.context.window_tokens", *window);
        }
        Body::FileUpdated { tool_call_id, .. } => {
            span.set("gen_ai.tool.call.id", tool_call_id.clone());
        }
        Body::TaskStarted { task } | Body::TaskEnded { task } => {
            span.set("pilothouse.task", task.task_id.clone());
            span.set("pilothouse.task.status", task.status.clone());
            span.set("pilothouse.task.is_background", task.background);
            span.set_some("pilothouse.task.kind", task.kind.clone());
            span.set_some("pilothouse.task.tokens", task.tokens);
            span.set_some("gen_ai.tool.call.id", task.tool_call_id.clone());
        }
        Body::Compacted { trigger, before, after } => {
            span.set_some("pilothouse.compaction.trigger", trigger.clone());
            span.set_some("pilothouse.compaction.tokens_before", *before);
            span.set_some("pilothouse.compaction.tokens_after", *after);
        }
        Body::RateLimit { status, limit, utilization, .. } => {
            span.set_some("pilothouse.rate_limit.status", status.clone());
            span.set_some("pilothouse.rate_limit.limit", limit.clone());
            span.set_some("pilothouse.rate_limit.utilization", *utilization);
        }
        Body::Notice { level, about, text } => {
            span.set("pilothouse.notice.level", words::notice_level(*level));
            span.set("pilothouse.notice.about", words::notice_kind(*about));
            span.set("pilothouse.text.bytes", text.len());
        }
        Body::Complete { completion } => complete(span, completion),
        Body::Error { message, code } => {
            span.set("error.type", code.clone().unwrap_or_else(|| "_OTHER".to_owned()));
            span.set("pilothouse.text.bytes", message.len());
            span.failure = Some("the turn failed".to_owned());
        }
        Body::Unknown { what, .. } => span.set_some("pilothouse.unknown", what.clone()),
        _ => {}
    }
}

/// What came of a turn. Tokens are the turn's own; dollars are the run's so far, as the CLI keeps
/// them, and say so in their name.
pub(super) fn complete(span: &mut Span, completion: &Completion) {
    let tokens = &completion.tokens;
    let read = tokens.input.saturating_add(tokens.cache_creation).saturating_add(tokens.cache_read);
    span.set("gen_ai.usage.input_tokens", read);
    span.set("gen_ai.usage.output_tokens", tokens.output);
    span.set("gen_ai.usage.cache_creation.input_tokens", tokens.cache_creation);
    span.set("gen_ai.usage.cache_read.input_tokens", tokens.cache_read);
    span.set("pilothouse.turn.outcome", TurnOutcome::from(completion.outcome).word());
    span.set_some("pilothouse.turn.model_requests", completion.num_turns);
    span.set_some("pilothouse.turn.duration_ms", completion.duration_ms);
    span.set_some("pilothouse.turn.api_duration_ms", completion.duration_api_ms);
    span.set_some("pilothouse.run.total_cost_usd", completion.total_cost_usd);
    span.set_some("pilothouse.message.uuid", completion.last_message_uuid.clone());
    match completion.outcome {
        Outcome::Done | Outcome::Interrupted => {}
        Outcome::Failed | Outcome::LimitReached | Outcome::Lost => {
            let outcome = TurnOutcome::from(completion.outcome).word();
            let reason = completion.reason.clone().unwrap_or_else(|| outcome.to_owned());
            span.set("error.type", reason.clone());
            span.failure = Some(reason);
        }
    }
}
