//! How the runs of a session are started: chosen when it is created, kept with it.

mod given;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pilothouse_client::{Cli, StartError};
use pilothouse_session::command::mode_named;
use pilothouse_session::effect::Launch;
use pilothouse_session::event::{RunOrigin, Thinking as Effort};
use pilothouse_wire::control::initialize::Initialize;
use pilothouse_wire::invocation::{
    Invocation, InvocationError, McpServer, PermissionMode, PermissionPrompts, Program, Resume,
    SettingSource, Settings, Start, Thinking, TraceContext,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::secrets::{MOST_SECRETS, of_profile};

pub(crate) use given::GivenFile;

/// How the runs of a session are started. What is left out is left to the CLI.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// The executable of the CLI, where it is not the host's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claude: Option<PathBuf>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The permission mode: `default`, `acceptEdits`, `plan`, …, or `ask` and `act`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// How hard the model thinks: `low`, `medium`, `high` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// The most tokens of thinking; 0 for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_thinking_tokens: Option<u32>,
    /// Added to the CLI's system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// Other directories the session works in; absolute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub add_dirs: Vec<PathBuf>,
    /// MCP servers by name, as in the CLI's own configuration.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp_servers: BTreeMap<String, Value>,
    /// Use no other MCP servers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub strict_mcp: bool,
    /// Subagents by name, as the CLI defines them.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub agents: Map<String, Value>,
    /// Settings of the CLI, as in its settings files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
    /// Tools that need no permission, as the CLI writes rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// Tools that may not be used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<String>,
    /// The most turns of the model for one prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// The most money for one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_budget_usd: Option<f64>,
    /// Variables of the CLI's environment. Secrets among them are kept in the host's database.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Other flags of the CLI, without their dashes; `null` for those without a value.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_args: BTreeMap<String, Option<String>>,
    /// Let the session use the CLI's mode that asks nothing at all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub allow_bypass: bool,
    /// Settings files that are read at most: `user`, `project`, `local`; all where it is left out.
    /// In a directory that is not trusted only `user` is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting_sources: Option<Vec<String>>,
    /// Ask about every call that no rule allows, also about those that the CLI would not ask about.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub see_every_call: bool,
}

/// What a run is started with beside its profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunTerms {
    /// The span that the run belongs to.
    pub(crate) trace: Option<String>,
    /// Whether the repository's own configuration is used.
    pub(crate) is_trusted: bool,
}

/// What is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) exe: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) set_env: Vec<(OsString, OsString)>,
    pub(crate) remove_env: Vec<OsString>,
    /// What the arguments only name: to be written first.
    pub(crate) files: Vec<GivenFile>,
}

/// A profile says something that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The CLI cannot be found.
    #[error(transparent)]
    Cli(#[from] StartError),
    /// A value that no command line can hold, or that the CLI would not understand.
    #[error(transparent)]
    Value(#[from] InvocationError),
    /// A session of this profile may not begin in this mode.
    #[error(transparent)]
    Mode(#[from] ModeError),
    /// Something is not what the CLI's types say.
    #[error("`{field}` is not what it should be: {reason}")]
    Field {
        /// Where.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// So many values would have to be redacted that it would hold other sessions up.
    #[error(
        "the profile has {count} secrets, and {MOST_SECRETS} are the most: use fewer variables"
    )]
    TooManySecrets {
        /// How many it has.
        count: usize,
    },
}

/// Longer names of modes there are none.
const LONGEST_MODE: usize = 64;

/// Why a session may not have a mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModeError {
    /// There is none of this name, or none that the session's CLI could be trusted to refuse.
    #[error(
        "there is no mode {0:?} here: use `ask`, `act`, `plan`, `default`, `acceptEdits`, \
         `dontAsk`, `auto` or `bypassPermissions`"
    )]
    Unknown(String),
    /// It would ask nothing at all, and nobody has allowed that.
    #[error(
        "this session may not switch permissions off: create one with `allow_bypass` in its profile"
    )]
    Bypass,
}

