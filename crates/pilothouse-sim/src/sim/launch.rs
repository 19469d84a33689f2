//! How the simulated CLI was started: its arguments and what it takes from the environment.
//!
//! Every flag of the CLI is accepted, in both forms (`--flag=value` and `--flag value`); those that
//! mean nothing here are passed over.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Author;
use super::fault::Faults;
use crate::script::Script;

/// The version that is played, and the one of the `old` dialect.
pub(super) const VERSION: &str = "2.1.325";
pub(super) const OLD_VERSION: &str = "2.1.7";

/// The flags that mean something here.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Flags {
    pub(super) version: bool,
    pub(super) model: Option<String>,
    pub(super) permission_mode: Option<String>,
    pub(super) prompt_tool: Option<String>,
    pub(super) may_bypass: bool,
    pub(super) partial_messages: bool,
    pub(super) replay_user_messages: bool,
    pub(super) resume: Option<String>,
    pub(super) continues: bool,
    pub(super) fork: bool,
    pub(super) session_id: Option<String>,
    pub(super) resume_at: Option<String>,
    pub(super) persists_not: bool,
    pub(super) allowed: Vec<String>,
    pub(super) disallowed: Vec<String>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) add_dirs: Vec<PathBuf>,
    pub(super) max_turns: Option<u32>,
    pub(super) json_schema: Option<Value>,
    pub(super) mcp_config: Vec<String>,
    pub(super) settings: Option<String>,
    pub(super) setting_sources: Option<Vec<String>>,
}

impl Flags {
    /// Reads the arguments after the program's name.
    pub(super) fn parse(args: impl IntoIterator<Item = String>) -> Self {
        let mut flags = Self::default();
        let mut args = args.into_iter().peekable();
        while let Some(arg) = args.next() {
            let Some(name) = arg.strip_prefix("--") else {
                flags.version |= arg == "-v";
                flags.continues |= arg == "-c";
                continue;
            };
            let (name, inline) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (name, None),
            };
            if flags.switch(name) {
                continue;
            }
            // Every other flag takes a value; a token that begins with a dash is the next flag.
            let value = inline.or_else(|| args.next_if(|next| !next.starts_with('-')));
            flags.value(name, value.unwrap_or_default());
        }
        flags
    }

    fn switch(&mut self, name: &str) -> bool {
        let switch = match name {
            "version" => &mut self.version,
            "allow-dangerously-skip-permissions" => &mut self.may_bypass,
            "include-partial-messages" => &mut self.partial_messages,
            "replay-user-messages" => &mut self.replay_user_messages,
            "continue" => &mut self.continues,
            "fork-session" => &mut self.fork,
            "no-session-persistence" => &mut self.persists_not,
            "dangerously-skip-permissions" => {
                self.permission_mode = Some("bypassPermissions".to_owned());
                &mut self.may_bypass
            }
            // These take no value, and no effect here.
            "verbose" | "print" | "debug" | "strict-mcp-config" | "include-hook-events" => {
                return true;
            }
            _ => return false,
        };
        *switch = true;
        true
    }

    fn value(&mut self, name: &str, value: String) {
        match name {
            "model" => self.model = Some(value),
            "permission-mode" => self.permission_mode = Some(value),
            "permission-prompt-tool" => self.prompt_tool = Some(value),
            "permission-prompts" if value == "none" => self.prompt_tool = None,
            "resume" => self.resume = Some(value),
            "session-id" => self.session_id = Some(value),
            "resume-session-at" => self.resume_at = Some(value),
            "allowedTools" | "allowed-tools" => self.allowed.extend(rule_list(&value)),
            "disallowedTools" | "disallowed-tools" => self.disallowed.extend(rule_list(&value)),
            "tools" => self.tools = Some(rule_list(&value)),
            "add-dir" => self.add_dirs.push(PathBuf::from(value)),
            "max-turns" => self.max_turns = value.parse().ok(),
            "json-schema" => self.json_schema = serde_json::from_str(&value).ok(),
            "mcp-config" => self.mcp_config.push(value),
            "settings" => self.settings = Some(value),
            "setting-sources" => {
                let sources = value.split(',').filter(|source| !source.is_empty());
                self.setting_sources = Some(sources.map(str::to_owned).collect());
            }
            _ => {}
        }
    }

    /// Whether someone can be asked for permission.
    pub(super) fn can_ask(&self) -> bool {
        self.prompt_tool.as_deref() == Some("stdio")
    }
}

