//! May this tool be used?

use pilothouse_session::Refusal;
use pilothouse_session::approval::{Decision, Suggestion};
use pilothouse_session::event::Status;
use pilothouse_session::id::ApprovalId;
use pilothouse_wire::permission::Destination;
use pilothouse_wire::{PermissionUpdate, Raw};
use serde_json::{Value, json};

use crate::support::Stage;
use crate::support::cli::can_use;

pub(crate) fn yes() -> Decision {
    Decision::Allow { input: None, updates: Vec::new() }
}

pub(crate) fn no(message: Option<&str>, stop: bool) -> Decision {
    Decision::Deny { message: message.map(str::to_owned), stop }
}

fn asked() -> Stage {
    let mut stage = Stage::working();
    stage.asks_for_bash("r1", "t1");
    stage
}

#[test]
fn yes_echoes_the_input() {
    let mut stage = asked();
    assert_eq!(stage.session.status(), Status::AwaitingApproval);
    assert_eq!(stage.last("approval_requested")["subject"]["tool_name"], "Bash");
    assert_eq!(stage.decide(1, yes()), Some(Ok(json!({}))));
    let answer = stage.granted("r1");
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(answer["updatedInput"], json!({"command": "make"}));
    assert_eq!(answer["toolUseID"], "t1");
    assert_eq!(answer["decisionClassification"], "user_temporary");
    assert_eq!(answer.get("updatedPermissions"), None);
    let resolved = stage.last("approval_resolved");
    assert_eq!(resolved["by"], json!({"kind": "client", "name": "Ada"}));
    assert_eq!(resolved["tool_name"], "Bash");
    assert_eq!(stage.session.status(), Status::Running);
}

#[test]
fn yes_with_another_input() {
    let mut stage = asked();
    let updates = Vec::new();
    let unfit = Decision::Allow { input: Some(json!("make")), updates: updates.clone() };
    assert!(matches!(stage.decide(1, unfit), Some(Err(Refusal::UnfitDecision { .. }))));
    assert_eq!(stage.answer_to("r1"), None);
    stage.decide(1, Decision::Allow { input: Some(json!({"command": "make test"})), updates });
    assert_eq!(stage.granted("r1")["updatedInput"], json!({"command": "make test"}));
}

fn suggesting(more: &Value) -> Value {
    let mut line = can_use("r1", "t1", "Bash", &json!({"command": "make"}));
    line["request"]["permission_suggestions"] = json!([{
        "type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "make:*"}],
        "behavior": "allow", "destination": "localSettings",
    }]);
    for (name, value) in more.as_object().expect("fields") {
        line["request"][name] = value.clone();
    }
    line
}

#[test]
fn always_with_a_rule_and_a_place_of_ones_own() {
    let mut stage = Stage::working();
    stage.line(&suggesting(&json!({})));
    let offered = stage.last("approval_requested")["suggestions"].clone();
    assert_eq!(offered[0]["rules"][0]["ruleContent"], "make:*");
    let narrower = PermissionUpdate::allow("Bash", Some("make test"), Destination::Session);
    let updates = vec![Suggestion(narrower)];
    stage.decide(1, Decision::Allow { input: None, updates });
    let answer = stage.granted("r1");
    assert_eq!(answer["decisionClassification"], "user_permanent");
    assert_eq!(
        answer["updatedPermissions"],
        json!([{
            "type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "make test"}],
            "behavior": "allow", "destination": "session",
        }]),
    );
}

#[test]
fn a_change_of_no_known_kind_is_refused() {
    let mut stage = asked();
    let update = Raw::from(json!({"type": "addWishes"})).read().expect("an unknown change");
    let decision = Decision::Allow { input: None, updates: vec![Suggestion(update)] };
    assert!(matches!(stage.decide(1, decision), Some(Err(Refusal::UnfitDecision { .. }))));
    assert_eq!(stage.session.approvals().len(), 1);
}

#[test]
fn always_is_not_offered_where_the_user_wants_to_be_asked() {
    for more in [
        json!({"matched_ask_rule": {"source": "userSettings", "tool_name": "Bash"}}),
        json!({"suppress_always_allow_rule": true}),
    ] {
        let mut stage = Stage::working();
        stage.line(&suggesting(&more));
        assert_eq!(stage.last("approval_requested")["suggestions"], json!([]));
    }
}

#[test]
fn a_chosen_mode_counts_at_once() {
    let mut stage = asked();
    let mode = pilothouse_wire::permission::PermissionMode::AcceptEdits;
    let updates = vec![Suggestion(PermissionUpdate::set_mode(mode))];
    stage.decide(1, Decision::Allow { input: None, updates });
    assert_eq!(stage.last("mode_changed")["mode"], "acceptEdits");
    stage.mode("acceptEdits");
    assert_eq!(stage.told("mode_changed").len(), 2, "default, then acceptEdits, once");
    stage.mode("plan");
    stage.tool_result("t1", "made");
    assert_eq!(stage.last("mode_changed")["mode"], "plan", "the last word counts");
}

#[test]
fn no_tells_the_model_why() {
    let mut stage = asked();
    stage.decide(1, no(Some("Use ninja."), false));
    let answer = stage.granted("r1");
    assert_eq!((&answer["behavior"], &answer["message"]), (&json!("deny"), &json!("Use ninja.")));
    assert_ne!(answer["interrupt"], json!(true));
    assert_eq!(answer["decisionClassification"], "user_reject");
    stage.tool_result("t1", "Use ninja.");
    stage.result();
    assert_eq!(stage.last("complete")["outcome"], "done");
}