impl Profile {
    /// Whether a session of this profile may have a mode.
    pub(crate) fn may_have(&self, mode: &PermissionMode) -> Result<(), ModeError> {
        let name = mode.as_str();
        let is_name = name.len() <= LONGEST_MODE
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        // Whatever a later CLI calls it: one that could ask nothing must have been allowed.
        let is_bypass = name.to_ascii_lowercase().contains("bypass");
        match mode {
            PermissionMode::Other(_) if !is_name => Err(ModeError::Unknown(name.to_owned())),
            _ if is_bypass && !self.allow_bypass => Err(ModeError::Bypass),
            _ => Ok(()),
        }
    }

    /// Whether a run could be started with it, as far as that can be known without starting one.
    pub fn check(&self, cwd: &str) -> Result<(), ProfileError> {
        if let Some(relative) = self.add_dirs.iter().find(|dir| !dir.is_absolute()) {
            let reason = format!("{} is not an absolute path", relative.display());
            return Err(ProfileError::Field { field: "add_dirs", reason });
        }
        if let Some(mode) = &self.mode {
            self.may_have(&mode_named(mode))?;
        }
        self.check_agents(&self.initialize()?)?;
        let count = of_profile(self, &|_| None).len();
        if count > MOST_SECRETS {
            return Err(ProfileError::TooManySecrets { count });
        }
        let mut invocation = self.invocation(cwd)?;
        invocation.setting_sources = self.sources(true)?;
        given::set_apart(&mut invocation, Path::new(cwd))?;
        invocation.argv()?;
        invocation.env()?;
        Ok(())
    }

    /// Whether the session may have the modes of its agents: CLIs before 2.1.325 heed an agent's mode
    /// without asking whether the session was allowed it.
    fn check_agents(&self, initialize: &Initialize) -> Result<(), ProfileError> {
        for (name, agent) in initialize.agents.iter().flatten() {
            let Some(mode) = &agent.permission_mode else { continue };
            self.may_have(&mode_named(mode)).map_err(|error| ProfileError::Field {
                field: "agents",
                reason: format!("the mode of `{name}` is refused ({error})"),
            })?;
        }
        Ok(())
    }

    /// With what `defaults` say where this says nothing.
    #[must_use]
    pub(crate) fn or(mut self, defaults: &Self) -> Self {
        self.claude = self.claude.or_else(|| defaults.claude.clone());
        self.model = self.model.or_else(|| defaults.model.clone());
        self.mode = self.mode.or_else(|| defaults.mode.clone());
        self.allow_bypass |= defaults.allow_bypass;
        self.setting_sources = self.setting_sources.or_else(|| defaults.setting_sources.clone());
        self.see_every_call |= defaults.see_every_call;
        let more = defaults.add_dirs.iter().filter(|dir| !self.add_dirs.contains(dir));
        let more: Vec<_> = more.cloned().collect();
        self.add_dirs.extend(more);
        for (name, value) in &defaults.env {
            self.env.entry(name.clone()).or_insert_with(|| value.clone());
        }
        for (name, value) in &defaults.extra_args {
            self.extra_args.entry(name.clone()).or_insert_with(|| value.clone());
        }
        self
    }

    /// What every run is initialised with.
    pub(crate) fn initialize(&self) -> Result<Initialize, ProfileError> {
        let mut initialize = Initialize::default();
        if !self.agents.is_empty() {
            let agents = Value::Object(self.agents.clone());
            let read = serde_json::from_value(agents).map_err(|error| ProfileError::Field {
                field: "agents",
                reason: error.to_string(),
            });
            initialize.agents = Some(read?);
        }
        initialize.per_task_stop_affordance = Some(true);
        Ok(initialize)
    }