/// Rules in a flag: commas and spaces separate them, but not inside parentheses.
pub(super) fn rule_list(text: &str) -> Vec<String> {
    let mut rules = vec![String::new()];
    let mut depth = 0_u32;
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ' ' if depth == 0 => {
                rules.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(rule) = rules.last_mut() {
            rule.push(character);
        }
    }
    rules.retain(|rule| !rule.is_empty());
    rules
}

/// Whether and how `session_state_changed` is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateEvents {
    Off,
    /// As ordinary events.
    Visible,
    /// Marked as being for the host alone.
    HostOnly,
}

/// Flags and environment.
#[derive(Debug, Clone)]
pub(super) struct Launch {
    pub(super) flags: Flags,
    pub(super) faults: Faults,
    pub(super) cwd: PathBuf,
    pub(super) home: PathBuf,
    /// `~/.claude`, or what replaces it.
    pub(super) config: PathBuf,
    pub(super) temp: PathBuf,
    pub(super) holds: Option<PathBuf>,
    /// For prompts that bring no script.
    pub(super) script: Option<Script>,
    /// Who writes a script for them.
    pub(super) author: Option<Author>,
    pub(super) state_events: StateEvents,
    pub(super) checkpointing: bool,
    pub(super) entrypoint: String,
    pub(super) max_retries: u32,
    pub(super) is_root: bool,
}

impl Launch {
    /// Takes the variables from `env` and the rest from the process.
    pub(super) fn new(flags: Flags, faults: Faults, env: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| env(name).filter(|value| !value.is_empty());
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let home = set("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let is_on = |name: &str| set(name).is_some_and(|value| value != "0" && value != "false");
        Self {
            cwd: dunce::canonicalize(&cwd).unwrap_or(cwd),
            config: set("CLAUDE_CONFIG_DIR").map_or_else(|| home.join(".claude"), PathBuf::from),
            temp: set("CLAUDE_CODE_TMPDIR")
                .or_else(|| set("TMPDIR"))
                .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from),
            home,
            holds: set("SIM_HOLD_DIR").map(PathBuf::from),
            script: None,
            author: None,
            state_events: if is_on("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") {
                StateEvents::Visible
            } else if is_on("CLAUDE_CODE_SDK_READS_SESSION_STATE") {
                StateEvents::HostOnly
            } else {
                StateEvents::Off
            },
            checkpointing: is_on("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"),
            entrypoint: set("CLAUDE_CODE_ENTRYPOINT").unwrap_or_else(|| "sdk-cli".to_owned()),
            max_retries: set("CLAUDE_CODE_MAX_RETRIES")
                .and_then(|count| count.parse().ok())
                .unwrap_or(10),
            is_root: super::system::is_root() && !is_on("IS_SANDBOX"),
            flags,
            faults,
        }
    }

    pub(super) fn version(&self) -> &'static str {
        if self.faults.old { OLD_VERSION } else { VERSION }
    }

    /// `path` as the tools take it: relative to the working directory.
    pub(super) fn resolve(&self, path: &str) -> PathBuf {
        self.cwd.join(Path::new(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Flags {
        Flags::parse(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn both_forms_mean_the_same() {
        let joined = parse(&["--model=opus", "--resume=abc", "--max-turns=3", "--continue"]);
        let apart =
            parse(&["--model", "opus", "--resume", "abc", "--max-turns", "3", "--continue"]);
        assert_eq!(joined, apart);
        assert_eq!(joined.resume.as_deref(), Some("abc"));
    }

    #[test]
    fn unknown_flags_are_passed_over_with_their_value() {
        let flags = parse(&["--brand-new", "value", "--other=1", "--verbose", "--model", "m"]);
        assert_eq!(flags, Flags { model: Some("m".to_owned()), ..Flags::default() });
    }

    #[test]
    fn a_value_that_looks_like_a_flag_is_one() {
        let flags = parse(&["--resume", "--fork-session"]);
        assert_eq!((flags.resume.as_deref(), flags.fork), (Some(""), true));
    }

    #[test]
    fn rules_keep_what_stands_in_parentheses() {
        let flags = parse(&["--allowedTools=Bash(npm run *, x),Read Edit"]);
        assert_eq!(flags.allowed, ["Bash(npm run *, x)", "Read", "Edit"]);
    }

    #[test]
    fn only_stdio_can_be_asked() {
        assert!(parse(&["--permission-prompt-tool", "stdio"]).can_ask());
        assert!(!parse(&["--permission-prompt-tool=mcp__a__b"]).can_ask());
        assert!(!parse(&["--permission-prompt-tool=stdio", "--permission-prompts=none"]).can_ask());
    }
}
