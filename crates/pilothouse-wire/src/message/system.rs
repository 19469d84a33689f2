//! `system`: the state of the session and of its turns. Tasks and hooks have files of their own.

use crate::field::Nullable;
use crate::message::assistant::AssistantError;
use crate::message::catalog::{Plugin, SlashCommand};
use crate::message::hooks::{HookProgress, HookResponse, HookStarted};
use crate::message::notice::*;
use crate::message::task::{
    BackgroundTasksChanged, TaskNotification, TaskProgress, TaskStarted, TaskUpdated,
};
use crate::permission::PermissionMode;
use crate::raw::{Num, Raw};

tagged! {
    /// A `system` message.
    pub enum System by "subtype" {
        /// A turn begins.
        Init(Box<Init>) = "init",
        /// What the CLI is doing; also a change of mode.
        Status(Status) = "status",
        /// Idle, running, or waiting for the host.
        SessionStateChanged(SessionStateChanged) = "session_state_changed",
        /// What came before is summarised.
        CompactBoundary(CompactBoundary) = "compact_boundary",
        /// An API call failed and will be tried again.
        ApiRetry(ApiRetry) = "api_retry",
        /// How much has been thought, while the text is withheld.
        ThinkingTokens(ThinkingTokens) = "thinking_tokens",
        /// Output of a slash command.
        LocalCommandOutput(LocalCommandOutput) = "local_command_output",
        /// Something to show.
        Informational(Informational) = "informational",
        /// Something to show for a moment.
        Notification(Notification) = "notification",
        /// The slash commands have changed.
        CommandsChanged(CommandsChanged) = "commands_changed",
        /// Memories that were brought in.
        MemoryRecall(MemoryRecall) = "memory_recall",
        /// The model refused and another answers.
        ModelRefusalFallback(ModelRefusalFallback) = "model_refusal_fallback",
        /// The model refused.
        ModelRefusalNoFallback(ModelRefusalNoFallback) = "model_refusal_no_fallback",
        /// A tool was denied without asking.
        PermissionDenied(PermissionDenied) = "permission_denied",
        /// An elicitation by address is over.
        ElicitationComplete(ElicitationComplete) = "elicitation_complete",
        /// Files were stored.
        FilesPersisted(FilesPersisted) = "files_persisted",
        /// A plugin is being installed.
        PluginInstall(PluginInstall) = "plugin_install",
        /// Progress of one of the host's requests.
        ControlRequestProgress(ControlRequestProgress) = "control_request_progress",
        /// The CLI is about to end.
        WorkerShuttingDown(WorkerShuttingDown) = "worker_shutting_down",
        /// The transcript could not be written.
        SessionWritesLost(SessionWritesLost) = "session_writes_lost",
        /// The transcript's mirror could not be written.
        MirrorError(MirrorError) = "mirror_error",
        /// A hook began.
        HookStarted(HookStarted) = "hook_started",
        /// A hook wrote something.
        HookProgress(HookProgress) = "hook_progress",
        /// A hook ended.
        HookResponse(HookResponse) = "hook_response",
        /// A task began.
        TaskStarted(TaskStarted) = "task_started",
        /// A task goes on.
        TaskProgress(TaskProgress) = "task_progress",
        /// A task changed.
        TaskUpdated(TaskUpdated) = "task_updated",
        /// A task ended.
        TaskNotification(TaskNotification) = "task_notification",
        /// All tasks that are alive.
        BackgroundTasksChanged(BackgroundTasksChanged) = "background_tasks_changed",
        /// The session has a new title.
        SessionTitleChanged(SessionTitleChanged) = "session_title_changed",
        /// What a turn came to.
        PostTurnSummary(PostTurnSummary) = "post_turn_summary",
        /// What a task came to.
        TaskSummary(TaskSummary) = "task_summary",
        /// Whether a permission is being checked.
        PermissionCheckStatus(PermissionCheckStatus) = "permission_check_status",
        /// Requests of an earlier host that are still open.
        InheritedAsksSettled(InheritedAsksSettled) = "inherited_asks_settled",
    }
}

