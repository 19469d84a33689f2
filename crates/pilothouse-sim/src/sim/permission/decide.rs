//! Whether a tool call may run, has to be asked for, or is refused.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::command::{changed_file, only_edits, only_reads, rule_for, simple_commands};
use super::store::{Behavior, Mode, Store};

/// A tool call before anything was decided about it.
#[derive(Debug, Clone, Copy)]
pub(in crate::sim) struct Wish<'a> {
    pub(in crate::sim) tool: &'a str,
    pub(in crate::sim) input: &'a Value,
    pub(in crate::sim) cwd: &'a Path,
}

/// What is decided about a tool call. `reason` is a `reason_type` of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::sim) enum Verdict {
    Allow { reason: Option<&'static str> },
    Deny { reason: Option<&'static str>, message: String },
    Ask(Ask),
}

/// What goes into a question besides the call itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::sim) struct Ask {
    pub(in crate::sim) suggestions: Vec<Value>,
    pub(in crate::sim) reason_type: Option<&'static str>,
    pub(in crate::sim) reason: Option<String>,
    pub(in crate::sim) blocked_path: Option<String>,
    pub(in crate::sim) matched_rule: Option<Value>,
    pub(in crate::sim) needs_person: bool,
}

const ALLOWED_BY_MODE: Verdict = Verdict::Allow { reason: Some("mode") };

/// Decides by rules and mode alone; hooks and the host have their say elsewhere.
pub(in crate::sim) fn decide(store: &Store, wish: Wish<'_>) -> Verdict {
    let verdict = match by_rule(store, wish, Behavior::Deny) {
        Some(_) => return denied(wish),
        None if needs_person(wish.tool) => {
            Verdict::Ask(Ask { needs_person: true, ..Ask::default() })
        }
        None => match by_rule(store, wish, Behavior::Ask) {
            Some(rule) => Verdict::Ask(Ask {
                reason_type: Some("rule"),
                matched_rule: Some(rule),
                ..Ask::default()
            }),
            None if store.mode == Mode::BypassPermissions => ALLOWED_BY_MODE,
            None if by_rule(store, wish, Behavior::Allow).is_some() => Verdict::Allow {
                reason: Some(if wish.tool == "Bash" { "subcommandResults" } else { "rule" }),
            },
            None => by_kind(store, wish),
        },
    };
    match verdict {
        Verdict::Ask(_) if store.mode == Mode::DontAsk => Verdict::Deny {
            reason: Some("mode"),
            message: format!(
                "{} was not run: nobody is asked in this mode and no rule allows it.",
                wish.tool
            ),
        },
        verdict => verdict,
    }
}

fn needs_person(tool: &str) -> bool {
    matches!(tool, "AskUserQuestion" | "ExitPlanMode")
}

fn denied(wish: Wish<'_>) -> Verdict {
    let (reason, what) = match wish.input["command"].as_str() {
        Some(command) if wish.tool == "Bash" => ("subcommandResults", format!(" with `{command}`")),
        _ => ("rule", String::new()),
    };
    Verdict::Deny {
        reason: Some(reason),
        message: format!("A permission rule denies {}{what}.", wish.tool),
    }
}

/// The rule of this behaviour that covers the call: all of its commands, where there are several
/// and it allows.
fn by_rule(store: &Store, wish: Wish<'_>, behavior: Behavior) -> Option<Value> {
    let entries = || store.entries.iter().filter(|entry| entry.behavior == behavior);
    let found = match wish.input["command"].as_str() {
        Some(command) if wish.tool == "Bash" => {
            let commands = simple_commands(command);
            let rule =
                |command: &String| entries().find(|entry| entry.rule.covers_command(command));
            if behavior == Behavior::Allow {
                let passes = |command: &String| only_reads(command) || rule(command).is_some();
                commands.iter().all(passes).then(|| commands.iter().find_map(rule)).flatten()
            } else {
                commands.iter().find_map(rule)
            }
        }
        _ => entries().find(|entry| match path_of(wish) {
            Some(path) => entry.rule.covers_path(wish.tool, &path, wish.cwd),
            None => entry.rule.covers_tool(wish.tool),
        }),
    }?;
    let mut rule = json!({"source": found.source.name(), "tool_name": found.rule.tool});
    if let Some(content) = &found.rule.content {
        rule["rule_content"] = json!(content);
    }
    Some(rule)
}

