//! Everything that can be said when a run starts.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::identity::{ClientApp, Entrypoint};
use super::masked::Masked;
use super::mcp::McpServer;
use super::sandbox::Sandbox;
use super::settings::{ManagedSettings, Settings};
use super::start::Start;
use super::values::{
    BaseTools, Debug, Effort, PermissionMode, PermissionPrompts, Plugin, PreviewFormat, PromptText,
    SettingSource, Startup, StateEvents, Thinking, ThinkingDisplay, TraceContext,
};

/// How the CLI is started.
///
/// Fields can be set directly, or with the methods of the same names, which can be chained. What is
/// left out is left to the CLI. With all of it left out, the CLI behaves as in a terminal: its own
/// system prompt, all settings files, all tools, and, where the model allows it, a classifier in
/// place of permission prompts; a host that wants to be asked sets
/// [`PermissionMode::Default`] and [`PermissionPrompts::Host`].
///
/// Some options are refused by older CLIs; [`Flag::known_since`](super::Flag::known_since) says
/// which, and [`Rejection`](super::Rejection) recognises the refusal.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Invocation {
    /// The model: an alias (`opus`) or a full name.
    pub model: Option<String>,
    /// Models to fall back on, in order, when the main one is overloaded. Older CLIs (2.1.62) take
    /// one only.
    pub fallback_models: Vec<String>,
    /// The agent that leads the conversation.
    pub agent: Option<String>,
    /// Whether and how much the model thinks.
    pub thinking: Option<Thinking>,
    /// How thinking is shown; without effect while thinking is disabled.
    pub thinking_display: Option<ThinkingDisplay>,
    /// How hard the model tries.
    pub effort: Option<Effort>,
    /// Beta features of the API.
    pub betas: Vec<String>,
    /// The schema of the structured result. A large one is better sent in the `initialize` request.
    pub json_schema: Option<Value>,

    /// How many turns of the model a prompt may take.
    pub max_turns: Option<u32>,
    /// What the run may cost, in US dollars.
    pub max_budget_usd: Option<f64>,
    /// How many tokens a task may take.
    pub task_budget: Option<u64>,

    /// Replaces the CLI's own system prompt. An empty text means an *empty* prompt; the CLI's own
    /// prompt is what comes of leaving this out.
    pub system_prompt: Option<PromptText>,
    /// Is added to the system prompt. A conversation records its prompt: text that differs from
    /// that of the first run is ignored on resume until the conversation is compacted.
    pub append_system_prompt: Option<PromptText>,

    /// What may be done without asking. Left out, the settings decide, and else the CLI: `auto`
    /// where the model allows it.
    pub permission_mode: Option<PermissionMode>,
    /// Makes [`PermissionMode::BypassPermissions`] available, now or later in the run.
    pub allow_bypass: bool,
    /// Who answers when permission is needed.
    pub permission_prompts: PermissionPrompts,
    /// Rules that allow: `Read`, `Bash(git log *)`. They are never asked about.
    pub allowed_tools: Vec<String>,
    /// Rules that deny; a bare name removes the tool.
    pub disallowed_tools: Vec<String>,
    /// Which built-in tools exist at all.
    pub tools: Option<BaseTools>,

    /// MCP servers of this run, by name.
    pub mcp_servers: BTreeMap<String, McpServer>,
    /// Files with more of them, in the form of `.mcp.json`.
    pub mcp_config_files: Vec<PathBuf>,
    /// No MCP servers but those of this run.
    pub strict_mcp: bool,

    /// Which settings files are read. `Some` of nothing means none; left out, all of them are.
    pub setting_sources: Option<Vec<SettingSource>>,
    /// Settings of this run.
    pub settings: Option<Settings>,
    /// The sandbox of shell commands; becomes a part of the inline settings.
    pub sandbox: Option<Sandbox>,
    /// Settings above all others.
    pub managed_settings: Option<ManagedSettings>,

    /// Which conversation the run starts with.
    pub start: Start,
    /// The conversation is not written to disk and cannot be resumed.
    pub ephemeral: bool,
    /// The CLI sends what it writes to the transcript to the host as well.
    pub session_mirror: bool,

    /// The directory the process is to be started in; goes into `PWD`.
    pub cwd: Option<PathBuf>,
    /// More directories that tools may touch.
    pub add_dirs: Vec<PathBuf>,
    /// The trusted checkout that a working directory in a worktree takes its configuration from.
    pub project_config_root: Option<PathBuf>,
    /// Plugins of this run.
    pub plugins: Vec<Plugin>,

    /// Messages are sent in pieces too, while they are written.
    pub partial_messages: bool,
    /// All hooks are reported, not only those of the session's start.
    pub hook_events: bool,
    /// Each user message is sent back when it is taken up. Newer CLIs (2.1.325) send back
    /// `control_response` lines as well.
    pub replay_user_messages: bool,

    /// What the CLI waits for before it starts up.
    pub startup: Startup,
    /// The debug log.
    pub debug: Debug,
    /// Where the debug log goes; switches it on.
    pub debug_file: Option<PathBuf>,

    /// Flags that have no option here: names without dashes, and values for those that take one.
    pub extra_args: Vec<(String, Option<OsString>)>,

    /// Who starts the CLI.
    pub entrypoint: Entrypoint,
    /// Who starts the CLI, in the User-Agent.
    pub client_app: ClientApp,
    /// Whether the CLI tells when the session runs, waits or is idle. On unless set.
    pub state_events: StateEvents,
    /// Failures to start up come as a `result` message too, as far as the CLI can. On unless set.
    pub startup_failure_results: bool,
    /// Files are saved before tools change them, so that they can be rewound.
    pub file_checkpointing: bool,
    /// How the previews of a question's options are written.
    pub question_preview: Option<PreviewFormat>,
    /// The CLI tells how far its start-up is.
    pub startup_marks: bool,
    /// The host can renew OAuth tokens when the CLI asks.
    pub oauth_refresh: bool,
    /// The host can renew its own tokens when the CLI asks.
    pub host_auth_refresh: bool,
    /// How long background work may go on once the host has closed the pipe; zero means for ever.
    pub background_wait: Option<Duration>,
    /// Where the CLI keeps settings and conversations, in place of `~/.claude`.
    pub config_dir: Option<PathBuf>,
    /// The span that the run belongs to.
    pub trace: Option<TraceContext>,
    /// More environment variables. They win over everything else here but the host's identity.
    pub extra_env: Masked<OsString>,
    /// Inherited environment variables that the CLI is not to see.
    pub env_remove: Vec<String>,
}