object! {
    /// A turn begins. What the session really has.
    #[derive(Default)]
    pub struct Init {
        /// The directory; follows the shell.
        cwd: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Tools.
        tools: Vec<String>,
        /// MCP servers.
        mcp_servers: Vec<McpServerSummary>,
        /// The model.
        model: Option<String>,
        /// The mode.
        permission_mode as "permissionMode": Option<PermissionMode>,
        /// Names of slash commands; the `initialize` reply describes them.
        slash_commands: Vec<String>,
        /// Slash commands of use in a terminal only.
        terminal_slash_commands: Option<Vec<String>>,
        /// Where the key is from; `none` with a login.
        api_key_source as "apiKeySource": Option<String>,
        /// The CLI's version.
        claude_code_version: Option<String>,
        /// Output style.
        output_style: Option<String>,
        /// Agents.
        agents: Option<Vec<String>>,
        /// Skills.
        skills: Vec<String>,
        /// Plugins.
        plugins: Vec<Plugin>,
        /// What this CLI can do; see [`crate::capability`].
        capabilities: Option<Vec<String>>,
        /// No statistics are sent.
        analytics_disabled: Option<bool>,
        /// No feedback can be sent.
        product_feedback_disabled: Option<bool>,
        /// Names this frame.
        uuid: Option<String>,
        /// Where memories are kept.
        memory_paths: Option<MemoryPaths>,
        /// The directory in which the CLI was started.
        original_cwd: Option<String>,
        /// Other directories that may be worked in.
        additional_directories: Option<Vec<String>>,
        /// Where other sessions on this machine reach this one.
        messaging_socket_path: Option<String>,
        /// `off`, `cooldown`, `on`.
        fast_mode_state: Option<String>,
        /// Why fast mode is off.
        fast_mode_disabled_reason: Option<String>,
        /// The effort can change from turn to turn.
        per_turn_effort_active: Option<bool>,
        /// A word in the prompt can raise the effort.
        ultrathink_available: Option<bool>,
        /// A word in the prompt raises the effort where a person typed it.
        ultrathink_typed_raises: Option<bool>,
        /// `focus`, `default`.
        view_mode: Option<String>,
        /// The prompts that the turn answers.
        user_message_uuids: Option<Vec<String>>,
        /// Plugins that did not load.
        plugin_errors: Option<Raw>,
        /// Betas.
        betas: Option<Vec<String>>,
        /// Effort.
        effort: Nullable<Raw>,
    }
}

object! {
    /// Where memories are kept.
    #[derive(Default)]
    pub struct MemoryPaths {
        /// What the CLI remembers by itself.
        auto: Option<String>,
    }
}

object! {
    /// An MCP server in one line.
    #[derive(Default)]
    pub struct McpServerSummary {
        /// Its name.
        name: Option<String>,
        /// Its state.
        status: Option<String>,
        /// Where it is configured.
        source: Option<String>,
    }
}

object! {
    /// What the CLI is doing.
    #[derive(Default)]
    pub struct Status {
        /// `compacting`, `requesting`, or null.
        status: Nullable<String>,
        /// The mode, when it has changed.
        permission_mode as "permissionMode": Option<PermissionMode>,
        /// How much of the summary is written, in characters.
        compact_output_chars: Option<u64>,
        /// How compacting ended.
        compact_result: Option<String>,
        /// Why it failed.
        compact_error: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The prompts that are served.
        user_message_uuids: Option<Vec<String>>,
    }
}

words! {
    /// Whether anything is owed.
    pub enum SessionState {
        /// Nothing more will come by itself.
        Idle = "idle",
        Running = "running",
        /// The host must answer a request.
        RequiresAction = "requires_action",
    }
}

object! {
    /// The session's state has changed.
    pub struct SessionStateChanged {
        /// The state.
        state: SessionState,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Meant for the host's own bookkeeping.
        sdk_host_only: Option<bool>,
    }
}

object! {
    /// What came before is summarised.
    #[derive(Default)]
    pub struct CompactBoundary {
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// Why, and how much.
        compact_metadata: Option<CompactMetadata>,
        /// The message that came before, now summarised.
        logical_parent_uuid: Nullable<String>,
    }
}

object! {
    /// Why and how much was compacted.
    #[derive(Default)]
    pub struct CompactMetadata {
        /// `manual`, `auto`.
        trigger: Option<String>,
        /// Tokens before.
        pre_tokens: Option<u64>,
        /// Tokens after.
        post_tokens: Option<u64>,
        /// Tokens that all summaries of the session have saved.
        cumulative_dropped_tokens: Option<u64>,
        /// Milliseconds.
        duration_ms: Option<Num>,
        /// What was kept.
        preserved_segment: Option<Raw>,
        /// What was kept.
        preserved_messages: Option<Raw>,
    }
}

object! {
    /// An API call failed and will be tried again.
    #[derive(Default)]
    pub struct ApiRetry {
        /// Which try this was.
        attempt: Option<u64>,
        /// How many there can be.
        max_retries: Option<u64>,
        /// Milliseconds until the next.
        retry_delay_ms: Option<Num>,
        /// HTTP status.
        error_status: Nullable<u64>,
        /// What failed.
        error: Option<AssistantError>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The API did not answer.
        no_response: Option<Raw>,
    }
}

object! {
    /// How much has been thought.
    #[derive(Default)]
    pub struct ThinkingTokens {
        /// So far.
        estimated_tokens: Option<u64>,
        /// Since the last.
        estimated_tokens_delta: Option<u64>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The prompt.
        user_message_uuid: Option<String>,
    }
}

object! {
    /// The slash commands have changed: this list replaces the old.
    #[derive(Default)]
    pub struct CommandsChanged {
        /// The commands.
        commands: Vec<SlashCommand>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}
