//! Tool calls: from the block that makes one to its result.

use std::sync::Arc;

use pilothouse_wire::block::ToolResult;
use pilothouse_wire::message::user::ToolResultMeta;
use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::{Block, Raw};
use serde::{Deserialize, Serialize};

use super::{Scope, Session};
use crate::event::{Body, CancelReason, ToolStatus};
use crate::id::ItemId;
use crate::tool::{NormalizedPayload, Outcome, PlanAction, PlanCall, SubagentStatus, file_update};

/// A tool call without its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OpenCall {
    pub(super) item: ItemId,
    pub(super) scope: Scope,
    /// The call as its event has it: payloads can be large, and are not copied while a call is open.
    pub(super) payload: Arc<NormalizedPayload>,
    /// It goes on while the conversation does; its result comes later.
    pub(super) is_detached: bool,
}

/// Whether a call may change something outside.
pub(super) fn has_effects(call: &NormalizedPayload) -> bool {
    use NormalizedPayload as Kind;
    !matches!(
        call,
        Kind::ReadFile(_)
            | Kind::CodeSearch(_)
            | Kind::ManageTodos(_)
            | Kind::CreateTask(_)
            | Kind::Plan(_)
            | Kind::Question(_)
    )
}

impl Session {
    pub(super) fn calls(
        &mut self,
        scope: Scope,
        item: ItemId,
        id: String,
        name: String,
        given: &Raw,
    ) {
        if self.calls.contains_key(&id) {
            return;
        }
        // Some CLIs pass the input of a tool of the API on as the text that it came as.
        let input = given.read().and_then(|text: String| Raw::from_text(text).ok());
        let payload = NormalizedPayload::of_call(&name, input.as_ref().unwrap_or(given));
        let payload = Arc::new(payload);
        let cwd = Some(self.setup.place.cwd.as_str()).filter(|cwd| !cwd.is_empty());
        let body = Body::ToolCall {
            item,
            tool_call_id: id.clone(),
            tool_name: name,
            title: payload.title_in(cwd),
            payload: Arc::clone(&payload),
        };
        self.tell_in(scope.clone(), body);
        self.let_through.remove(&id);
        self.calls.insert(id, OpenCall { item, scope, payload, is_detached: false });
    }

    pub(super) fn tool_result(
        &mut self,
        result: &ToolResult,
        structured: Option<&Raw>,
        meta: Option<&ToolResultMeta>,
    ) {
        let outcome = Outcome {
            content: result.content.as_ref(),
            structured,
            is_error: result.is_error == Some(true),
        };
        let reason = meta.and_then(|meta| meta.non_execution_kind.clone());
        self.call_ends(&result.tool_use_id, &outcome, reason);
    }

    /// The result of a tool that runs at the API.
    pub(super) fn server_result(&mut self, block: Block) {
        let (id, content) = match &block {
            Block::WebSearchToolResult(result) => (&result.tool_use_id, &result.content),
            Block::WebFetchToolResult(result) => (&result.tool_use_id, &result.content),
            Block::AdvisorToolResult(result) => (&result.tool_use_id, &result.content),
            Block::CodeExecutionToolResult(result) => (&result.tool_use_id, &result.content),
            Block::BashCodeExecutionToolResult(result) => (&result.tool_use_id, &result.content),
            Block::TextEditorCodeExecutionToolResult(result) => {
                (&result.tool_use_id, &result.content)
            }
            Block::ToolSearchToolResult(result) => (&result.tool_use_id, &result.content),
            Block::McpToolResult(result) => {
                let is_error = result.is_error == Some(true);
                let content = result.content.as_ref();
                let outcome = Outcome { content, structured: None, is_error };
                return self.call_ends(&result.tool_use_id, &outcome, None);
            }
            _ => return,
        };
        let outcome = Outcome { content: None, structured: Some(content), is_error: false };
        self.call_ends(id, &outcome, None);
    }

