//! What an event means for the tables beside the events: the session's row, approvals, prompts, what
//! was spent.
//!
//! The events are the truth. The tables are there to be asked across sessions, and are written in
//! the same transaction, so they cannot disagree.

use jiff::Timestamp;
use pilothouse_session::approval::{Approval, Decider, Decision, Resolution, Subject};
use pilothouse_session::event::{Body, Completion, Event, PromptState, Status};
use pilothouse_session::id::PromptId;
use serde_json::{Value, json};

/// What an event means.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Consequence {
    pub(super) seq: u64,
    pub(super) at: Timestamp,
    /// Whether somebody should see it: the session is unread then.
    pub(super) is_notable: bool,
    pub(super) change: Change,
}

/// What it changes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change {
    /// Nothing but when the session was last heard of.
    Heard,
    Status(Status),
    Titled(String),
    Conversation(String),
    Model(String),
    Mode(String),
    Asked {
        approval: u64,
        tool_name: Option<String>,
        request: String,
    },
    Decided(Box<Decided>),
    Voided {
        approval: u64,
    },
    /// Its counts begin with zero.
    RunBegan,
    TurnEnded(Box<Completion>),
    Prompted(PromptId),
    PromptState {
        prompt: PromptId,
        state: &'static str,
    },
}

/// A request was answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decided {
    pub(super) approval: u64,
    pub(super) tool_name: Option<String>,
    pub(super) decision: String,
    pub(super) by: String,
    /// For the audit: who,
    pub(super) actor: String,
    /// did what,
    pub(super) action: &'static str,
    /// and why, without a word of what was said in the session.
    pub(super) detail: Value,
}

/// What an event means; nothing for most.
pub(super) fn consequence(event: &Event) -> Option<Consequence> {
    let mut is_notable = false;
    let change = match &event.body {
        Body::SessionStatus { status } => {
            is_notable = *status == Status::Interrupted;
            Change::Status(*status)
        }
        Body::Renamed { title } => Change::Titled(title.clone()),
        Body::ConversationChanged { cli_session, .. } => Change::Conversation(cli_session.clone()),
        Body::ModelChanged { model } => Change::Model(model.clone()),
        Body::ModeChanged { mode } => Change::Mode(mode.clone()),
        Body::UserMessage { prompt: Some(prompt), .. } => Change::Prompted(*prompt),
        Body::UserMessage { prompt: None, .. } => Change::Heard,
        Body::PromptUpdated { prompt, state } => {
            Change::PromptState { prompt: *prompt, state: state_word(state) }
        }
        Body::ApprovalRequested { approval } => {
            is_notable = true;
            asked(approval)
        }
        Body::ApprovalResolved { resolution } => Change::Decided(Box::new(decided(resolution))),
        Body::PermissionCancelled { approval, .. } => Change::Voided { approval: approval.0 },
        Body::RunStarted { .. } => Change::RunBegan,
        Body::Complete { completion } => {
            is_notable = true;
            Change::TurnEnded(completion.clone())
        }
        Body::Error { .. } => {
            is_notable = true;
            Change::Heard
        }
        _ => return None,
    };
    Some(Consequence { seq: event.seq, at: event.at, is_notable, change })
}

fn asked(approval: &Approval) -> Change {
    let tool_name = match &approval.subject {
        Subject::Tool { tool_name, .. } => Some(tool_name.clone()),
        _ => None,
    };
    let request = serde_json::to_string(approval).unwrap_or_default();
    Change::Asked { approval: approval.approval.0, tool_name, request }
}

fn decided(resolution: &Resolution) -> Decided {
    let (actor, rule) = match &resolution.by {
        // The name is for people: anybody can be called `policy`.
        Decider::Client { name, identity } => {
            let who = identity.as_ref().or(name.as_ref());
            (who.cloned().unwrap_or_else(|| "a client".to_owned()), None)
        }
        Decider::Policy { because } => ("policy".to_owned(), Some(&because.ground)),
    };
    let action = match &resolution.decision {
        Decision::Allow { .. } => "approval.allowed",
        Decision::Deny { .. } => "approval.denied",
        Decision::Plan { .. } => "approval.plan_decided",
        Decision::Answers { .. } => "approval.answered",
        Decision::Form { .. } => "approval.form_filled",
        Decision::Choose { .. } => "approval.chosen",
    };
    let approval = resolution.approval.0;
    let mut detail = json!({ "approval": approval, "tool": resolution.tool_name, "rule": rule });
    // The session may be deleted: what was let through for later, or in another form, stays known.
    match &resolution.decision {
        Decision::Allow { input, updates } => {
            if input.is_some() {
                detail["edited"] = true.into();
            }
            if !updates.is_empty() {
                detail["updates"] = json!(updates);
            }
        }
        Decision::Plan { choice, .. } => detail["choice"] = json!(choice),
        _ => {}
    }
    Decided {
        approval,
        tool_name: resolution.tool_name.clone(),
        decision: serde_json::to_string(&resolution.decision).unwrap_or_default(),
        by: serde_json::to_string(&resolution.by).unwrap_or_default(),
        actor,
        action,
        detail,
    }
}

fn state_word(state: &PromptState) -> &'static str {
    match state {
        PromptState::Queued => "queued",
        PromptState::Sent => "sent",
        PromptState::TakenUp { .. } => "taken_up",
        PromptState::Answered { .. } => "answered",
        PromptState::Cancelled => "cancelled",
        PromptState::Failed { .. } => "failed",
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_session::id::ApprovalId;

    use super::*;

    fn audited(decision: Value) -> Value {
        let resolution = Resolution {
            approval: ApprovalId(1),
            tool_call_id: None,
            tool_name: Some("Bash".to_owned()),
            decision: serde_json::from_value(decision).unwrap(),
            by: Decider::Client { name: None, identity: Some("token".to_owned()) },
        };
        decided(&resolution).detail
    }

    #[test]
    fn the_audit_tells_what_was_let_through() {
        let plain = audited(json!({ "kind": "allow" }));
        assert_eq!(plain, json!({ "approval": 1, "tool": "Bash", "rule": null }));
        let update = json!({
            "type": "addRules", "behavior": "allow", "destination": "localSettings",
            "rules": [{ "toolName": "Bash", "ruleContent": "npm run *" }],
        });
        let always =
            audited(json!({ "kind": "allow", "input": { "command": "ls" }, "updates": [update] }));
        assert_eq!((&always["edited"], &always["updates"][0]), (&json!(true), &update));
        let planned = audited(json!({ "kind": "plan", "choice": "keep_planning" }));
        assert_eq!(planned["choice"], "keep_planning");
    }
}
