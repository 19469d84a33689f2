//! The gate in front of every tool: hooks, rules, mode, and in the end the host.

use std::rc::Rc;

use serde_json::{Value, json};

use super::Call;
use crate::sim::abort::Cause;
use crate::sim::asks::Unanswered;
use crate::sim::cli::{Cli, State};
use crate::sim::hooks::{self, Event, Opinion, Permission};
use crate::sim::permission::{Ask, Verdict, Wish, decide, path_of};
use crate::sim::scope::Scope;

/// What the gate says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Gate {
    /// Go, with this input. `meta` tells who said so.
    Run { input: Value, meta: Value },
    /// No, and the model reads why.
    Refused { message: String, meta: Value },
    /// No, and the turn is over.
    Interrupted,
}

fn accepted(source: &str, reason: Option<&str>) -> Value {
    let mut decision = json!({"decision": "accept", "source": source});
    if let Some(reason) = reason {
        decision["reason_type"] = json!(reason);
    }
    json!({"permission_decision": decision})
}

fn refused(message: &str, kind: &str, source: &str, reason: Option<&str>) -> Gate {
    let mut decision = json!({"decision": "reject", "source": source});
    if let Some(reason) = reason {
        decision["reason_type"] = json!(reason);
    }
    Gate::Refused {
        message: message.to_owned(),
        meta: json!({"non_execution_kind": kind, "permission_decision": decision}),
    }
}

/// Decides about a call after its PreToolUse hooks have spoken.
pub(super) async fn pass(cli: &Rc<Cli>, scope: &Scope, call: &Call, opinion: &Opinion) -> Gate {
    let permission = opinion.permission();
    let blocked = opinion.block().or_else(|| match &permission {
        Some((Permission::Deny, reason)) => Some(reason.clone().unwrap_or_default()),
        _ if opinion.failed => Some("a hook that has to answer did not".to_owned()),
        _ => None,
    });
    if let Some(reason) = blocked {
        let message = format!("A PreToolUse hook refused {}: {reason}", call.name);
        return refused(&message, "permission-rule", "hook", Some("hook"));
    }
    let input = opinion.specific("updatedInput").unwrap_or(&call.input).clone();
    let wish = Wish { tool: &call.name, input: &input, cwd: &cli.launch.cwd };
    let verdict = decide(&cli.permissions.borrow(), wish);
    match (verdict, permission) {
        (Verdict::Deny { reason, message }, _) => {
            denied(cli, scope, call, &message, reason);
            refused(&message, "permission-rule", "config", reason)
        }
        (_, Some((Permission::Allow, _))) => {
            Gate::Run { input, meta: accepted("hook", Some("hook")) }
        }
        (_, Some((Permission::Ask, reason))) => {
            let ask = Ask { reason_type: Some("hook"), reason, ..Ask::default() };
            host(cli, scope, call, input, &ask).await
        }
        (Verdict::Allow { reason }, _) => Gate::Run { input, meta: accepted("config", reason) },
        (Verdict::Ask(ask), _) => host(cli, scope, call, input, &ask).await,
    }
}

/// Tells the host of a refusal that it was not asked about.
fn denied(cli: &Cli, scope: &Scope, call: &Call, message: &str, reason: Option<&str>) {
    let mut frame = json!({
        "type": "system",
        "subtype": "permission_denied",
        "tool_name": call.name,
        "tool_use_id": call.id,
        "message": message,
    });
    if let Some(reason) = reason {
        frame["decision_reason_type"] = json!(reason);
    }
    if let Some(agent) = &scope.agent {
        frame["agent_id"] = json!(agent.id);
    }
    cli.emit(frame);
}

async fn host(cli: &Rc<Cli>, scope: &Scope, call: &Call, input: Value, ask: &Ask) -> Gate {
    if !cli.launch.flags.can_ask() {
        let message = format!("{} needs a permission that nobody here can give.", call.name);
        denied(cli, scope, call, &message, None);
        return refused(&message, "user-rejected", "config", None);
    }
    let input =
        if call.name == "ExitPlanMode" { super::dialog::with_plan(cli, &input) } else { input };
    cli.set_state(State::RequiresAction);
    let question = cli.asks.ask(request(cli, scope, call, &input, ask));
    cli.catch_up();
    // The host and its PermissionRequest hooks are asked together: who answers first decides.
    let hooked = hooked(cli, scope, call, &input, ask);
    let answer = scope.abort.unless(async {
        tokio::select! {
            biased;
            answer = question.answer() => answer,
            decision = hooked => Ok(decision),
        }
    });
    let gate = match answer.await {
        Err(Cause::Steer | Cause::Interrupt | Cause::Stopped) => Gate::Interrupted,
        Ok(Err(Unanswered::Withdrawn)) => Gate::Interrupted,
        Ok(Err(Unanswered::Error(text))) => failed(&format!("Error: {text}")),
        Ok(Err(Unanswered::Closed)) => failed("AbortError: stdin was closed before an answer came"),
        Ok(Ok(answer)) => heard(cli, scope, &answer, input),
    };
    cli.set_state(State::Running);
    gate
}

