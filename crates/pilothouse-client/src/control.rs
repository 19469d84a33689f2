//! What can be asked of a running CLI, by name; MCP servers are in [`crate::servers`].
//! [`Client::request`] makes any other request.

use pilothouse_wire::control::session::{
    BackgroundTasks, CancelAsyncMessage, GetPlan, Interrupt, InterruptReply, PlanReply,
    RenameSession, RewindFiles, RewindReply, StopTask,
};
use pilothouse_wire::control::settings::{
    ApplyFlagSettings, ContextUsage, GetContextUsage, GetUsage, SetMaxThinkingTokens, SetModel,
    SetPermissionMode, UsageReport,
};
use pilothouse_wire::invocation::Effort;
use pilothouse_wire::{Extra, Nullable, PermissionMode, Raw};
use serde_json::json;

use crate::client::Client;
use crate::error::RequestError;

/// What happens to queued prompts on an interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    /// They still run.
    Keep,
    /// They are cancelled, where the CLI can.
    Cancel,
}

/// Whether a rewind is only tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rewind {
    /// Tell what would change.
    DryRun,
    /// Do it.
    Files,
}

/// How exactly to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Quick.
    Summary,
    /// Exact; takes many seconds.
    Full,
}

impl Client {
    /// Aborts the current turn. Its result still comes, marked as an error.
    pub async fn interrupt(&self, queued: Queued) -> Result<InterruptReply, RequestError> {
        let cancel_queued = (queued == Queued::Cancel).then_some(true);
        self.request(Interrupt { cancel_queued, ..Interrupt::default() }).await
    }

    /// Changes the permission mode. Old CLIs accept modes that do not exist.
    pub async fn set_permission_mode(&self, mode: PermissionMode) -> Result<(), RequestError> {
        self.request(SetPermissionMode { mode, extra: Extra::default() }).await.map(drop)
    }

    /// Changes the model; `None` for the default.
    pub async fn set_model(&self, model: Option<&str>) -> Result<(), RequestError> {
        let model = Nullable::from(model.map(str::to_owned));
        self.request(SetModel { model, ..SetModel::default() }).await.map(drop)
    }

    /// Changes how many tokens are thought; 0 for none, `None` for the default.
    pub async fn set_max_thinking_tokens(&self, tokens: Option<u64>) -> Result<(), RequestError> {
        let max_thinking_tokens = Nullable::from(tokens);
        let request =
            SetMaxThinkingTokens { max_thinking_tokens, ..SetMaxThinkingTokens::default() };
        self.request(request).await.map(drop)
    }

    /// Changes the effort; `None` for the default.
    pub async fn set_effort(&self, effort: Option<Effort>) -> Result<(), RequestError> {
        let level = effort.as_ref().map(Effort::as_str);
        self.apply_settings(json!({ "effortLevel": level })).await
    }

    /// Changes settings for this session: keys replace, null clears.
    pub async fn apply_settings(&self, settings: serde_json::Value) -> Result<(), RequestError> {
        let settings = Raw::from(settings);
        self.request(ApplyFlagSettings { settings, extra: Extra::default() }).await.map(drop)
    }

    /// What fills the context.
    pub async fn context_usage(&self, detail: Detail) -> Result<ContextUsage, RequestError> {
        let detail = match detail {
            Detail::Summary => "summary",
            Detail::Full => "full",
        };
        let detail = Some(detail.to_owned());
        self.request(GetContextUsage { detail, ..GetContextUsage::default() }).await
    }

    /// What was used, and the plan's limits.
    pub async fn usage(&self) -> Result<UsageReport, RequestError> {
        self.request(GetUsage::default()).await
    }

    /// Puts files back as they were before the prompt `uuid`. Needs file checkpointing.
    pub async fn rewind_files(
        &self,
        uuid: &str,
        rewind: Rewind,
    ) -> Result<RewindReply, RequestError> {
        let user_message_id = uuid.to_owned();
        let dry_run = (rewind == Rewind::DryRun).then_some(true);
        self.request(RewindFiles { user_message_id, dry_run, ..RewindFiles::default() }).await
    }

    /// Takes a queued prompt back; false if it was too late.
    pub async fn cancel_prompt(&self, uuid: &str) -> Result<bool, RequestError> {
        let message_uuid = uuid.to_owned();
        let request = CancelAsyncMessage { message_uuid, ..CancelAsyncMessage::default() };
        self.request(request).await.map(|reply| reply.cancelled == Some(true))
    }

    /// Stops a task.
    pub async fn stop_task(&self, task: &str) -> Result<(), RequestError> {
        let task_id = task.to_owned();
        self.request(StopTask { task_id, ..StopTask::default() }).await.map(drop)
    }

    /// Sends a running tool call into the background; false if it does not run.
    pub async fn background(&self, tool_use_id: &str) -> Result<bool, RequestError> {
        let tool_use_id = Some(tool_use_id.to_owned());
        let request = BackgroundTasks { tool_use_id, ..BackgroundTasks::default() };
        self.request(request).await.map(|reply| reply.backgrounded == Some(true))
    }

    /// Sends everything that runs into the background. The CLI does not say whether anything did.
    pub async fn background_all(&self) -> Result<(), RequestError> {
        self.request(BackgroundTasks::default()).await.map(drop)
    }

    /// The current plan.
    pub async fn plan(&self) -> Result<PlanReply, RequestError> {
        self.request(GetPlan::default()).await
    }

    /// Gives the session a title.
    pub async fn rename(&self, title: &str) -> Result<(), RequestError> {
        let (title, source) = (title.to_owned(), Some("host".to_owned()));
        self.request(RenameSession { title, source, ..RenameSession::default() }).await.map(drop)
    }
}
