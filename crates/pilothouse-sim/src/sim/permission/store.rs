//! What is permitted at the moment: mode, rules and directories, by where they come from.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::rule::Rule;

/// How far the CLI may go unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) enum Mode {
    Default,
    AcceptEdits,
    Plan,
    BypassPermissions,
    DontAsk,
    Auto,
}

impl Mode {
    pub(in crate::sim) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "default" | "manual" => Self::Default,
            "acceptEdits" => Self::AcceptEdits,
            "plan" => Self::Plan,
            "bypassPermissions" => Self::BypassPermissions,
            "dontAsk" => Self::DontAsk,
            "auto" => Self::Auto,
            _ => return None,
        })
    }

    pub(in crate::sim) fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::BypassPermissions => "bypassPermissions",
            Self::DontAsk => "dontAsk",
            Self::Auto => "auto",
        }
    }
}

/// What a rule says of the calls it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) enum Behavior {
    Allow,
    Deny,
    Ask,
}

impl Behavior {
    pub(in crate::sim) const ALL: [Self; 3] = [Self::Allow, Self::Deny, Self::Ask];

    pub(in crate::sim) fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
        }
    }
}

/// Where a rule comes from, and where a change is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) enum Source {
    User,
    Project,
    Local,
    Flag,
    Session,
    CliArg,
}

impl Source {
    pub(in crate::sim) fn name(self) -> &'static str {
        match self {
            Self::User => "userSettings",
            Self::Project => "projectSettings",
            Self::Local => "localSettings",
            Self::Flag => "flagSettings",
            Self::Session => "session",
            Self::CliArg => "cliArg",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        let all = [Self::User, Self::Project, Self::Local, Self::Session, Self::CliArg];
        all.into_iter().find(|source| source.name() == name)
    }
}

/// A rule with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sim) struct Entry {
    pub(in crate::sim) behavior: Behavior,
    pub(in crate::sim) source: Source,
    pub(in crate::sim) rule: Rule,
}

/// Everything that decides about a tool call.
#[derive(Debug, Clone)]
pub(in crate::sim) struct Store {
    pub(in crate::sim) mode: Mode,
    /// The mode to go back to when planning ends.
    pub(in crate::sim) before_plan: Mode,
    pub(in crate::sim) entries: Vec<Entry>,
    pub(in crate::sim) directories: Vec<(PathBuf, Source)>,
}

/// What came of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::sim) enum Changed {
    /// The mode.
    Mode,
    /// What is kept at this place.
    Kept(Source),
    /// Nothing: the change makes no sense.
    Nothing,
}

impl Store {
    pub(in crate::sim) fn new(mode: Mode) -> Self {
        Self { mode, before_plan: Mode::Default, entries: Vec::new(), directories: Vec::new() }
    }

    pub(in crate::sim) fn set_mode(&mut self, mode: Mode) {
        if mode == Mode::Plan && self.mode != Mode::Plan {
            self.before_plan = self.mode;
        }
        self.mode = mode;
    }

    /// Adds the rules of a settings object.
    pub(in crate::sim) fn add_settings(&mut self, settings: &Value, source: Source) {
        for behavior in Behavior::ALL {
            let rules = settings["permissions"][behavior.name()].as_array();
            for text in rules.into_iter().flatten().filter_map(Value::as_str) {
                self.add(behavior, source, Rule::parse(text));
            }
        }
        let directories = settings["permissions"]["additionalDirectories"].as_array();
        for directory in directories.into_iter().flatten().filter_map(Value::as_str) {
            self.directories.push((PathBuf::from(directory), source));
        }
    }

    pub(in crate::sim) fn add(&mut self, behavior: Behavior, source: Source, rule: Rule) {
        let entry = Entry { behavior, source, rule };
        if !self.entries.contains(&entry) {
            self.entries.push(entry);
        }
    }

    /// Forgets everything that came from `source`.
    pub(in crate::sim) fn clear(&mut self, source: Source) {
        self.entries.retain(|entry| entry.source != source);
        self.directories.retain(|(_, from)| *from != source);
    }

