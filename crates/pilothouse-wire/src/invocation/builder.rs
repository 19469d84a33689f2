//! The chainable methods of [`Invocation`]. They carry the names of the fields, where each is
//! documented.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::identity::{ClientApp, Entrypoint};
use super::mcp::McpServer;
use super::options::Invocation;
use super::sandbox::Sandbox;
use super::settings::{ManagedSettings, Settings};
use super::start::Start;
use super::values::{
    BaseTools, Debug, Effort, PermissionMode, PermissionPrompts, Plugin, PreviewFormat, PromptText,
    SettingSource, Startup, StateEvents, Thinking, ThinkingDisplay, TraceContext,
};

macro_rules! link {
    ($verb:literal, $field:ident) => {
        concat!(
            $verb,
            " [`",
            stringify!($field),
            "`](struct.Invocation.html#structfield.",
            stringify!($field),
            ")."
        )
    };
}

/// `maybe` sets an option, `plain` a field with a value of its own, `more` adds to a list, `on`
/// switches something on.
macro_rules! setters {
    (maybe { $( $maybe:ident: $maybe_ty:ty, )* }
     plain { $( $plain:ident: $plain_ty:ty, )* }
     more { $( $more:ident: $more_ty:ty, )* }
     on { $( $on:ident, )* }) => {
        impl Invocation {
            $(
                #[doc = link!("Sets", $maybe)]
                pub fn $maybe(mut self, value: impl Into<$maybe_ty>) -> Self {
                    self.$maybe = Some(value.into());
                    self
                }
            )*
            $(
                #[doc = link!("Sets", $plain)]
                pub fn $plain(mut self, value: impl Into<$plain_ty>) -> Self {
                    self.$plain = value.into();
                    self
                }
            )*
            $(
                #[doc = link!("Adds to", $more)]
                pub fn $more<T: Into<$more_ty>>(
                    mut self,
                    entries: impl IntoIterator<Item = T>,
                ) -> Self {
                    self.$more.extend(entries.into_iter().map(Into::into));
                    self
                }
            )*
            $(
                #[doc = link!("Switches on", $on)]
                pub fn $on(mut self) -> Self {
                    self.$on = true;
                    self
                }
            )*
        }
    };
}

setters! {
    maybe {
        model: String,
        agent: String,
        thinking: Thinking,
        thinking_display: ThinkingDisplay,
        effort: Effort,
        json_schema: Value,
        max_turns: u32,
        max_budget_usd: f64,
        task_budget: u64,
        system_prompt: PromptText,
        append_system_prompt: PromptText,
        permission_mode: PermissionMode,
        tools: BaseTools,
        settings: Settings,
        sandbox: Sandbox,
        managed_settings: ManagedSettings,
        cwd: PathBuf,
        project_config_root: PathBuf,
        debug_file: PathBuf,
        question_preview: PreviewFormat,
        background_wait: Duration,
        config_dir: PathBuf,
        trace: TraceContext,
    }
    plain {
        permission_prompts: PermissionPrompts,
        start: Start,
        startup: Startup,
        debug: Debug,
        entrypoint: Entrypoint,
        client_app: ClientApp,
        state_events: StateEvents,
    }
    more {
        fallback_models: String,
        betas: String,
        allowed_tools: String,
        disallowed_tools: String,
        mcp_config_files: PathBuf,
        add_dirs: PathBuf,
        plugins: Plugin,
        env_remove: String,
    }
    on {
        allow_bypass,
        strict_mcp,
        ephemeral,
        session_mirror,
        partial_messages,
        hook_events,
        replay_user_messages,
        file_checkpointing,
        startup_marks,
        oauth_refresh,
        host_auth_refresh,
    }
}

impl Invocation {
    /// A run that leaves everything to the CLI.
    pub fn new() -> Self {
        Self::default()
    }

    #[doc = link!("Sets", setting_sources)]
    pub fn setting_sources(mut self, sources: impl IntoIterator<Item = SettingSource>) -> Self {
        self.setting_sources = Some(sources.into_iter().collect());
        self
    }

    /// Adds an MCP server, in place of an older one of that name.
    pub fn mcp_server(mut self, name: impl Into<String>, server: McpServer) -> Self {
        self.mcp_servers.insert(name.into(), server);
        self
    }

    /// Adds a flag without a value; its name is written without dashes.
    pub fn extra_flag(mut self, name: impl Into<String>) -> Self {
        self.extra_args.push((name.into(), None));
        self
    }

    /// Adds a flag with a value; its name is written without dashes.
    pub fn extra_arg(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.extra_args.push((name.into(), Some(value.into())));
        self
    }

    /// Sets an environment variable of the CLI.
    pub fn env_var(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.extra_env.insert(name, value);
        self
    }
}