/// The file that a file tool touches.
pub(in crate::sim) fn path_of(wish: Wish<'_>) -> Option<PathBuf> {
    let key = match wish.tool {
        "Read" | "Write" | "Edit" => "file_path",
        "NotebookEdit" => "notebook_path",
        "Glob" | "Grep" => "path",
        _ => return None,
    };
    Some(wish.cwd.join(wish.input[key].as_str().unwrap_or_default()))
}

fn by_kind(store: &Store, wish: Wish<'_>) -> Verdict {
    match (wish.tool, path_of(wish)) {
        ("Read" | "Glob" | "Grep", Some(path)) => reading(store, wish, &path),
        (_, Some(path)) => editing(store, wish, &path),
        ("Bash", None) => running(store, wish),
        ("WebFetch" | "WebSearch", None) => asking_for_tool(wish.tool),
        (tool, None) if tool.starts_with("mcp__") => asking_for_tool(tool),
        _ => Verdict::Allow { reason: None },
    }
}

fn asking_for_tool(tool: &str) -> Verdict {
    Verdict::Ask(Ask {
        suggestions: vec![add_rules(&[json!({"toolName": tool})], "localSettings")],
        ..Ask::default()
    })
}

fn add_rules(rules: &[Value], destination: &str) -> Value {
    json!({"type": "addRules", "rules": rules, "behavior": "allow", "destination": destination})
}

fn add_directory(directory: &Path) -> Value {
    json!({"type": "addDirectories", "directories": [directory], "destination": "session"})
}

fn accept_edits() -> Value {
    json!({"type": "setMode", "mode": "acceptEdits", "destination": "session"})
}

fn outside(suggestion: Value) -> Verdict {
    Verdict::Ask(Ask {
        suggestions: vec![suggestion],
        reason_type: Some("workingDir"),
        reason: Some("The path lies outside the working directories".to_owned()),
        ..Ask::default()
    })
}

fn reading(store: &Store, wish: Wish<'_>, path: &Path) -> Verdict {
    if store.is_inside(path, wish.cwd) {
        return ALLOWED_BY_MODE;
    }
    let directory = path.parent().unwrap_or(path).display();
    let rule = json!({"toolName": "Read", "ruleContent": format!("/{directory}/**")});
    outside(add_rules(&[rule], "session"))
}

fn editing(store: &Store, wish: Wish<'_>, path: &Path) -> Verdict {
    match (store.mode, store.is_inside(path, wish.cwd)) {
        (Mode::AcceptEdits, true) => ALLOWED_BY_MODE,
        (Mode::Plan, _) => Verdict::Ask(Ask { reason_type: Some("mode"), ..Ask::default() }),
        (_, true) => Verdict::Ask(Ask { suggestions: vec![accept_edits()], ..Ask::default() }),
        (_, false) => outside(add_directory(path.parent().unwrap_or(path))),
    }
}

