//! `initialize`: the first line of a run.

use std::collections::BTreeMap;

use crate::hook::HookMatcher;
use crate::message::catalog::{AccountInfo, AgentInfo, ModelInfo, SlashCommand};
use crate::message::system::SessionState;
use crate::permission::PermissionMode;
use crate::raw::{Num, Raw};

object! {
    /// Introduces the host. May be repeated: hooks are registered anew, open requests come back.
    #[derive(Default)]
    pub struct Initialize {
        /// Hooks by event.
        hooks: Option<BTreeMap<String, Vec<HookMatcher>>>,
        /// Names of the MCP servers in the host.
        sdk_mcp_servers as "sdkMcpServers": Option<Vec<String>>,
        /// Their configuration.
        sdk_mcp_server_configs as "sdkMcpServerConfigs": Option<BTreeMap<String, SdkMcpConfig>>,
        /// Their handshakes, made beforehand.
        sdk_mcp_server_manifests as "sdkMcpServerManifests": Option<Raw>,
        /// The answer must match this schema.
        json_schema as "jsonSchema": Option<Raw>,
        /// Replaces the CLI's own prompt. `[""]` means none at all.
        system_prompt as "systemPrompt": Option<Vec<String>>,
        /// Added to the prompt.
        append_system_prompt as "appendSystemPrompt": Option<String>,
        /// Whether the prompt is recorded with the conversation.
        system_prompt_snapshot as "systemPromptSnapshot": Option<bool>,
        /// Replaces the instructions of plan mode.
        plan_mode_instructions as "planModeInstructions": Option<String>,
        /// Other names for tools.
        tool_aliases as "toolAliases": Option<BTreeMap<String, String>>,
        /// Leaves what changes out of the prompt.
        exclude_dynamic_sections as "excludeDynamicSections": Option<bool>,
        /// Subagents.
        agents: Option<BTreeMap<String, AgentDefinition>>,
        /// The session's title.
        title: Option<String>,
        /// Skills, where not all.
        skills: Option<Vec<String>>,
        /// Suggest what to say next.
        prompt_suggestions as "promptSuggestions": Option<bool>,
        /// Summarise what subagents do.
        agent_progress_summaries as "agentProgressSummaries": Option<bool>,
        /// Send text and thinking of subagents.
        forward_subagent_text as "forwardSubagentText": Option<bool>,
        /// Dialogs that the host can show.
        supported_dialog_kinds as "supportedDialogKinds": Option<Vec<String>>,
        /// The host can stop tasks one by one, so an interrupt leaves them alone.
        per_task_stop_affordance as "perTaskStopAffordance": Option<bool>,
        /// Plugins; only when the CLI was told to wait for them.
        plugins: Option<Vec<PluginSource>>,
    }
}

object! {
    /// An MCP server in the host.
    #[derive(Default)]
    pub struct SdkMcpConfig {
        /// Milliseconds a call may take, at least 1000.
        timeout: Option<u64>,
        /// Permissions by tool.
        tools: Option<Vec<Raw>>,
    }
}

object! {
    /// A plugin on this machine.
    #[derive(Default)]
    pub struct PluginSource {
        /// `local`.
        kind as "type": String,
        /// Its directory.
        path: String,
        /// Leave its MCP servers alone.
        skip_mcp_discovery as "skipMcpDiscovery": Option<bool>,
    }
}

object! {
    /// A subagent.
    #[derive(Default)]
    pub struct AgentDefinition {
        /// When to use it.
        description: String,
        /// Its system prompt.
        prompt: String,
        /// Its tools; all where missing.
        tools: Option<Vec<String>>,
        /// Tools it does not have.
        disallowed_tools as "disallowedTools": Option<Vec<String>>,
        /// Its model.
        model: Option<String>,
        /// Its MCP servers: names or configurations.
        mcp_servers as "mcpServers": Option<Vec<Raw>>,
        /// Its skills.
        skills: Option<Vec<String>>,
        /// What it is told first.
        initial_prompt as "initialPrompt": Option<String>,
        /// Rounds with the model.
        max_turns as "maxTurns": Option<u64>,
        /// When it compacts.
        auto_compact_window as "autoCompactWindow": Option<u64>,
        /// Runs in the background.
        background: Option<bool>,
        /// Leaves CLAUDE.md out.
        omit_claude_md as "omitClaudeMd": Option<bool>,
        /// Which memory it has: `user`, `project`, `local`.
        memory: Option<String>,
        /// A level, or a number.
        effort: Option<Raw>,
        /// Its mode.
        permission_mode as "permissionMode": Option<String>,
    }
}

object! {
    /// What the CLI says of itself.
    #[derive(Default)]
    pub struct InitializeReply {
        /// Slash commands.
        commands: Vec<SlashCommand>,
        /// Subagents.
        agents: Vec<AgentInfo>,
        /// Output style.
        output_style: Option<String>,
        /// Output styles there are.
        available_output_styles: Vec<String>,
        /// Where the user's own output styles are.
        user_output_styles_dir: Option<String>,
        /// Models.
        models: Vec<ModelInfo>,
        /// Whose account.
        account: Option<AccountInfo>,
        /// Its process.
        pid: Option<Num>,
        /// The CLI's version.
        claude_code_version: Option<String>,
        /// The mode.
        current_permission_mode: Option<PermissionMode>,
        /// Whether the hooks were taken.
        hooks_applied: Option<bool>,
        /// Whether a failing hook can block.
        hook_on_failure_supported: Option<bool>,
        /// Another hook's wish to ask counts more than a yes of the host's hook.
        other_hook_ask_outranks_host: Option<bool>,
        /// Whether feedback can be sent.
        feedback_mode: Option<FeedbackMode>,
        /// No statistics are sent.
        analytics_disabled: Option<bool>,
        /// The session is steered from elsewhere from the start.
        remote_control_auto_enable: Option<bool>,
        /// The default for connecting to where it is steered from.
        remote_control_auto_connect_default: Option<bool>,
        /// The session can be steered from elsewhere.
        remote_control_available: Option<bool>,
        /// The default for whether it is steered from elsewhere.
        remote_control_auto_on_by_default: Option<bool>,
        /// Whether editors may have it steered from elsewhere.
        ide_rc_auto_enable_gate: Option<bool>,
        /// `off`, `cooldown`, `on`.
        fast_mode_state: Option<String>,
        /// Why fast mode is off.
        fast_mode_disabled_reason: Option<String>,
        /// Whether a turn is under way.
        session_state: Option<SessionState>,
        /// What this CLI can do.
        capabilities: Option<Vec<String>>,
        /// Whether the plugins were taken.
        plugins_applied: Option<Raw>,
        /// What became of the handshakes.
        sdk_mcp_manifests_parked: Option<Raw>,
    }
}

object! {
    /// Whether feedback can be sent.
    #[derive(Default)]
    pub struct FeedbackMode {
        /// Such as `disabled`.
        kind: Option<String>,
    }
}
