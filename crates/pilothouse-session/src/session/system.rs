//! What the CLI tells about itself, its tasks and its surroundings.

use pilothouse_wire::message::other::{ConversationReset, RateLimitInfo};
use pilothouse_wire::message::system::{
    CompactBoundary, Init, McpServerSummary, Status as CliStatus,
};
use pilothouse_wire::message::task::{
    TaskNotification, TaskProgress, TaskStarted, TaskStatus, TaskUpdated, TaskUsage,
};
use pilothouse_wire::message::{SessionState, System};
use pilothouse_wire::permission::McpServerRef;

use super::meter::number;
use super::{Scope, Session};
use crate::event::{Body, ConversationReason, NoticeKind, NoticeLevel, Task};
use crate::tool::NormalizedPayload;

/// How many calls are remembered that tasks came from.
const STARTERS: usize = 256;

impl Session {
    pub(super) fn system(&mut self, message: System) {
        match message {
            System::Init(init) => self.init(*init),
            System::Status(status) => self.cli_status(status),
            System::SessionStateChanged(change) => self.cli_state(&change.state),
            System::CompactBoundary(boundary) => self.compacted(boundary),
            System::LocalCommandOutput(output) => {
                let (scope, item) = (self.here(), self.next_item());
                let text = output.content.unwrap_or_default();
                self.says(scope, item, text, output.uuid.as_deref(), false);
            }
            System::CommandsChanged(changed) => self.offer(changed.commands),
            System::TaskStarted(task) => self.task_started(task),
            System::TaskProgress(progress) => self.task_progress(progress),
            System::TaskUpdated(update) => self.task_updated(update),
            System::TaskNotification(notification) => self.task_notified(notification),
            System::SessionTitleChanged(change) => {
                if let Some(title) = change.title {
                    self.tell(Body::Renamed { title });
                }
            }
            System::ModelRefusalFallback(refusal) => {
                let retracted = refusal.retracted_message_uuids.unwrap_or_default();
                if !retracted.is_empty() {
                    self.retract(retracted);
                }
                let text = refusal.content.unwrap_or_default();
                self.notice(NoticeLevel::Warning, NoticeKind::Refusal, text);
                if let (Some("session") | None, Some(model)) =
                    (refusal.scope.as_deref(), refusal.fallback_model)
                {
                    self.model_is(model);
                }
            }
            other => self.remark(other),
        }
    }

    /// What changes nothing, and is only told.
    fn remark(&mut self, message: System) {
        use NoticeKind as Kind;
        use NoticeLevel as Level;
        let (level, kind, text) = match message {
            System::ApiRetry(retry) => {
                let error = retry.error.as_ref().map_or("error", |error| error.as_str());
                let of = |count: Option<u64>| count.map_or("?".to_owned(), |n| n.to_string());
                let (attempt, most) = (of(retry.attempt), of(retry.max_retries));
                let text = format!("{error}: trying again ({attempt} of {most})");
                (Level::Warning, Kind::Retry, text)
            }
            System::Informational(note) => {
                let level = match note.level.as_deref() {
                    Some("warning") => Level::Warning,
                    _ => Level::Info,
                };
                (level, Kind::Informational, note.content.unwrap_or_default())
            }
            System::Notification(note) => {
                (Level::Info, Kind::Informational, note.text.unwrap_or_default())
            }
            System::ModelRefusalNoFallback(refusal) => {
                (Level::Warning, Kind::Refusal, refusal.content.unwrap_or_default())
            }
            System::PermissionDenied(denied) => {
                (Level::Warning, Kind::Denied, denied.message.unwrap_or_default())
            }
            System::PluginInstall(install) => {
                (Level::Warning, Kind::Surroundings, install.error.unwrap_or_default())
            }
            System::HookResponse(hook) if hook.outcome.as_deref() == Some("error") => {
                let name = hook.hook_name.as_deref().unwrap_or("a hook");
                let said = hook.stderr.as_deref().unwrap_or_default().trim();
                (Level::Warning, Kind::Hook, format!("{name} failed: {said}"))
            }
            System::SessionWritesLost(lost) => {
                let what = lost.lost.join(", ");
                let text = format!("the CLI could not write {what}: the disk is full");
                (Level::Error, Kind::Session, text)
            }
            System::WorkerShuttingDown(end) => {
                (Level::Warning, Kind::Session, end.reason.unwrap_or_default())
            }
            _ => return,
        };
        self.turns.noticed(&text);
        self.notice(level, kind, text);
    }

