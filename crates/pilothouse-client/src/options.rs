//! How a conversation is started.

use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::time::Duration;

use pilothouse_wire::Raw;
use pilothouse_wire::control::cli::{DialogResult, Elicitation, ElicitationResult, UserDialog};
use pilothouse_wire::control::initialize::{AgentDefinition, Initialize};
use pilothouse_wire::hook::{HookMatcher, OnFailure};
use pilothouse_wire::invocation::{Invocation, PermissionMode, PermissionPrompts, Program, Start};
use pilothouse_wire::permission::{CanUseTool, PermissionResult};
use rmcp::schemars::JsonSchema;
use rmcp::schemars::generate::SchemaSettings;

use crate::answering::HOOK_ID;
use crate::error::StartError;
use crate::handler::{Handlers, Hook, TokenRequest};
use crate::locate::Cli;
use crate::mcp::{McpHost, McpServer};
use crate::process::{Launch, StopLadder};

/// How long the CLI may take to come up. MCP servers and start-up hooks count.
const STARTUP: Duration = Duration::from_secs(60);

/// How long the CLI may take to answer a request.
const REQUEST: Duration = Duration::from_secs(60);

/// Everything about a conversation that is settled before it begins.
///
/// What goes on the command line is in [`Options::invocation`], what goes into the first message in
/// [`Options::initialize`]; both are public and complete. Handlers are added by the methods here.
///
/// ```
/// use pilothouse_client::wire::invocation::Invocation;
/// use pilothouse_client::Options;
///
/// let options = Options::new(Invocation::new().model("sonnet").cwd("/srv/app").partial_messages())
///     .on_permission(|ask| async move {
///         if ask.tool_name == "Bash" { ask.deny("No shell, please.") } else { ask.allow() }
///     });
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Which CLI to run.
    pub cli: Cli,
    /// What goes on the command line and into the environment, the working directory included.
    pub invocation: Invocation,
    /// What goes into the first message. Hooks and MCP servers of the program are added to it.
    pub initialize: Initialize,
    /// Start from an empty environment; [`Invocation::extra_env`] is then all there is.
    pub clear_env: bool,
    /// How long the CLI may take to come up.
    pub startup_timeout: Duration,
    /// How long the CLI may take to answer a request; `None` for as long as it likes. CLIs as old
    /// as 2.1.7 do not answer requests that they do not know: those take all of it.
    pub request_timeout: Option<Duration>,
    /// How patiently it is stopped.
    pub stop_ladder: StopLadder,
    pub(crate) handlers: Handlers,
    pub(crate) mcp_servers: Vec<McpServer>,
}

impl Default for Options {
    fn default() -> Self {
        Self::new(Invocation::new())
    }
}

impl Options {
    /// Options with this command line.
    pub fn new(invocation: Invocation) -> Self {
        Self {
            cli: Cli::default(),
            invocation,
            initialize: Initialize::default(),
            clear_env: false,
            startup_timeout: STARTUP,
            request_timeout: Some(REQUEST),
            stop_ladder: StopLadder::default(),
            handlers: Handlers::default(),
            mcp_servers: Vec::new(),
        }
    }

    /// Runs this CLI.
    #[must_use]
    pub fn cli(mut self, cli: Cli) -> Self {
        self.cli = cli;
        self
    }

    /// Asks `handler` for every permission that no rule gives. Plan exits and questions of the
    /// model come this way too; see [`CanUseTool`]. The permission mode is then `default` unless
    /// another is chosen.
    #[must_use]
    pub fn on_permission<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(CanUseTool) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = PermissionResult> + Send + 'static,
    {
        self.handlers.on_permission(handler);
        self
    }

    /// Asks `handler` what MCP servers want to know from the user. Without one they are declined.
    #[must_use]
    pub fn on_elicitation<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ElicitationResult> + Send + 'static,
    {
        self.handlers.on_elicitation(handler);
        self
    }

    /// Shows dialogs of these kinds.
    #[must_use]
    pub fn on_dialog<F, Fut>(mut self, kinds: &[&str], handler: F) -> Self
    where
        F: Fn(UserDialog) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = DialogResult> + Send + 'static,
    {
        let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        self.initialize.supported_dialog_kinds = Some(kinds);
        self.handlers.on_dialog(handler);
        self
    }

    /// Gives fresh tokens when the CLI wants one; see [`Invocation::oauth_refresh`] and
    /// [`Invocation::host_auth_refresh`], which announce it.
    #[must_use]
    pub fn on_token<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(TokenRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Raw, String>> + Send + 'static,
    {
        self.handlers.on_token(handler);
        self
    }

    /// Adds a hook.
    #[must_use]
    pub fn hook(mut self, hook: Hook) -> Self {
        self.handlers.hooks.push(hook);
        self
    }

    /// Adds an MCP server that lives in this process.
    #[must_use]
    pub fn mcp_server(mut self, server: McpServer) -> Self {
        self.mcp_servers.push(server);
        self
    }

    /// Adds a subagent.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, agent: AgentDefinition) -> Self {
        self.initialize.agents.get_or_insert_default().insert(name.into(), agent);
        self
    }

