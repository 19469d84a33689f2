//! Options to arguments.
//!
//! Only [`Args`] makes arguments, and it makes two kinds: a flag alone, and `--flag=value`.

use std::ffi::{OsStr, OsString};

use serde_json::{Map, Value};

use super::error::InvocationError;
use super::flags::{self, Flag};
use super::limits::Limits;
use super::options::Invocation;
use super::rules;
use super::settings::{self, ManagedSettings};
use super::start::{Fork, Start};
use super::values::{
    BaseTools, Debug, PermissionMode, PermissionPrompts, PluginMcp, PromptText, Startup, Thinking,
};

type Done = Result<(), InvocationError>;

impl Invocation {
    /// The arguments, without the program and [what comes before](super::Program::prefix_args).
    ///
    /// The same options give the same arguments in the same order: first those that every host
    /// passes, last the extra ones.
    pub fn argv(&self) -> Result<Vec<OsString>, InvocationError> {
        let mut args = Args::default();
        args.value(Flag::OutputFormat, "stream-json")?;
        args.bare(Flag::Verbose);
        args.value(Flag::InputFormat, "stream-json")?;
        self.add_model(&mut args)?;
        self.add_limits(&mut args)?;
        self.add_prompts(&mut args)?;
        self.add_permissions(&mut args)?;
        self.add_mcp(&mut args)?;
        self.add_settings(&mut args)?;
        self.add_start(&mut args)?;
        self.add_places(&mut args)?;
        self.add_output(&mut args)?;
        for (name, value) in &self.extra_args {
            args.extra(name, value.as_deref())?;
        }
        Limits::HERE.check(&args.list)?;
        Ok(args.list)
    }

    /// The configuration of [the servers](Self::mcp_servers), checked; none where there are none.
    ///
    /// Servers have secrets, and arguments can be read by everyone on the machine: who does not want
    /// that writes this into a file, and names [that](Self::mcp_config_files) instead of the servers.
    pub fn mcp_config(&self) -> Result<Option<Value>, InvocationError> {
        if self.mcp_servers.is_empty() {
            return Ok(None);
        }
        let mut servers = Map::new();
        for (name, server) in &self.mcp_servers {
            if name.is_empty() {
                let what = "the name of an MCP server".to_owned();
                return Err(InvocationError::Empty { what });
            }
            servers.insert(name.clone(), server.to_json(name)?);
        }
        let config = Map::from_iter([("mcpServers".to_owned(), Value::Object(servers))]);
        Ok(Some(Value::Object(config)))
    }

    fn add_model(&self, args: &mut Args) -> Done {
        args.option(Flag::Model, self.model.as_deref())?;
        if let Some(model) = &self.model
            && self.fallback_models.contains(model)
        {
            return Err(InvocationError::FallbackIsModel { model: model.clone() });
        }
        args.list(Flag::FallbackModel, &self.fallback_models)?;
        args.option(Flag::Agent, self.agent.as_deref())?;
        match self.thinking {
            None => {}
            Some(Thinking::Adaptive) => args.value(Flag::Thinking, "adaptive")?,
            Some(Thinking::Disabled) => args.value(Flag::Thinking, "disabled")?,
            Some(Thinking::Budget(tokens)) => {
                args.value(Flag::MaxThinkingTokens, tokens.to_string())?;
            }
        }
        if !matches!(self.thinking, Some(Thinking::Disabled | Thinking::Budget(0))) {
            let display = self.thinking_display.as_ref().map(|display| display.as_str());
            args.option(Flag::ThinkingDisplay, display)?;
        }
        args.option(Flag::Effort, self.effort.as_ref().map(|effort| effort.as_str()))?;
        // The CLI does not split this value: a list in one argument would be one unknown beta.
        for beta in &self.betas {
            args.entry(Flag::Betas, beta)?;
        }
        match &self.json_schema {
            None => Ok(()),
            Some(schema @ Value::Object(_)) => args.value(Flag::JsonSchema, schema.to_string()),
            Some(_) => Err(InvocationError::NotAnObject { what: "the JSON schema".to_owned() }),
        }
    }

    fn add_limits(&self, args: &mut Args) -> Done {
        let positive = |flag, given: Option<bool>| match given {
            Some(false) => Err(InvocationError::NotPositive { flag }),
            _ => Ok(()),
        };
        positive(Flag::MaxTurns, self.max_turns.map(|turns| turns > 0))?;
        positive(Flag::MaxBudgetUsd, self.max_budget_usd.map(|usd| usd > 0.0 && usd.is_finite()))?;
        positive(Flag::TaskBudget, self.task_budget.map(|tokens| tokens > 0))?;
        args.option(Flag::MaxTurns, self.max_turns.map(|turns| turns.to_string()))?;
        args.option(Flag::MaxBudgetUsd, self.max_budget_usd.map(|usd| usd.to_string()))?;
        args.option(Flag::TaskBudget, self.task_budget.map(|tokens| tokens.to_string()))
    }