fn failed(text: &str) -> Gate {
    let message = format!("Tool permission request failed: {text}");
    refused(&message, "permission-rule", "config", Some("other"))
}

fn heard(cli: &Cli, scope: &Scope, answer: &Value, input: Value) -> Gate {
    match answer["behavior"].as_str() {
        Some("allow") => {
            cli.update_permissions(&answer["updatedPermissions"]);
            let source = answer["decisionClassification"].as_str().unwrap_or("user_temporary");
            let input = answer
                .get("updatedInput")
                .filter(|input| input.is_object())
                .cloned()
                .unwrap_or(input);
            Gate::Run { input, meta: accepted(source, None) }
        }
        Some("deny") if answer["interrupt"] == true => {
            scope.abort.set(Cause::Interrupt);
            Gate::Interrupted
        }
        Some("deny") => {
            let message = answer["message"].as_str().unwrap_or("Denied");
            refused(message, "permission-rule", "user_reject", None)
        }
        _ => failed("ZodError: the answer is neither allow nor deny"),
    }
}

/// The decision of a PermissionRequest hook; never comes if none decides.
async fn hooked(cli: &Rc<Cli>, scope: &Scope, call: &Call, input: &Value, ask: &Ask) -> Value {
    if cli.hooks.listens("PermissionRequest") {
        let event = Event {
            name: "PermissionRequest",
            key: &call.name,
            fields: json!({
                "tool_name": call.name,
                "tool_input": input,
                "permission_suggestions": ask.suggestions,
            }),
            tool_use_id: Some(&call.id),
        };
        let opinion = hooks::fire(cli, scope, event).await;
        if let Some(decision) = opinion.specific("decision") {
            return decision.clone();
        }
    }
    std::future::pending().await
}

fn request(cli: &Cli, scope: &Scope, call: &Call, input: &Value, ask: &Ask) -> Value {
    let mut request = json!({
        "subtype": "can_use_tool",
        "tool_name": call.name,
        "display_name": call.name,
        "input": input,
        "tool_use_id": call.id,
    });
    let mut set = |key: &str, value: Value| request[key] = value;
    if let Some(tool) = cli.mcp.find(&call.name) {
        set("display_name", json!(tool.display_name()));
        set("mcp_server", json!({"name": tool.server, "source": "sdk"}));
    }
    if let Some(description) = description(cli, call, input) {
        set("description", json!(description));
    }
    if !ask.suggestions.is_empty() {
        set("permission_suggestions", json!(ask.suggestions));
        if call.name != "Bash" {
            set("server_policy_ask_only", json!(!cli.hooks.listens("PermissionRequest")));
        }
    }
    if let Some(reason) = &ask.reason {
        set("decision_reason", json!(reason));
    }
    if let Some(kind) = ask.reason_type {
        set("decision_reason_type", json!(kind));
        if kind == "hook" {
            set("decision_reason_hook_event", json!("PreToolUse"));
            set("decision_reason_hook_source", json!("settings"));
        }
    }
    if let Some(path) = &ask.blocked_path {
        set("blocked_path", json!(path));
    }
    if let Some(rule) = &ask.matched_rule {
        set("matched_ask_rule", rule.clone());
    }
    if ask.needs_person {
        set("requires_user_interaction", json!(true));
    }
    if let Some(agent) = &scope.agent {
        set("agent_id", json!(agent.id));
    }
    request
}

/// A short line for people: the path as they would write it, or the command.
fn description(cli: &Cli, call: &Call, input: &Value) -> Option<String> {
    if call.name == "Bash" {
        let text = input["description"].as_str().or(input["command"].as_str())?;
        let short: String = text.chars().take(50).collect();
        return Some(if short.len() < text.len() { format!("{short}…") } else { short });
    }
    let path = path_of(Wish { tool: &call.name, input, cwd: &cli.launch.cwd })?;
    let shown = match path.strip_prefix(&cli.launch.cwd) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => match path.strip_prefix(&cli.launch.home) {
            Ok(below) => format!("~/{}", below.display()),
            Err(_) => path.display().to_string(),
        },
    };
    Some(shown)
}
