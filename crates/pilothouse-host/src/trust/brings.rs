//! What a repository would bring to a session, as a list for people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::names::{commands_in_markdown, front_values, has_hooks};

/// The most entries of a kind that are listed.
const MOST: usize = 1_000;
/// The most characters of a text that are shown.
const LONGEST: usize = 2_000;

/// Hook events whose hooks can answer in the place of a person.
const ANSWERING: [&str; 5] =
    ["PreToolUse", "PermissionRequest", "PermissionDenied", "Elicitation", "ElicitationResult"];

/// Settings that name a program.
const HELPERS: [&str; 9] = [
    "apiKeyHelper",
    "proxyAuthHelper",
    "subagentStatusLine",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "otelHeadersHelper",
    "statusLine",
    "fileSuggestion",
];

/// Parts of names of variables that change where requests and keys go, or what is loaded.
const REDIRECTING: [&str; 19] = [
    "SHELL",
    "BASH_ENV",
    "GIT_",
    "HEADERS",
    "PYTHON",
    "_URL",
    "PROXY",
    "_KEY",
    "_TOKEN",
    "_HOST",
    "ENDPOINT",
    "CERT",
    "_CA_",
    "NODE_OPTIONS",
    "NODE_PATH",
    "LD_",
    "DYLD_",
    "PATH",
    "CLAUDE_CODE_USE_",
];

/// Keys in the front matter of skills, commands and agents that allow tools.
const ALLOWING: [&str; 3] = ["permissionMode", "allowed-tools", "tools"];

/// What a repository would bring. Texts are the repository's own and not to be trusted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Brings {
    /// Commands that Claude Code runs at certain moments.
    pub hooks: Vec<BroughtHook>,
    /// MCP servers.
    pub servers: Vec<BroughtServer>,
    /// Other commands that settings name.
    pub helpers: Vec<BroughtHelper>,
    /// Git settings of the repository that start programs while git only reads.
    pub git: Vec<BroughtHelper>,
    /// Environment variables.
    pub variables: Vec<BroughtVariable>,
    /// Permission rules.
    pub rules: Vec<BroughtRule>,
    /// Plugins that are switched on.
    pub plugins: Vec<String>,
    /// Files of skills.
    pub skills: Vec<String>,
    /// Files of slash commands.
    pub commands: Vec<String>,
    /// Files of subagents.
    pub agents: Vec<String>,
    /// Files with texts for the model.
    pub instructions: Vec<String>,
    /// Other settings, by name.
    pub settings: Vec<String>,
    /// Files that could not be understood.
    pub unclear: Vec<String>,
    /// Entries and texts that are more than what is listed.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) hidden: usize,
}

/// A command that Claude Code runs at certain moments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BroughtHook {
    /// The file it is in.
    pub file: String,
    /// When it runs.
    pub event: String,
    /// What it runs.
    pub command: String,
    /// Whether it can answer approvals in the place of a person.
    pub can_answer: bool,
}

/// An MCP server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BroughtServer {
    /// The file it is in.
    pub file: String,
    /// Its name.
    pub name: String,
    /// The command line, or the address.
    pub target: String,
}

/// A command that a setting names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BroughtHelper {
    /// The file it is in.
    pub file: String,
    /// The setting.
    pub setting: String,
    /// What it runs.
    pub command: String,
}

/// An environment variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BroughtVariable {
    /// The file it is in.
    pub file: String,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether it can change where requests and keys go, or which programs are loaded.
    pub redirects: bool,
}

/// A permission rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BroughtRule {
    /// The file it is in.
    pub file: String,
    /// `allow`, `deny`, `ask`, `defaultMode` …
    pub effect: String,
    /// The rule.
    pub rule: String,
}

impl Brings {
    /// Whether a hook could answer approvals in the place of a person. Hooks of plugins are not
    /// known before they are loaded.
    pub fn can_answer(&self) -> bool {
        self.hooks.iter().any(|hook| hook.can_answer) || !self.plugins.is_empty()
    }