    fn add_prompts(&self, args: &mut Args) -> Done {
        for (prompt, text_flag, file_flag) in [
            (&self.system_prompt, Flag::SystemPrompt, Flag::SystemPromptFile),
            (&self.append_system_prompt, Flag::AppendSystemPrompt, Flag::AppendSystemPromptFile),
        ] {
            match prompt {
                None => {}
                // An empty text has a meaning of its own: no system prompt.
                Some(PromptText::Text(text)) => args.value(text_flag, text)?,
                Some(PromptText::File(path)) => args.needed(file_flag, path)?,
            }
        }
        Ok(())
    }

    fn add_permissions(&self, args: &mut Args) -> Done {
        let mode = self.permission_mode.as_ref().map(|mode| mode.as_str());
        // Compared as words: the word may hide in `Other`.
        if mode == Some(PermissionMode::BypassPermissions.as_str()) && !self.allow_bypass {
            return Err(InvocationError::BypassNotAllowed);
        }
        args.option(Flag::PermissionMode, mode)?;
        args.bare_if(self.allow_bypass, Flag::AllowBypass);
        match &self.permission_prompts {
            PermissionPrompts::Unset => {}
            PermissionPrompts::Host => args.value(Flag::PermissionPromptTool, "stdio")?,
            PermissionPrompts::Tool(tool) => args.needed(Flag::PermissionPromptTool, tool)?,
            PermissionPrompts::Nobody => args.value(Flag::PermissionPrompts, "none")?,
        }
        for (flag, tools) in [
            (Flag::AllowedTools, &self.allowed_tools),
            (Flag::DisallowedTools, &self.disallowed_tools),
        ] {
            if !tools.is_empty() {
                args.value(flag, rules::join(flag, tools)?)?;
            }
        }
        match &self.tools {
            None => Ok(()),
            Some(BaseTools::Standard) => args.value(Flag::Tools, "default"),
            Some(BaseTools::None) => args.value(Flag::Tools, ""),
            Some(BaseTools::Only(names)) if names.is_empty() => args.value(Flag::Tools, ""),
            Some(BaseTools::Only(names)) => args.list(Flag::Tools, names),
        }
    }

    fn add_mcp(&self, args: &mut Args) -> Done {
        for path in &self.mcp_config_files {
            args.needed(Flag::McpConfig, settings::plain_path(Flag::McpConfig, path)?)?;
        }
        if let Some(config) = self.mcp_config()? {
            args.value(Flag::McpConfig, config.to_string())?;
        }
        args.bare_if(self.strict_mcp, Flag::StrictMcpConfig);
        Ok(())
    }

    fn add_settings(&self, args: &mut Args) -> Done {
        if let Some(sources) = &self.setting_sources {
            let words: Vec<_> = sources.iter().map(|source| source.as_str().to_owned()).collect();
            if words.is_empty() {
                args.value(Flag::SettingSources, "")?;
            }
            args.list(Flag::SettingSources, &words)?;
        }
        if let Some(value) = settings::value(self.settings.as_ref(), self.sandbox.as_ref())? {
            args.needed(Flag::Settings, value)?;
        }
        match &self.managed_settings {
            None => {}
            Some(ManagedSettings::Inline(map)) => {
                args.value(Flag::ManagedSettings, Value::Object(map.clone()).to_string())?;
            }
            Some(ManagedSettings::InInitialize) => args.bare(Flag::ManagedSettingsInInitialize),
        }
        // The CLI insists on waiting for settings that come in the first line.
        let in_initialize = self.managed_settings == Some(ManagedSettings::InInitialize);
        match self.startup {
            Startup::Immediate => args.bare_if(in_initialize, Flag::AwaitInitialize),
            Startup::AwaitInitialize => args.bare(Flag::AwaitInitialize),
            Startup::AwaitClaim => args.bare(Flag::AwaitClaim),
        }
        Ok(())
    }

    fn add_start(&self, args: &mut Args) -> Done {
        match &self.start {
            Start::New { session_id } => args.uuid(Flag::SessionId, session_id.as_deref())?,
            Start::Continue { fork } => {
                args.bare(Flag::Continue);
                args.fork(fork.as_ref())?;
            }
            Start::Resume(resume) => {
                args.needed(Flag::Resume, &resume.session)?;
                args.fork(resume.fork.as_ref())?;
                if let Some(cut) = &resume.cut {
                    args.uuid(Flag::ResumeSessionAt, Some(&cut.at))?;
                    args.uuid(Flag::ResumeDropsTurn, cut.drops_turn.as_deref())?;
                }
            }
        }
        args.bare_if(self.ephemeral, Flag::NoSessionPersistence);
        args.bare_if(self.session_mirror, Flag::SessionMirror);
        Ok(())
    }