    /// Has the model answer with a `T`; [`Turn::answer`](crate::Turn::answer) gives it. Comments on
    /// its fields become descriptions that the model reads.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use pilothouse_client::mcp::schemars;
    /// use pilothouse_client::{Options, query};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// #[schemars(crate = "pilothouse_client::mcp::schemars")]
    /// struct Count {
    ///     /// Lines of code, without comments.
    ///     lines: u64,
    /// }
    ///
    /// let options = Options::default().answer_as::<Count>();
    /// let turn = query("How many lines of Rust are here?", options).await?.turn().await?;
    /// println!("{}", turn.answer::<Count>()?.lines);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn answer_as<T: JsonSchema>(mut self) -> Self {
        // The CLI reads this draft; it refuses the newer one that `schema_for!` makes.
        let generator = SchemaSettings::draft07().into_generator();
        self.invocation = self.invocation.json_schema(generator.into_root_schema_for::<T>());
        self
    }

    /// Whether the CLI may ask anything of the program.
    pub(crate) fn answers_requests(&self) -> bool {
        !self.mcp_servers.is_empty()
            || !self.handlers.hooks.is_empty()
            || self.handlers.permission.is_some()
            || self.handlers.elicitation.is_some()
            || self.handlers.dialog.is_some()
            || self.handlers.token.is_some()
    }

    /// The session that is taken up again.
    pub(crate) fn resumed(&self) -> Option<&str> {
        match &self.invocation.start {
            Start::Resume(resume) => Some(&resume.session),
            Start::New { .. } | Start::Continue { .. } => None,
        }
    }

    pub(crate) fn launch(&self) -> Result<Launch, StartError> {
        let (path, mut args) = self.cli.resolve()?;
        let program = Program::new(path)?;
        let mut invocation = self.invocation.clone();
        if self.handlers.permission.is_some() {
            if invocation.permission_prompts == PermissionPrompts::Unset {
                invocation.permission_prompts = PermissionPrompts::Host;
            }
            // Without a mode the CLI may choose `auto`, and the handler would hardly be asked.
            invocation.permission_mode.get_or_insert(PermissionMode::Default);
        }
        if let Some(cwd) = invocation.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
            return Err(StartError::NoSuchDirectory { path: cwd.clone() });
        }
        for file in &invocation.mcp_config_files {
            check_mcp_config(file, invocation.cwd.as_deref())?;
        }
        args.splice(0..0, program.prefix_args);
        args.extend(invocation.argv()?);
        let env = invocation.env()?;
        Ok(Launch {
            exe: program.exe,
            args,
            cwd: invocation.cwd,
            clear_env: self.clear_env,
            set_env: env.set,
            remove_env: env.remove,
        })
    }

    pub(crate) fn initialize_request(&self, mcp: &McpHost) -> Initialize {
        let mut initialize = self.initialize.clone();
        let names = mcp.names();
        if !names.is_empty() {
            initialize.sdk_mcp_servers.get_or_insert_default().extend(names);
            let configs = mcp.configs();
            if !configs.is_empty() {
                initialize.sdk_mcp_server_configs.get_or_insert_default().extend(configs);
            }
        }
        for (event, matcher) in self.hook_matchers() {
            let hooks = initialize.hooks.get_or_insert_with(BTreeMap::new);
            hooks.entry(event).or_default().push(matcher);
        }
        if initialize.json_schema.is_none()
            && let Some(schema) = &self.invocation.json_schema
        {
            initialize.json_schema = Some(Raw::from(schema.clone()));
        }
        initialize
    }

    fn hook_matchers(&self) -> impl Iterator<Item = (String, HookMatcher)> {
        self.handlers.hooks.iter().enumerate().map(|(index, hook)| {
            let matcher = HookMatcher {
                matcher: hook.matcher.clone(),
                hook_callback_ids: vec![format!("{HOOK_ID}{index}")],
                timeout: hook.timeout_seconds.map(Into::into),
                on_failure: hook.must_work.then_some(OnFailure::Block),
                ..HookMatcher::default()
            };
            (hook.event.as_str().to_owned(), matcher)
        })
    }
}

/// Older CLIs end without a word over a configuration that they cannot read, newer ones drop the
/// server.
fn check_mcp_config(file: &Path, cwd: Option<&Path>) -> Result<(), StartError> {
    #[derive(serde::Deserialize)]
    struct Config {
        #[serde(default, rename = "mcpServers")]
        servers: BTreeMap<String, serde_json::Value>,
    }
    let path = cwd.map_or_else(|| file.to_owned(), |cwd| cwd.join(file));
    let refuse = |error: &dyn std::fmt::Display| StartError::McpConfigRefused {
        message: format!("{}: {error}", path.display()),
    };
    let text = std::fs::read_to_string(&path).map_err(|error| refuse(&error))?;
    let config: Config = serde_json::from_str(&text).map_err(|error| refuse(&error))?;
    for (name, server) in &config.servers {
        let checked = pilothouse_wire::invocation::McpServer::from_json(name, server);
        checked.and_then(|server| server.to_json(name)).map_err(|error| refuse(&error))?;
    }
    Ok(())
}
