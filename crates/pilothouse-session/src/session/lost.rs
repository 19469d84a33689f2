//! Where lines of a run are gone: what was stored of them stands in for them.
//!
//! The machine does not become what it was. It learns as much as the end of the run needs: which
//! prompts are past, and what is still open and has to be closed.

use super::calls::OpenCall;
use super::run::Phase;
use super::{Scope, Session};
use crate::approval::{Closed, Decision, Resolution};
use crate::event::{Body, Event, Exit, Outcome, ToolStatus};
use crate::id::ItemId;

impl Session {
    pub(super) fn run_lost(&mut self, events: Vec<Event>, why: String) {
        // What was half-written may have been told whole since.
        self.threads.clear();
        events.into_iter().for_each(|event| self.shown(event));
        self.run_exited(Exit::default(), why);
    }

    /// An event that this machine has not made is stored already.
    fn shown(&mut self, event: Event) {
        self.seq = self.seq.max(event.seq);
        let scope = Scope { turn: event.turn, parent: event.parent_tool_call_id };
        match event.body {
            Body::SessionStatus { status } => self.status = status,
            Body::RunReady { .. } => self.run_shown_ready(),
            Body::ConversationChanged { cli_session, .. } => {
                self.cli_session = Some(cli_session);
                self.changing = None;
            }
            Body::UserMessage { item, .. }
            | Body::Message { item, .. }
            | Body::Reasoning { item, .. } => self.item_shown(item),
            Body::PromptUpdated { prompt, state } => self.prompts.shown(prompt, state),
            Body::TurnStarted { .. } => self.turn_shown(&scope),
            Body::ToolCall { item, tool_call_id, payload, .. } => {
                self.item_shown(item);
                self.let_through.remove(&tool_call_id);
                let call = OpenCall { item, scope, payload, is_detached: false };
                self.calls.insert(tool_call_id, call);
            }
            Body::ToolUpdate { tool_call_id, status: ToolStatus::Detached, .. } => {
                if let Some(call) = self.calls.get_mut(&tool_call_id) {
                    call.is_detached = true;
                }
            }
            Body::ToolUpdate { tool_call_id, .. } => {
                self.calls.remove(&tool_call_id);
                self.let_through.remove(&tool_call_id);
            }
            Body::ApprovalRequested { approval } => self.approvals.shown(&approval),
            Body::ApprovalResolved { resolution } => self.resolution_shown(*resolution),
            Body::PermissionCancelled { approval, .. } => {
                self.approvals.close(approval, Closed::Void);
            }
            Body::ModeChanged { mode } => self.mode = Some(mode.as_str().into()),
            Body::ModelChanged { model } => self.model = Some(model),
            Body::ThinkingChanged { thinking } => self.thinking = thinking,
            Body::TaskStarted { task } | Body::TaskUpdated { task } => {
                self.tasks.insert(task.task_id.clone(), *task);
            }
            Body::TaskEnded { task } => {
                self.tasks.remove(&task.task_id);
            }
            Body::Complete { completion } => {
                self.turns.settled();
                self.let_through.clear();
                self.committed = completion.last_message_uuid;
                if completion.outcome != Outcome::Lost {
                    self.attempts = 0;
                }
            }
            _ => {}
        }
    }

    fn item_shown(&mut self, item: ItemId) {
        self.last_item = self.last_item.max(item.0);
    }

    fn run_shown_ready(&mut self) {
        if let Some(run) = &mut self.run
            && let Phase::Initialising(id) = run.phase
        {
            run.phase = Phase::Ready(id);
        }
    }

    fn turn_shown(&mut self, scope: &Scope) {
        if let (Some(turn), Some(run)) = (scope.turn, &mut self.run) {
            run.has_worked = true;
            self.turns.shown(turn);
        }
    }

    fn resolution_shown(&mut self, resolution: Resolution) {
        self.approvals.close(resolution.approval, Closed::Answered);
        if let (Decision::Allow { .. }, Some(call)) = (resolution.decision, resolution.tool_call_id)
            && !self.calls.contains_key(&call)
        {
            self.let_through.insert(call);
        }
    }
}