    fn add_places(&self, args: &mut Args) -> Done {
        for dir in &self.add_dirs {
            args.needed(Flag::AddDir, dir)?;
        }
        args.option(Flag::ProjectConfigRoot, self.project_config_root.as_ref())?;
        for plugin in &self.plugins {
            let flag = match plugin.mcp {
                PluginMcp::Started => Flag::PluginDir,
                PluginMcp::Skipped => Flag::PluginDirNoMcp,
            };
            args.needed(flag, &plugin.path)?;
        }
        Ok(())
    }

    fn add_output(&self, args: &mut Args) -> Done {
        args.bare_if(self.partial_messages, Flag::IncludePartialMessages);
        args.bare_if(self.hook_events, Flag::IncludeHookEvents);
        args.bare_if(self.replay_user_messages, Flag::ReplayUserMessages);
        match &self.debug {
            Debug::Off => {}
            Debug::All => args.bare(Flag::Debug),
            Debug::Only(filter) => args.needed(Flag::Debug, filter)?,
        }
        args.option(Flag::DebugFile, self.debug_file.as_ref())
    }
}

/// Arguments under construction.
#[derive(Default)]
struct Args {
    list: Vec<OsString>,
}

impl Args {
    /// A flag alone.
    fn bare(&mut self, flag: Flag) {
        self.list.push(flag.as_str().into());
    }

    fn bare_if(&mut self, wanted: bool, flag: Flag) {
        if wanted {
            self.bare(flag);
        }
    }

    /// A flag and its value, which may be empty, in one argument.
    fn value(&mut self, flag: Flag, value: impl AsRef<OsStr>) -> Done {
        self.push(flag.as_str(), value.as_ref())
    }

    /// A flag and its value, which may not be empty.
    fn needed(&mut self, flag: Flag, value: impl AsRef<OsStr>) -> Done {
        if value.as_ref().is_empty() {
            return Err(InvocationError::Empty { what: flag.to_string() });
        }
        self.value(flag, value)
    }

    fn option(&mut self, flag: Flag, value: Option<impl AsRef<OsStr>>) -> Done {
        value.map_or(Ok(()), |value| self.needed(flag, value))
    }

    fn uuid(&mut self, flag: Flag, id: Option<&str>) -> Done {
        match id {
            Some(id) if !is_uuid(id) => {
                Err(InvocationError::NotUuid { flag, value: id.to_owned() })
            }
            id => self.option(flag, id),
        }
    }

    fn fork(&mut self, fork: Option<&Fork>) -> Done {
        let Some(fork) = fork else { return Ok(()) };
        self.bare(Flag::ForkSession);
        self.uuid(Flag::SessionId, fork.session_id.as_deref())
    }

    /// One entry of a list, in an argument of its own.
    fn entry(&mut self, flag: Flag, entry: &str) -> Done {
        check_entry(flag, entry)?;
        self.needed(flag, entry)
    }

    /// The entries of a list, separated by commas.
    fn list(&mut self, flag: Flag, entries: &[String]) -> Done {
        if entries.is_empty() {
            return Ok(());
        }
        for entry in entries {
            check_entry(flag, entry)?;
        }
        self.value(flag, entries.join(","))
    }

    fn extra(&mut self, name: &str, value: Option<&OsStr>) -> Done {
        let well_formed = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if !well_formed {
            return Err(InvocationError::ExtraName { name: name.to_owned() });
        }
        if let Some(flag) = Flag::from_name(name).or_else(|| Flag::from_alias(name)) {
            return Err(InvocationError::ExtraTyped { name: name.to_owned(), flag });
        }
        if flags::leaves_the_pipe(name) {
            return Err(InvocationError::ExtraLeavesPipe { name: name.to_owned() });
        }
        let flag = format!("--{name}");
        match value {
            Some(value) => self.push(&flag, value),
            None => {
                self.list.push(flag.into());
                Ok(())
            }
        }
    }

    fn push(&mut self, flag: &str, value: &OsStr) -> Done {
        if value.as_encoded_bytes().contains(&0) {
            return Err(InvocationError::Nul { what: flag.to_owned() });
        }
        let mut arg = OsString::with_capacity(flag.len() + 1 + value.len());
        arg.push(flag);
        arg.push("=");
        arg.push(value);
        self.list.push(arg);
        Ok(())
    }
}

fn check_entry(flag: Flag, entry: &str) -> Done {
    if entry.trim().is_empty() {
        return Err(InvocationError::Empty { what: format!("an entry of {flag}") });
    }
    if entry.contains([',', ' ', '(', ')']) {
        return Err(InvocationError::Divided { flag, entry: entry.to_owned() });
    }
    Ok(())
}

/// Hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn is_uuid(id: &str) -> bool {
    id.len() == 36
        && id.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}