    /// Counts for one line: "2 hooks, 1 MCP server, CLAUDE.md".
    pub fn summary(&self) -> String {
        let counts = [
            (self.hooks.len(), "hook", "hooks"),
            (self.servers.len(), "MCP server", "MCP servers"),
            (self.helpers.len(), "helper command", "helper commands"),
            (
                self.git.len(),
                "git setting that starts a program",
                "git settings that start programs",
            ),
            (self.variables.len(), "environment variable", "environment variables"),
            (self.rules.len(), "permission rule", "permission rules"),
            (self.plugins.len(), "plugin", "plugins"),
            (self.skills.len(), "skill", "skills"),
            (self.commands.len(), "slash command", "slash commands"),
            (self.agents.len(), "agent", "agents"),
            (self.instructions.len(), "instruction file", "instruction files"),
            (self.settings.len(), "other setting", "other settings"),
        ];
        let present = counts.iter().filter(|(count, ..)| *count > 0);
        let parts: Vec<_> = present
            .map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many }))
            .collect();
        match parts.is_empty() {
            true => "configuration files".to_owned(),
            false => parts.join(", "),
        }
    }

    /// Shortens what nobody could read, and counts what that hides.
    pub(super) fn bound(&mut self) {
        let mut texts: Vec<&mut String> = Vec::new();
        self.hidden += cut(&mut self.hooks) + cut(&mut self.servers) + cut(&mut self.helpers);
        self.hidden += cut(&mut self.variables) + cut(&mut self.rules) + cut(&mut self.git);
        texts.extend(self.hooks.iter_mut().flat_map(|hook| [&mut hook.event, &mut hook.command]));
        texts.extend(self.servers.iter_mut().flat_map(|one| [&mut one.name, &mut one.target]));
        let commands = self.helpers.iter_mut().chain(&mut self.git);
        texts.extend(commands.flat_map(|helper| [&mut helper.setting, &mut helper.command]));
        texts.extend(self.variables.iter_mut().flat_map(|one| [&mut one.name, &mut one.value]));
        texts.extend(self.rules.iter_mut().flat_map(|one| [&mut one.effect, &mut one.rule]));
        for list in [
            &mut self.plugins,
            &mut self.skills,
            &mut self.commands,
            &mut self.agents,
            &mut self.instructions,
            &mut self.settings,
            &mut self.unclear,
        ] {
            self.hidden += cut(list);
            texts.extend(list);
        }
        self.hidden += texts.into_iter().filter_map(|text| cut_text(text).then_some(())).count();
    }

    /// Adds what a file of configuration has, by its name in lower case. `None` for one that is no
    /// JSON.
    pub(super) fn add_json(&mut self, file: &str, name: &str, json: Option<&Value>) {
        let Some(Value::Object(map)) = json else {
            return self.unclear.push(format!("{file} is no JSON object"));
        };
        match name {
            ".mcp.json" => self.add_servers(file, map),
            "settings.json" | "settings.local.json" => self.add_settings(file, map),
            "hooks.json" => self.add_hooks(file, map.get("hooks")),
            // Claude Code loads a plugin below `.claude/skills` by itself.
            "plugin.json" => {
                self.plugins.push(file.to_owned());
                self.add_hooks(file, map.get("hooks"));
                self.add_servers(file, map);
            }
            _ => {}
        }
    }

    /// Adds a skill, a slash command or a subagent, with the hooks in its front matter.
    pub(super) fn add_markdown(&mut self, file: &str, text: &str) {
        let list = match file {
            file if file.contains("/skills/") => &mut self.skills,
            file if file.contains("/commands/") => &mut self.commands,
            file if file.contains("/agents/") => &mut self.agents,
            _ => &mut self.instructions,
        };
        list.push(file.to_owned());
        for command in commands_in_markdown(text) {
            let hook = BroughtHook {
                file: file.to_owned(),
                event: "when used".to_owned(),
                command: command.to_owned(),
                can_answer: has_hooks(text),
            };
            self.hooks.push(hook);
        }
        for key in ALLOWING {
            for value in front_values(text, key) {
                let (file, effect) = (file.to_owned(), key.to_owned());
                self.rules.push(BroughtRule { file, effect, rule: value.to_owned() });
            }
        }
    }

    fn add_settings(&mut self, file: &str, map: &Map<String, Value>) {
        for (key, value) in map {
            match (&**key, value) {
                ("hooks", hooks) => self.add_hooks(file, Some(hooks)),
                ("env", Value::Object(env)) => self.add_variables(file, env),
                ("permissions", Value::Object(rules)) => self.add_rules(file, rules),
                ("mcpServers", Value::Object(_)) => self.add_servers(file, map),
                ("enabledPlugins", Value::Object(plugins)) => {
                    for (name, state) in plugins {
                        if *state != Value::Bool(false) {
                            self.plugins.push(name.to_owned());
                        }
                    }
                }
                (setting, value) if HELPERS.contains(&setting) => {
                    let helper = BroughtHelper {
                        file: file.to_owned(),
                        setting: setting.to_owned(),
                        command: command_line(value),
                    };
                    self.helpers.push(helper);
                }
                ("$schema", _) => {}
                (setting, value) => {
                    self.settings.push(format!("{file}: {setting} = {}", plain(value)));
                }
            }
        }
    }

    fn add_hooks(&mut self, file: &str, hooks: Option<&Value>) {
        let Some(Value::Object(events)) = hooks else { return };
        for (event, matchers) in events {
            let matchers = matchers.as_array().map(Vec::as_slice).unwrap_or_default();
            for hook in matchers.iter().flat_map(|matcher| entries(matcher.get("hooks"))) {
                let brought = BroughtHook {
                    file: file.to_owned(),
                    event: event.to_owned(),
                    command: command_line(hook),
                    can_answer: ANSWERING.contains(&event.as_str()),
                };
                self.hooks.push(brought);
            }
        }
    }

    fn add_servers(&mut self, file: &str, map: &Map<String, Value>) {
        let Some(Value::Object(servers)) = map.get("mcpServers") else { return };
        for (name, server) in servers {
            let target = server_line(server);
            let (file, name) = (file.to_owned(), name.to_owned());
            self.servers.push(BroughtServer { file, name, target });
        }
    }

    fn add_variables(&mut self, file: &str, env: &Map<String, Value>) {
        for (name, value) in env {
            let upper = name.to_ascii_uppercase();
            let variable = BroughtVariable {
                file: file.to_owned(),
                name: name.to_owned(),
                value: plain(value),
                redirects: REDIRECTING.iter().any(|part| upper.contains(part)),
            };
            self.variables.push(variable);
        }
    }

    fn add_rules(&mut self, file: &str, rules: &Map<String, Value>) {
        for (effect, rules) in rules {
            for rule in entries(Some(rules)) {
                let (file, effect) = (file.to_owned(), effect.to_owned());
                self.rules.push(BroughtRule { file, effect, rule: plain(rule) });
            }
        }
    }
}

