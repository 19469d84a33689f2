//! Hooks of the host: who wants to hear of what, and what they answered.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use super::asks::Unanswered;
use super::cli::Cli;
use super::scope::Scope;

#[derive(Debug, Clone)]
struct Registered {
    event: String,
    matcher: Option<String>,
    callback: String,
    must_succeed: bool,
}

/// The hooks that `initialize` registered.
#[derive(Debug, Default)]
pub(super) struct Hooks {
    registered: RefCell<Vec<Registered>>,
}

/// One firing of an event.
pub(super) struct Event<'a> {
    pub(super) name: &'a str,
    /// What matchers look at: a tool's name, a trigger.
    pub(super) key: &'a str,
    /// What is told besides what every hook is told.
    pub(super) fields: Value,
    pub(super) tool_use_id: Option<&'a str>,
}

/// What all hooks together said.
#[derive(Debug, Default)]
pub(super) struct Opinion {
    pub(super) outputs: Vec<Value>,
    /// A hook that must not fail has failed.
    pub(super) failed: bool,
}

impl Hooks {
    /// Takes the `hooks` of an `initialize` request in place of those before.
    pub(super) fn register(&self, hooks: &Value) {
        let mut registered = Vec::new();
        for (event, matchers) in hooks.as_object().into_iter().flatten() {
            for matcher in matchers.as_array().into_iter().flatten() {
                let callbacks = matcher["hookCallbackIds"].as_array().into_iter().flatten();
                for callback in callbacks.filter_map(Value::as_str) {
                    registered.push(Registered {
                        event: event.clone(),
                        matcher: matcher["matcher"].as_str().map(str::to_owned),
                        callback: callback.to_owned(),
                        must_succeed: matcher["onFailure"] == "block",
                    });
                }
            }
        }
        *self.registered.borrow_mut() = registered;
    }

    pub(super) fn listens(&self, event: &str) -> bool {
        self.registered.borrow().iter().any(|hook| hook.event == event)
    }

    fn matching(&self, event: &str, key: &str) -> Vec<Registered> {
        let registered = self.registered.borrow();
        let matching = registered.iter().filter(|hook| {
            hook.event == event
                && hook.matcher.as_deref().is_none_or(|matcher| covers(matcher, key))
        });
        matching.cloned().collect()
    }
}

/// A matcher is `*`, or names and patterns with `.*` in them, separated by `|`.
fn covers(matcher: &str, key: &str) -> bool {
    matcher.is_empty()
        || matcher == "*"
        || matcher.split('|').any(|name| {
            let name = name.trim().trim_start_matches('^').trim_end_matches('$');
            match name.split_once(".*") {
                Some((start, end)) => {
                    key.len() >= start.len() + end.len()
                        && key.starts_with(start)
                        && key.ends_with(end)
                }
                None => name == key,
            }
        })
}

/// Fires an event and waits for all who listen.
pub(super) async fn fire(cli: &Rc<Cli>, scope: &Scope, event: Event<'_>) -> Opinion {
    let listeners = cli.hooks.matching(event.name, event.key);
    if listeners.is_empty() {
        return Opinion::default();
    }
    let mut input = base(cli, scope, event.name);
    if let (Value::Object(input), Value::Object(fields)) = (&mut input, event.fields) {
        input.extend(fields);
    }
    let id = event.tool_use_id.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
    // All are asked before any has answered.
    let questions: Vec<_> = listeners
        .iter()
        .map(|hook| {
            cli.asks.ask(json!({
                "subtype": "hook_callback",
                "callback_id": hook.callback,
                "input": input,
                "tool_use_id": id,
            }))
        })
        .collect();
    let answers = join_all(questions.into_iter().map(|question| question.answer())).await;
    let mut opinion = Opinion::default();
    for (hook, answer) in listeners.iter().zip(answers) {
        match answer {
            Ok(output) => opinion.outputs.push(output),
            Err(Unanswered::Error(_)) => {
                cli.emit(json!({
                    "type": "system",
                    "subtype": "informational",
                    "content": format!("{}: callback {} gave no usable answer; it counts as empty.", event.name, hook.callback),
                    "level": "warning",
                    "tag": "hook_callback_failed",
                }));
                opinion.failed |= hook.must_succeed;
            }
            Err(Unanswered::Closed | Unanswered::Withdrawn) => opinion.failed |= hook.must_succeed,
        }
    }
    opinion
}

fn base(cli: &Cli, scope: &Scope, event: &str) -> Value {
    let mut input = json!({
        "session_id": cli.session.id(),
        "transcript_path": cli.session.transcript().path(),
        "cwd": cli.launch.cwd,
        "prompt_id": scope.prompt_id,
        "hook_event_name": event,
    });
    if event != "SubagentStart" {
        input["permission_mode"] = json!(cli.permissions.borrow().mode.name());
    }
    if !matches!(event, "UserPromptSubmit" | "SubagentStart") {
        input["effort"] = json!({"level": cli.effort()});
    }
    if let Some(agent) = &scope.agent {
        input["agent_id"] = json!(agent.id);
        input["agent_type"] = json!(agent.kind);
    }
    input
}

impl Opinion {
    /// The reason, if any hook blocks.
    pub(super) fn block(&self) -> Option<String> {
        let blocking = self.outputs.iter().find(|output| output["decision"] == "block")?;
        Some(blocking["reason"].as_str().unwrap_or("Blocked by a hook").to_owned())
    }

    /// The reason, if any hook wants everything to stop.
    pub(super) fn stop(&self) -> Option<String> {
        let stopping = self.outputs.iter().find(|output| output["continue"] == false)?;
        Some(stopping["stopReason"].as_str().unwrap_or("Stopped by a hook").to_owned())
    }

    /// A field of `hookSpecificOutput`, from the last hook that gave one.
    pub(super) fn specific(&self, field: &str) -> Option<&Value> {
        let specific = self.outputs.iter().rev().map(|output| &output["hookSpecificOutput"][field]);
        specific.into_iter().find(|value| !value.is_null())
    }

    /// The strictest `permissionDecision`, with its reason.
    pub(super) fn permission(&self) -> Option<(Permission, Option<String>)> {
        let decisions = self.outputs.iter().filter_map(|output| {
            let specific = &output["hookSpecificOutput"];
            let permission = match specific["permissionDecision"].as_str()? {
                "deny" => Permission::Deny,
                "ask" => Permission::Ask,
                "allow" => Permission::Allow,
                _ => return None,
            };
            let reason = specific["permissionDecisionReason"].as_str().map(str::to_owned);
            Some((permission, reason))
        });
        decisions.max_by_key(|(permission, _)| *permission)
    }

    /// What hooks want the user to read.
    pub(super) fn messages(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().filter_map(|output| output["systemMessage"].as_str())
    }
}

/// What a PreToolUse hook decides, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Permission {
    Allow,
    Ask,
    Deny,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchers() {
        assert!(covers("", "Bash") && covers("*", "Bash") && covers("Edit|Write", "Write"));
        assert!(covers("Ba.*", "Bash") && covers("mcp__.*__add", "mcp__calc__add"));
        assert!(!covers("ba", "Bash") && !covers("Edit|Write", "Read"));
    }

    #[test]
    fn the_strictest_hook_wins() {
        let decision =
            |decision: &str| json!({"hookSpecificOutput": {"permissionDecision": decision}});
        let opinion = Opinion {
            outputs: vec![decision("allow"), decision("deny"), decision("ask"), json!({})],
            failed: false,
        };
        assert_eq!(opinion.permission(), Some((Permission::Deny, None)));
        assert_eq!(opinion.block(), None);
    }
}