    /// A turn begins.
    fn init(&mut self, init: Init) {
        self.bind_all(init.user_message_uuids.unwrap_or_default());
        self.working();
        self.conversation_is(init.session_id.as_deref().unwrap_or_default());
        if let Some(run) = &mut self.run {
            let server = |it: McpServerSummary| McpServerRef {
                name: it.name,
                source: it.source,
                ..McpServerRef::default()
            };
            run.servers = Some(init.mcp_servers.into_iter().map(server).collect());
        }
        if let Some(model) = init.model {
            self.model_is(model);
        }
        if let Some(mode) = init.permission_mode {
            self.mode_is(mode);
        }
    }

    fn cli_status(&mut self, status: CliStatus) {
        if let Some(mode) = status.permission_mode {
            self.mode_is(mode);
        }
        if let Some(error) = status.compact_error {
            self.notice(NoticeLevel::Warning, NoticeKind::Session, error);
        }
    }

    fn cli_state(&mut self, state: &SessionState) {
        if let Some(run) = &mut self.run {
            run.is_busy = Some(*state != SessionState::Idle);
        }
        if *state == SessionState::Idle {
            // Where the CLI is idle no result will come for a turn that is still open.
            self.end_open_work("no result");
            self.lose_turn("the CLI has stopped without a result");
        }
    }

    fn compacted(&mut self, boundary: CompactBoundary) {
        let details = boundary.compact_metadata.unwrap_or_default();
        let (trigger, before, after) = (details.trigger, details.pre_tokens, details.post_tokens);
        self.tell(Body::Compacted { trigger, before, after });
        self.meter.shrank(after);
        self.show_context();
    }

    pub(super) fn conversation_reset(&mut self, reset: ConversationReset) {
        self.leave_conversation(match reset.trigger.as_deref() {
            Some("plan_mode_exit") => ConversationReason::Plan,
            _ => ConversationReason::Cleared,
        });
        // The id that follows is in the next `init`: `new_conversation_id` names the frame.
    }

    pub(super) fn rate_limit(&mut self, info: &RateLimitInfo) {
        self.tell(Body::RateLimit {
            status: info.status.clone(),
            limit: info.rate_limit_type.clone(),
            utilization: number(info.utilization.as_ref()),
            resets_at: number(info.resets_at.as_ref()),
        });
    }

    fn task_started(&mut self, started: TaskStarted) {
        if started.ambient == Some(true) || self.tasks.contains_key(&started.task_id) {
            return;
        }
        let call = started.tool_use_id.as_deref().and_then(|id| self.calls.get(id));
        // Older CLIs do not say what the call has said.
        let (background, subagent_type) = match call.map(|call| &*call.payload) {
            Some(NormalizedPayload::ShellExec(call)) => (call.background, None),
            Some(NormalizedPayload::SubagentTask(call)) => {
                (call.background, call.subagent_type.clone())
            }
            _ => (false, None),
        };
        let task = Task {
            task_id: started.task_id.clone(),
            tool_call_id: started.tool_use_id,
            description: started.description.unwrap_or_default(),
            kind: started.task_type,
            subagent_type: started.subagent_type.or(subagent_type),
            background: started.is_backgrounded.unwrap_or(background),
            status: "running".to_owned(),
            ..Task::default()
        };
        self.tasks.insert(started.task_id, task.clone());
        let scope = self.scope_of_task(&task);
        if let Some(call) = task.tool_call_id.clone() {
            self.starters.push_back((call, scope.clone()));
            if self.starters.len() > STARTERS {
                self.starters.pop_front();
            }
        }
        self.tell_in(scope, Body::TaskStarted { task: Box::new(task) });
    }