#[test]
fn no_has_a_message_even_if_nobody_wrote_one() {
    let mut stage = asked();
    stage.decide(1, no(Some("  "), false));
    let message = stage.granted("r1")["message"].as_str().expect("a message").trim().to_owned();
    assert!(!message.is_empty());
}

#[test]
fn no_and_stop_is_not_a_failure() {
    let mut stage = asked();
    stage.decide(1, no(None, true));
    assert_eq!(stage.granted("r1")["interrupt"], json!(true));
    stage.aborted();
    assert_eq!(stage.last("complete")["outcome"], "interrupted");
    assert_eq!(stage.told("error").len(), 0);
}

#[test]
fn several_at_once_are_answered_in_any_order() {
    let mut stage = Stage::working();
    for number in 1..=3 {
        stage.asks_for_bash(&format!("r{number}"), &format!("t{number}"));
    }
    assert_eq!(stage.session.approvals().len(), 3);
    stage.decide(2, no(None, false));
    stage.decide(3, yes());
    assert_eq!(stage.session.status(), Status::AwaitingApproval);
    stage.decide(1, yes());
    assert_eq!(stage.session.status(), Status::Running);
    assert_eq!(stage.granted("r2")["behavior"], "deny");
    assert_eq!(stage.granted("r3")["toolUseID"], "t3");
}

#[test]
fn a_request_may_come_before_its_call() {
    let mut stage = Stage::working();
    stage.can_use("r1", "t1", "Bash", &json!({"command": "make"}));
    let asked = stage.last("approval_requested");
    assert_eq!((&asked["turn"], &asked["tool_call_id"]), (&json!(1), &json!("t1")));
    stage.tool_use("t1", "Bash", &json!({"command": "make"}));
    stage.decide(1, yes());
    stage.tool_result("t1", "made");
    assert_eq!(stage.told("tool_call").len(), 1);
    assert_eq!(stage.last("tool_update")["status"], "complete");
}

#[test]
fn a_reason_meant_for_a_terminal_is_told_in_plain_text() {
    let mut stage = Stage::working();
    stage.line(&suggesting(&json!({"decision_reason": "\u{1b}[31mpath\u{1b}[0m outside"})));
    assert_eq!(stage.last("approval_requested")["reason"], "path outside");
}

#[test]
fn what_is_withdrawn_can_no_longer_be_answered() {
    let mut stage = asked();
    stage.cancels("r1");
    assert_eq!(stage.last("permission_cancelled")["reason"], "withdrawn");
    let void = Refusal::ApprovalVoid { approval: ApprovalId(1) };
    assert_eq!(stage.decide(1, yes()), Some(Err(void)));
    assert_eq!(stage.answer_to("r1"), None);
}

#[test]
fn late_answers_are_refused_with_their_reason() {
    let mut stage = asked();
    stage.decide(1, yes());
    let again = Refusal::AlreadyAnswered { approval: ApprovalId(1) };
    assert_eq!(stage.decide(1, no(None, false)), Some(Err(again)));
    let unknown = Refusal::UnknownApproval { approval: ApprovalId(9) };
    assert_eq!(stage.decide(9, yes()), Some(Err(unknown)));
    stage.asks_for_bash("r2", "t2");
    stage.killed();
    let void = Refusal::ApprovalVoid { approval: ApprovalId(2) };
    assert_eq!(stage.last("permission_cancelled")["reason"], "run_ended");
    assert_eq!(stage.decide(2, yes()), Some(Err(void)));
}

/// The CLI is initialised anew and tells what is open, in the reply and maybe live as well.
fn reinitialise(stage: &mut Stage, request: &str) {
    let initialize = pilothouse_wire::control::initialize::Initialize::default();
    let command = pilothouse_session::Command::Request(Box::new(initialize.into()));
    assert_eq!(stage.command(command), None);
    let (id, _) = stage.requested();
    let pending = can_use(request, "t1", "Bash", &json!({"command": "make"}));
    stage.line(&json!({"type": "control_response", "response": {
        "subtype": "success", "request_id": id, "response": {},
        "pending_permission_requests": [pending],
    }}));
    stage.line(&pending);
}

#[test]
fn what_is_told_again_is_not_doubled() {
    let mut stage = asked();
    reinitialise(&mut stage, "r1");
    assert_eq!(stage.told("approval_requested").len(), 1);
    stage.decide(1, yes());
    // The answer and the question crossed.
    reinitialise(&mut stage, "r1");
    assert_eq!(stage.told("approval_requested").len(), 1);
    assert_eq!(stage.session.approvals(), []);
    // What was open before the session knew of it is shown.
    reinitialise(&mut stage, "r0");
    assert_eq!(stage.told("approval_requested").len(), 2);
}

#[test]
fn requests_that_nobody_knows_get_an_error_or_silence() {
    let mut stage = Stage::working();
    let request = |id: &str, request: Value| json!({"type": "control_request", "request_id": id, "request": request});
    stage.line(&request("r1", json!({"subtype": "ui_copy", "text": "x"})));
    let answer = stage.answer_to("r1").expect("an answer");
    assert_eq!(answer["subtype"], "error");
    assert_eq!(answer["error_code"], "unsupported_request");
    assert_eq!(stage.last("unknown")["what"], "control_request/ui_copy");
    stage.line(&request("r2", json!({"subtype": "remote_tool_call", "tool": "x"})));
    assert_eq!(stage.answer_to("r2"), None, "it is for another machine");
    stage
        .line(&request("r3", json!({"subtype": "mcp_message", "server_name": "s", "message": {}})));
    assert_eq!(stage.answer_to("r3").expect("an answer")["subtype"], "error");
    assert_eq!(stage.session.approvals(), []);
}