    fn invocation(&self, cwd: &str) -> Result<Invocation, ProfileError> {
        let mut invocation = Invocation::new()
            .cwd(cwd)
            .permission_prompts(PermissionPrompts::Host)
            .add_dirs(self.add_dirs.iter().cloned())
            .allowed_tools(self.allowed_tools.iter().cloned())
            .disallowed_tools(self.disallowed_tools.iter().cloned())
            .partial_messages()
            .replay_user_messages()
            .file_checkpointing();
        invocation.max_turns = self.max_turns;
        invocation.max_budget_usd = self.max_budget_usd;
        invocation.strict_mcp = self.strict_mcp;
        invocation.allow_bypass = self.allow_bypass;
        let addition = self.append_system_prompt.clone().filter(|text| !text.is_empty());
        invocation.append_system_prompt = addition.map(Into::into);
        for (name, server) in &self.mcp_servers {
            invocation = invocation.mcp_server(name, McpServer::from_json(name, server)?);
        }
        if let Some(settings) = &self.settings {
            invocation = invocation.settings(Settings::inline(settings.clone())?);
        }
        for (name, value) in &self.env {
            invocation = invocation.env_var(name, value);
        }
        for (name, value) in &self.extra_args {
            invocation = match value {
                Some(value) => invocation.extra_arg(name, value),
                None => invocation.extra_flag(name),
            };
        }
        Ok(invocation)
    }

    /// The settings files that a run reads: `None` for all.
    fn sources(&self, is_trusted: bool) -> Result<Option<Vec<SettingSource>>, ProfileError> {
        let Some(names) = &self.setting_sources else {
            return Ok((!is_trusted).then(|| vec![SettingSource::User]));
        };
        let mut sources = Vec::new();
        for name in names {
            match SettingSource::from(name.as_str()) {
                SettingSource::Other(_) => {
                    let reason = format!("{name:?} is none of `user`, `project` and `local`");
                    return Err(ProfileError::Field { field: "setting_sources", reason });
                }
                source if is_trusted || source == SettingSource::User => sources.push(source),
                _ => {}
            }
        }
        Ok(Some(sources))
    }

    /// The command line of a run, which names files in `dir`.
    pub(crate) fn command_line(
        &self,
        cli: &Cli,
        (cwd, dir): (&str, &Path),
        launch: &Launch,
        terms: RunTerms,
    ) -> Result<CommandLine, ProfileError> {
        let RunTerms { trace, is_trusted } = terms;
        let mut invocation = self.invocation(cwd)?.start(start(launch));
        invocation.setting_sources = self.sources(is_trusted)?;
        invocation.model = launch.model.clone();
        // Without a mode the CLI may choose `auto`, and nobody would be asked.
        invocation.permission_mode = launch.mode.clone().or(Some(PermissionMode::Default));
        let Effort { max_tokens, effort } = &launch.thinking;
        let budget = max_tokens.map(|most| u32::try_from(most).unwrap_or(u32::MAX));
        invocation.thinking = budget.map(Thinking::Budget);
        invocation.effort = effort.as_deref().map(Into::into);
        invocation.trace = trace.map(|parent| TraceContext { parent, state: None });
        let own = self.claude.clone().map(Cli::At);
        let (path, mut args) = own.as_ref().unwrap_or(cli).resolve()?;
        let program = Program::new(path)?;
        let files = given::set_apart(&mut invocation, dir)?;
        args.splice(0..0, program.prefix_args);
        args.extend(invocation.argv()?);
        let env = invocation.env()?;
        Ok(CommandLine { exe: program.exe, args, set_env: env.set, remove_env: env.remove, files })
    }
}

fn start(launch: &Launch) -> Start {
    let resume = |session: &String, at: &Option<String>| match at {
        Some(at) => Resume::session(session).cut_at(at),
        None => Resume::session(session),
    };
    match &launch.origin {
        // The conversation is called by the run that began it: known before the CLI has said a word.
        RunOrigin::New => Start::new(launch.run.to_string()),
        RunOrigin::Resumed { cli_session, at } => resume(cli_session, at).into(),
        RunOrigin::Forked { cli_session, at } => resume(cli_session, at).forked().into(),
    }
}