    fn call_ends(&mut self, id: &str, outcome: &Outcome<'_>, reason: Option<String>) {
        self.let_through.remove(id);
        let Some(mut call) = self.calls.remove(id) else { return };
        let (scope, item) = (call.scope.clone(), call.item);
        Arc::make_mut(&mut call.payload).complete(outcome);
        let status = self.status_of(&call, outcome);
        let reason = match status {
            ToolStatus::Cancelled => Some("interrupted".to_owned()),
            _ => reason,
        };
        self.withdraw_for(id);
        self.follow(id, &mut call, status);
        let tool_call_id = id.to_owned();
        let payload = Arc::clone(&call.payload);
        let body = Body::ToolUpdate { item, tool_call_id, status, payload, reason };
        self.tell_in(scope.clone(), body);
        let baseline = self.hooks.baseline(id);
        if let (ToolStatus::Complete, Some(mut update)) =
            (status, file_update(&call.payload, outcome))
        {
            update.before = update.before.or(baseline);
            let (tool_call_id, update) = (id.to_owned(), Box::new(update));
            self.tell_in(scope.clone(), Body::FileUpdated { tool_call_id, update });
        }
        let thread = scope.parent.clone().unwrap_or_default();
        let todos = self.todos.entry(thread).or_default();
        if let Some(items) = todos.apply(&call.payload).map(<[_]>::to_vec) {
            self.tell_in(scope, Body::Todos { items });
        }
        if status == ToolStatus::Detached {
            call.is_detached = true;
            self.calls.insert(id.to_owned(), call);
        } else {
            // A subagent's list ends with it.
            self.todos.remove(id);
        }
    }

    fn status_of(&self, call: &OpenCall, outcome: &Outcome<'_>) -> ToolStatus {
        if outcome.is_detached() {
            ToolStatus::Detached
        } else if outcome.is_error && self.turns.is_stopping(call.scope.turn) {
            // Whatever a tool says that was cut off, it did not fail by itself.
            ToolStatus::Cancelled
        } else if outcome.is_error || call.payload.error().is_some() {
            ToolStatus::Error
        } else {
            ToolStatus::Complete
        }
    }

    /// What follows from a call's end for its task and for the mode, where the CLI does not say it.
    fn follow(&mut self, id: &str, call: &mut OpenCall, status: ToolStatus) {
        match status {
            ToolStatus::Detached => {}
            ToolStatus::Complete if goes_on(&call.payload) => self.task_goes_on(id),
            ToolStatus::Complete => self.end_task_of(id, "completed"),
            ToolStatus::Error => self.end_task_of(id, "failed"),
            ToolStatus::Cancelled => self.end_task_of(id, "stopped"),
        }
        if status == ToolStatus::Complete {
            let enters = |plan: &PlanCall| plan.action == PlanAction::Enter;
            let plan = matches!(&*call.payload, NormalizedPayload::Plan(plan) if enters(plan));
            if plan {
                self.mode_is(PermissionMode::Plan);
            }
        }
    }

    /// Closes calls whose result will not come.
    pub(super) fn close_calls(&mut self, over: impl Fn(&OpenCall) -> bool, reason: &str) {
        let ids = self.calls.iter().filter(|(_, call)| over(call)).map(|(id, _)| id.clone());
        for id in ids.collect::<Vec<_>>() {
            let Some(call) = self.calls.remove(&id) else { continue };
            self.todos.remove(&id);
            self.withdraw_for(&id);
            let body = Body::ToolUpdate {
                item: call.item,
                tool_call_id: id,
                status: ToolStatus::Cancelled,
                payload: call.payload,
                reason: Some(reason.to_owned()),
            };
            self.tell_in(call.scope, body);
        }
    }

    /// Nobody can answer any more whether the call may run.
    fn withdraw_for(&mut self, call: &str) {
        if let Some(approval) = self.approvals.about(call) {
            self.void(approval, CancelReason::Withdrawn);
        }
    }
}

/// Whether what a call has begun goes on beside the conversation.
fn goes_on(call: &NormalizedPayload) -> bool {
    match call {
        NormalizedPayload::ShellExec(call) => call.task_id.is_some(),
        NormalizedPayload::SubagentTask(call) => {
            let output = call.output.as_ref();
            output.is_some_and(|output| output.status != SubagentStatus::Completed)
        }
        _ => false,
    }
}