fn running(store: &Store, wish: Wish<'_>) -> Verdict {
    let line = wish.input["command"].as_str().unwrap_or_default();
    let commands = simple_commands(line);
    let passes = |command: &&String| {
        only_reads(command)
            || (store.mode == Mode::AcceptEdits && only_edits(command))
            || store.entries.iter().any(|entry| {
                entry.behavior == Behavior::Allow && entry.rule.covers_command(command)
            })
    };
    let open: Vec<_> = commands.iter().filter(|command| !passes(command)).collect();
    let Some(first) = open.first() else {
        return Verdict::Allow { reason: Some("subcommandResults") };
    };
    let changed = if open.len() == 1 { changed_file(first) } else { None };
    if let Some(file) = changed {
        let path = wish.cwd.join(file);
        let rule = json!({"toolName": "Bash", "ruleContent": rule_for(first)});
        let mut suggestions = vec![
            add_rules(&[rule], "localSettings"),
            add_directory(path.parent().unwrap_or(wish.cwd)),
        ];
        if only_edits(first) {
            suggestions.push(accept_edits());
        }
        return Verdict::Ask(Ask {
            suggestions,
            blocked_path: Some(path.display().to_string()),
            ..Ask::default()
        });
    }
    let rules: Vec<_> = open
        .iter()
        .map(|command| json!({"toolName": "Bash", "ruleContent": rule_for(command)}))
        .collect();
    let alone = commands.len() == 1;
    Verdict::Ask(Ask {
        suggestions: vec![add_rules(&rules, "localSettings")],
        reason_type: Some(if alone { "other" } else { "subcommandResults" }),
        reason: alone.then(|| "This command has to be approved".to_owned()),
        ..Ask::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::rule::Rule;
    use super::super::store::Source;
    use super::*;

    fn verdict(mode: Mode, rules: &[(Behavior, &str)], tool: &str, input: Value) -> Verdict {
        let mut store = Store::new(mode);
        for (behavior, rule) in rules {
            store.add(*behavior, Source::CliArg, Rule::parse(rule));
        }
        decide(&store, Wish { tool, input: &input, cwd: Path::new("/w") })
    }

    fn outcome(mode: Mode, rules: &[(Behavior, &str)], tool: &str, input: Value) -> &'static str {
        match verdict(mode, rules, tool, input) {
            Verdict::Allow { .. } => "allow",
            Verdict::Deny { .. } => "deny",
            Verdict::Ask(_) => "ask",
        }
    }

    #[test]
    fn modes() {
        let write = || json!({"file_path": "/w/a", "content": ""});
        for (mode, expected) in [
            (Mode::Default, "ask"),
            (Mode::AcceptEdits, "allow"),
            (Mode::Plan, "ask"),
            (Mode::BypassPermissions, "allow"),
            (Mode::DontAsk, "deny"),
            (Mode::Auto, "ask"),
        ] {
            assert_eq!(outcome(mode, &[], "Write", write()), expected, "{mode:?}");
        }
        let away = json!({"file_path": "/etc/a"});
        assert_eq!(outcome(Mode::AcceptEdits, &[], "Write", away.clone()), "ask");
        assert_eq!(outcome(Mode::Default, &[], "Read", away), "ask");
        assert_eq!(outcome(Mode::Default, &[], "Read", json!({"file_path": "a"})), "allow");
        let question = outcome(Mode::BypassPermissions, &[], "AskUserQuestion", json!({}));
        assert_eq!(question, "ask");
    }

    #[test]
    fn rules_before_modes_and_denials_before_all() {
        let bash = || json!({"command": "rm a && ls"});
        let rules = [(Behavior::Allow, "Bash(rm:*)")];
        assert_eq!(outcome(Mode::Default, &rules, "Bash", bash()), "allow");
        assert_eq!(outcome(Mode::DontAsk, &rules, "Bash", bash()), "allow");
        let both = [(Behavior::Allow, "Bash"), (Behavior::Deny, "Bash(rm:*)")];
        assert_eq!(outcome(Mode::BypassPermissions, &both, "Bash", bash()), "deny");
        let ask = [(Behavior::Ask, "Bash(rm:*)")];
        assert_eq!(outcome(Mode::BypassPermissions, &ask, "Bash", bash()), "ask");
    }

    #[test]
    fn a_question_brings_what_would_end_the_asking() {
        let ask = |tool: &str, input: Value| match verdict(Mode::Default, &[], tool, input) {
            Verdict::Ask(ask) => ask,
            other => panic!("{other:?}"),
        };
        assert_eq!(ask("Write", json!({"file_path": "a"})).suggestions, [accept_edits()]);
        let touch = ask("Bash", json!({"command": "touch made.txt"}));
        assert_eq!(touch.blocked_path.as_deref(), Some("/w/made.txt"));
        assert_eq!(touch.suggestions.len(), 3);
        let mixed = ask("Bash", json!({"command": "mkdir d && npm run build"}));
        assert_eq!(mixed.suggestions[0]["rules"].as_array().map(Vec::len), Some(2));
        assert_eq!(mixed.reason_type, Some("subcommandResults"));
        let tool = ask("mcp__calc__add", json!({}));
        assert_eq!(tool.suggestions[0]["rules"][0]["toolName"], "mcp__calc__add");
    }
}