/// The members of a list; of anything else, the thing itself.
fn entries(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    let list = value.and_then(Value::as_array).map(Vec::as_slice);
    let one = if list.is_some() { None } else { value };
    list.unwrap_or_default().iter().chain(one)
}

/// The command of a hook, a helper or a server.
fn command_line(value: &Value) -> String {
    let Value::Object(map) = value else { return plain(value) };
    let keys = ["command", "args", "url", "prompt"];
    let parts = keys.iter().filter_map(|key| map.get(*key)).flat_map(|part| entries(Some(part)));
    let line: Vec<_> = parts.map(plain).collect();
    match line.is_empty() {
        true => value.to_string(),
        false => line.join(" "),
    }
}

/// The command or the address of a server, and all else that it is configured with: `env`, and
/// `headersHelper`, which is a command.
fn server_line(server: &Value) -> String {
    let known = ["type", "command", "args", "url"];
    let rest = server.as_object().into_iter().flatten();
    let rest: Map<_, _> = rest
        .filter(|(key, _)| !known.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    match rest.is_empty() {
        true => command_line(server),
        false => format!("{} {}", command_line(server), Value::Object(rest)),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Shortens a list that is too long to be read; returns how many entries that hides.
fn cut<T>(list: &mut Vec<T>) -> usize {
    let hidden = list.len().saturating_sub(MOST);
    list.truncate(MOST);
    hidden
}

/// Shortens a text that is too long to be read; returns whether it was.
fn cut_text(text: &mut String) -> bool {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            text.truncate(end);
            text.push('…');
            true
        }
        None => false,
    }
}