    fn scope_of_task(&self, task: &Task) -> Scope {
        let scope = task.tool_call_id.as_deref().and_then(|call| self.scope_of(call));
        scope.cloned().unwrap_or_else(|| self.here())
    }

    fn task_progress(&mut self, progress: TaskProgress) {
        self.change_task(&progress.task_id, |task| {
            measure(task, progress.usage.as_ref());
            task.last_tool = progress.last_tool_name.or(task.last_tool.take());
            task.summary = progress.summary.or(task.summary.take());
        });
    }

    fn task_updated(&mut self, update: TaskUpdated) {
        let patch = update.patch.unwrap_or_default();
        self.change_task(&update.task_id, |task| {
            if let Some(status) = &patch.status {
                task.status = status.as_str().to_owned();
            }
            task.background = patch.is_backgrounded.unwrap_or(task.background);
            task.description = patch.description.unwrap_or(std::mem::take(&mut task.description));
            task.summary = patch.error.or(task.summary.take());
        });
    }

    fn task_notified(&mut self, notification: TaskNotification) {
        self.change_task(&notification.task_id, |task| {
            let status = notification.status.unwrap_or(TaskStatus::Completed);
            task.status = status.as_str().to_owned();
            task.summary = notification.summary.or(task.summary.take());
            measure(task, notification.usage.as_ref());
        });
    }

    /// Changes a task that is known; one that has ended is known no more.
    fn change_task(&mut self, id: &str, change: impl FnOnce(&mut Task)) {
        let Some(task) = self.tasks.get_mut(id) else { return };
        let before = task.clone();
        change(task);
        if *task == before {
            return;
        }
        let task = Box::new(task.clone());
        if is_over(&task.status) {
            self.task_ends(id, task);
        } else {
            let scope = self.scope_of_task(&task);
            self.tell_in(scope, Body::TaskUpdated { task });
        }
    }

    fn task_ends(&mut self, id: &str, task: Box<Task>) {
        self.tasks.remove(id);
        if let Some(call) = task.tool_call_id.clone() {
            self.cut_off(|thread| thread == call);
            self.close_calls(|open| open.scope.parent.as_ref() == Some(&call), "the task ended");
        }
        let scope = self.scope_of_task(&task);
        self.tell_in(scope, Body::TaskEnded { task });
    }

    /// A call has its result, and what it did in the foreground is over. Older CLIs do not say so.
    pub(super) fn end_task_of(&mut self, call: &str, status: &str) {
        if let Some(id) = self.foreground_task_of(call) {
            self.change_task(&id, |task| status.clone_into(&mut task.status));
        }
    }

    /// A call has its result, and what it did goes on beside. Older CLIs do not say so.
    pub(super) fn task_goes_on(&mut self, call: &str) {
        if let Some(id) = self.foreground_task_of(call) {
            self.change_task(&id, |task| task.background = true);
        }
    }

    fn foreground_task_of(&self, call: &str) -> Option<String> {
        let of_call = |task: &&Task| task.tool_call_id.as_deref() == Some(call) && !task.background;
        self.tasks.values().find(of_call).map(|task| task.task_id.clone())
    }

    /// The run has ended, and its tasks with it.
    pub(super) fn end_tasks(&mut self) {
        for (_, mut task) in std::mem::take(&mut self.tasks) {
            task.status = "lost".to_owned();
            let scope = self.scope_of_task(&task);
            self.tell_in(scope, Body::TaskEnded { task: Box::new(task) });
        }
    }
}

fn is_over(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "killed" | "stopped")
}

fn measure(task: &mut Task, usage: Option<&TaskUsage>) {
    let Some(usage) = usage else { return };
    task.tokens = usage.total_tokens.or(task.tokens);
    task.tool_uses = usage.tool_uses.or(task.tool_uses);
    task.duration_ms = number(usage.duration_ms.as_ref()).or(task.duration_ms);
}
