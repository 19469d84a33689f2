//! Requests of the host, each tied to the type of its reply.

use crate::control::cli::McpMessage;
use crate::control::dialog::*;
use crate::control::initialize::{Initialize, InitializeReply};
use crate::control::mcp::*;
use crate::control::session::*;
use crate::control::settings::*;
use crate::control::workspace::*;
use crate::field::Wire;
use crate::raw::Raw;

/// A request that the host can make.
pub trait Request: Into<HostRequest> {
    /// What it gives.
    type Reply: Wire;
}

macro_rules! requests {
    ($( $(#[$meta:meta])* $name:ident = $subtype:literal -> $reply:ty ),* $(,)?) => {
        tagged! {
            /// A request of the host. Those that this CLI does not know are answered with an error.
            // One lives as long as it takes to write it: its size does not matter.
            #[allow(clippy::large_enum_variant)]
            pub enum HostRequest by "subtype" {
                $( $(#[$meta])* $name($name) = $subtype ),*
            }
        }

        $( impl Request for $name {
            type Reply = $reply;
        } )*
    };
}

requests! {
    /// Introduces the host; the first line of a run.
    Initialize = "initialize" -> InitializeReply,
    /// Aborts the current turn.
    Interrupt = "interrupt" -> InterruptReply,
    /// Changes the mode.
    SetPermissionMode = "set_permission_mode" -> PermissionModeReply,
    /// Changes the model.
    SetModel = "set_model" -> ModelReply,
    /// Changes how much is thought.
    SetMaxThinkingTokens = "set_max_thinking_tokens" -> Done,
    /// Changes settings for this session.
    ApplyFlagSettings = "apply_flag_settings" -> Done,
    /// Changes a settings file.
    UpdateSettings = "update_settings" -> Done,
    /// The settings in force.
    GetSettings = "get_settings" -> SettingsReply,
    /// The permission rules in force.
    ListPermissionRules = "list_permission_rules" -> PermissionRules,
    /// The hooks in force.
    GetHooksListing = "get_hooks_listing" -> HooksListing,
    /// What fills the context.
    GetContextUsage = "get_context_usage" -> ContextUsage,
    /// What was used, and the plan's limits.
    GetUsage = "get_usage" -> UsageReport,
    /// The session's cost as text.
    GetSessionCost = "get_session_cost" -> SessionCost,
    /// The CLI's version.
    GetBinaryVersion = "get_binary_version" -> BinaryVersion,
    /// The models there are.
    ListModels = "list_models" -> ModelList,
    /// Files whose names fit.
    FileSuggestions = "file_suggestions" -> SuggestedFiles,
    /// Reads a file, if the rules allow.
    ReadFile = "read_file" -> FileContents,
    /// Puts files back as they were before a prompt.
    RewindFiles = "rewind_files" -> RewindReply,
    /// Takes a queued prompt back.
    CancelAsyncMessage = "cancel_async_message" -> CancelReply,
    /// Tells that a file has been read.
    SeedReadState = "seed_read_state" -> Done,
    /// Adds a checkout below the directory.
    RegisterRepoRoot = "register_repo_root" -> RepoRoot,
    /// Loads plugins anew.
    ReloadPlugins = "reload_plugins" -> ReloadedPlugins,
    /// Loads skills anew.
    ReloadSkills = "reload_skills" -> ReloadedSkills,
    /// Loads output styles anew.
    ReloadOutputStyles = "reload_output_styles" -> ReloadedOutputStyles,
    /// Gives the session a title.
    RenameSession = "rename_session" -> Done,
    /// Gives the session a colour.
    SetColor = "set_color" -> Done,
    /// Stops a task.
    StopTask = "stop_task" -> Done,
    /// Sends what runs into the background.
    BackgroundTasks = "background_tasks" -> BackgroundReply,
    /// The end of a task's output.
    GetTaskOutput = "get_task_output" -> TaskOutput,
    /// Tells whether anybody watches.
    SetHasSubscribers = "set_has_subscribers" -> Done,
    /// How the MCP servers are.
    McpStatus = "mcp_status" -> McpStatusReply,
    /// Replaces the MCP servers that the host has added.
    McpSetServers = "mcp_set_servers" -> McpSetServersReply,
    /// Connects an MCP server anew.
    McpReconnect = "mcp_reconnect" -> Done,
    /// Switches an MCP server on or off.
    McpToggle = "mcp_toggle" -> Done,
    /// Calls an MCP tool without the model.
    McpCall = "mcp_call" -> Raw,
    /// Reads a resource of an MCP server.
    McpReadResource = "mcp_read_resource" -> Raw,
    /// A message of an MCP server in the host.
    McpMessage = "mcp_message" -> Done,
    /// Tightens the mode for one MCP server.
    SetMcpPermissionModeOverride = "set_mcp_permission_mode_override" -> Raw,
    /// The plan.
    GetPlan = "get_plan" -> PlanReply,
    /// Thinks of a title.
    GenerateSessionTitle = "generate_session_title" -> TitleReply,
    /// Asks something beside the conversation.
    SideQuestion = "side_question" -> SideAnswer,
    /// What `/status` shows.
    GetStatus = "get_status" -> StatusReport,
    /// What `/memory` shows.
    GetMemoryDialog = "get_memory_dialog" -> MemoryDialog,
    /// What `/skills` shows.
    GetSkillsDialog = "get_skills_dialog" -> SkillsDialog,
    /// What `/sandbox` shows.
    GetSandboxDialog = "get_sandbox_dialog" -> SandboxDialog,
    /// The conversation as text.
    ExportConversation = "export_conversation" -> ExportedConversation,
    /// What has changed in the checkout.
    GetWorkspaceDiff = "get_workspace_diff" -> WorkspaceDiff,
    /// Changes the directory.
    SetCwd = "set_cwd" -> CwdReply,
    /// Ends the session. Closing stdin is better.
    EndSession = "end_session" -> Done,
}

object! {
    /// Nothing to say but that it is done.
    #[derive(Default)]
    pub struct Done {}
}