    /// Applies one permission update.
    pub(in crate::sim) fn update(&mut self, update: &Value) -> Changed {
        let Some(source) = update["destination"].as_str().and_then(Source::parse) else {
            return Changed::Nothing;
        };
        let behavior = Behavior::ALL.into_iter().find(|known| update["behavior"] == known.name());
        let rules = update["rules"].as_array().into_iter().flatten();
        let rules: Vec<_> = rules.filter_map(Rule::from_wire).collect();
        let directories = update["directories"].as_array().into_iter().flatten();
        let directories: Vec<_> =
            directories.filter_map(Value::as_str).map(PathBuf::from).collect();
        match (update["type"].as_str(), behavior) {
            (Some("setMode"), _) => match update["mode"].as_str().and_then(Mode::parse) {
                Some(mode) => {
                    self.set_mode(mode);
                    return Changed::Mode;
                }
                None => return Changed::Nothing,
            },
            (Some("addRules"), Some(behavior)) => {
                for rule in rules {
                    self.add(behavior, source, rule);
                }
            }
            (Some("replaceRules"), Some(behavior)) => {
                self.entries.retain(|entry| entry.behavior != behavior || entry.source != source);
                for rule in rules {
                    self.add(behavior, source, rule);
                }
            }
            (Some("removeRules"), Some(behavior)) => self.entries.retain(|entry| {
                entry.behavior != behavior || entry.source != source || !rules.contains(&entry.rule)
            }),
            (Some("addDirectories"), _) => {
                for directory in directories {
                    if !self.directories.iter().any(|(known, _)| *known == directory) {
                        self.directories.push((directory, source));
                    }
                }
            }
            (Some("removeDirectories"), _) => {
                self.directories.retain(|(known, _)| !directories.contains(known));
            }
            _ => return Changed::Nothing,
        }
        Changed::Kept(source)
    }

    /// What a settings file for `source` has to hold: the `permissions` object.
    pub(in crate::sim) fn kept(&self, source: Source) -> Value {
        let mut permissions = serde_json::Map::new();
        for behavior in Behavior::ALL {
            let rules: Vec<_> = self
                .entries
                .iter()
                .filter(|entry| entry.source == source && entry.behavior == behavior)
                .map(|entry| json!(entry.rule.to_string()))
                .collect();
            if !rules.is_empty() {
                permissions.insert(behavior.name().to_owned(), Value::Array(rules));
            }
        }
        let directories: Vec<_> =
            self.directories.iter().filter(|(_, from)| *from == source).collect();
        if !directories.is_empty() {
            let paths = directories.iter().map(|(path, _)| json!(path)).collect();
            permissions.insert("additionalDirectories".to_owned(), Value::Array(paths));
        }
        Value::Object(permissions)
    }

    /// Whether `path` lies in the working directory or in one that was added to it.
    pub(in crate::sim) fn is_inside(&self, path: &Path, cwd: &Path) -> bool {
        let path = tidy(path);
        path.starts_with(cwd) || self.directories.iter().any(|(added, _)| path.starts_with(added))
    }
}

/// Without `.` and `..`, by name alone: the path need not exist.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                tidy.pop();
            }
            std::path::Component::CurDir => {}
            part => tidy.push(part),
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_come_and_go() {
        let mut store = Store::new(Mode::Default);
        let rules = json!([{"toolName": "Bash", "ruleContent": "touch *"}, {"toolName": "Read"}]);
        let update = |kind: &str| json!({"type": kind, "rules": rules, "behavior": "allow", "destination": "localSettings"});
        assert_eq!(store.update(&update("addRules")), Changed::Kept(Source::Local));
        assert_eq!(store.update(&update("addRules")), Changed::Kept(Source::Local));
        assert_eq!(store.kept(Source::Local), json!({"allow": ["Bash(touch *)", "Read"]}));
        assert_eq!(store.kept(Source::User), json!({}));
        store.update(&update("removeRules"));
        assert_eq!(store.kept(Source::Local), json!({}));
    }

    #[test]
    fn the_mode_before_planning_is_remembered() {
        let mut store = Store::new(Mode::AcceptEdits);
        let plan = json!({"type": "setMode", "mode": "plan", "destination": "session"});
        assert_eq!(store.update(&plan), Changed::Mode);
        assert_eq!((store.mode, store.before_plan), (Mode::Plan, Mode::AcceptEdits));
        assert_eq!(
            store.update(&json!({"type": "setMode", "mode": "?", "destination": "session"})),
            Changed::Nothing
        );
    }

    #[test]
    fn inside_and_outside() {
        let mut store = Store::new(Mode::Default);
        let inside = |store: &Store, path: &str| store.is_inside(Path::new(path), Path::new("/w"));
        assert!(inside(&store, "/w/a") && !inside(&store, "/w/../etc") && !inside(&store, "/etc"));
        store.update(
            &json!({"type": "addDirectories", "directories": ["/etc"], "destination": "session"}),
        );
        assert!(inside(&store, "/etc/passwd"));
    }
}