impl Default for Invocation {
    fn default() -> Self {
        Self {
            model: None,
            fallback_models: Vec::new(),
            agent: None,
            thinking: None,
            thinking_display: None,
            effort: None,
            betas: Vec::new(),
            json_schema: None,
            max_turns: None,
            max_budget_usd: None,
            task_budget: None,
            system_prompt: None,
            append_system_prompt: None,
            permission_mode: None,
            allow_bypass: false,
            permission_prompts: PermissionPrompts::Unset,
            allowed_tools: Vec::new(),
            disallowed_tools: Vec::new(),
            tools: None,
            mcp_servers: BTreeMap::new(),
            mcp_config_files: Vec::new(),
            strict_mcp: false,
            setting_sources: None,
            settings: None,
            sandbox: None,
            managed_settings: None,
            start: Start::default(),
            ephemeral: false,
            session_mirror: false,
            cwd: None,
            add_dirs: Vec::new(),
            project_config_root: None,
            plugins: Vec::new(),
            partial_messages: false,
            hook_events: false,
            replay_user_messages: false,
            startup: Startup::Immediate,
            debug: Debug::Off,
            debug_file: None,
            extra_args: Vec::new(),
            entrypoint: Entrypoint::default(),
            client_app: ClientApp::default(),
            state_events: StateEvents::Emitted,
            startup_failure_results: true,
            file_checkpointing: false,
            question_preview: None,
            startup_marks: false,
            oauth_refresh: false,
            host_auth_refresh: false,
            background_wait: None,
            config_dir: None,
            trace: None,
            extra_env: Masked::default(),
            env_remove: Vec::new(),
        }
    }
}
