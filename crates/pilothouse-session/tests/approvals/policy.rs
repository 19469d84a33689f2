//! Policies answer before people are asked.

use std::sync::Arc;

use pilothouse_session::policy::{Level, Place, Policy, PolicySet, Preset};
use pilothouse_session::session::Setup;
use serde_json::{Value, json};

use crate::support::Stage;
use crate::support::cli::can_use;
use crate::tools::yes;

const RULES: &str = r#"
[[rule]]
tool = "Bash"
command = "make *"
then = "allow"

[[rule]]
tool = "Bash"
command = "rm *"
deny = "Nothing is removed here."
"#;

fn under(policies: impl IntoIterator<Item = Policy>) -> Setup {
    let policy = Some(Arc::new(PolicySet::new(policies)));
    Setup { policy, place: Place::at("/project"), ..Setup::default() }
}

fn rules() -> Setup {
    under([Policy::parse("rules.toml", RULES, Level::User).expect("rules")])
}

fn bash(stage: &mut Stage, request: &str, command: &str) {
    stage.can_use(request, "t1", "Bash", &json!({"command": command}));
}

#[test]
fn a_rule_says_yes_and_is_named() {
    let mut stage = Stage::working_with(rules());
    bash(&mut stage, "r1", "make all");
    assert_eq!(stage.granted("r1")["behavior"], "allow");
    assert_eq!(stage.granted("r1")["updatedInput"]["command"], "make all");
    let by = stage.last("approval_resolved")["by"].clone();
    assert_eq!(by["kind"], "policy");
    assert_eq!(by["because"]["rule"]["file"], "rules.toml");
    assert_eq!(by["because"]["rule"]["number"], 1);
    assert_eq!(stage.told("approval_requested").len(), 0);
}

#[test]
fn a_rule_says_no_and_the_model_hears_why() {
    let mut stage = Stage::working_with(rules());
    bash(&mut stage, "r1", "make all && rm -rf out");
    let answer = stage.granted("r1");
    assert_eq!(
        (&answer["behavior"], &answer["message"]),
        (&json!("deny"), &json!("Nothing is removed here."))
    );
    assert_eq!(stage.last("approval_resolved")["by"]["because"]["rule"]["number"], 2);
}

#[test]
fn what_no_rule_is_about_is_asked_and_explained() {
    let mut stage = Stage::working_with(rules());
    bash(&mut stage, "r1", "curl example.org");
    let policy = stage.last("approval_requested")["policy"].clone();
    assert_eq!((&policy["outcome"], &policy["ground"]), (&json!("asked"), &json!("default")));
    let late = serde_json::to_value(stage.session.approvals()).expect("approvals");
    assert_eq!(late[0]["policy"], policy, "whoever comes late reads it too");
    stage.decide(1, yes());
    assert_eq!(stage.granted("r1")["behavior"], "allow");
}

#[test]
fn a_request_that_comes_again_is_answered_once() {
    let mut stage = Stage::working_with(rules());
    bash(&mut stage, "r1", "make all");
    bash(&mut stage, "r1", "make all");
    assert_eq!(stage.told("approval_resolved").len(), 1);
}

#[test]
fn autonomous_leaves_only_questions_to_people() {
    let mut stage = Stage::working_with(under([Preset::Autonomous.policy()]));
    bash(&mut stage, "r1", "rm -rf out");
    assert_eq!(stage.granted("r1")["behavior"], "allow");
    stage.can_use("r2", "t2", "mcp__shop__buy", &json!({"what": "all"}));
    assert_eq!(stage.granted("r2")["behavior"], "allow");
    stage.can_use("r3", "t3", "ExitPlanMode", &json!({"plan": "1. Dig."}));
    assert_eq!(stage.granted("r3")["updatedPermissions"][0]["mode"], "default");
    assert_eq!(stage.last("plan_ready")["plan"], "1. Dig.", "a plan is told of all the same");
    let question =
        json!({"questions": [{"question": "Why?", "options": [], "multiSelect": false}]});
    stage.can_use("r4", "t4", "AskUserQuestion", &question);
    assert_eq!(stage.answer_to("r4"), None);
    assert_eq!(stage.last("approval_requested")["policy"]["ground"], "for_people");
    assert_eq!(stage.told("approval_requested").len(), 1);
}

#[test]
fn rules_of_the_users_own_and_safety_checks_want_a_person() {
    for more in [
        json!({"matched_ask_rule": {"source": "userSettings", "tool_name": "Bash"}}),
        json!({"classifier_approvable": false, "decision_reason_type": "safetyCheck"}),
    ] {
        let mut stage = Stage::working_with(under([Preset::Autonomous.policy()]));
        let mut line = can_use("r1", "t1", "Bash", &json!({"command": "make"}));
        for (name, value) in more.as_object().expect("fields") {
            line["request"][name] = value.clone();
        }
        stage.line(&line);
        assert_eq!(stage.answer_to("r1"), None);
        let policy = stage.last("approval_requested")["policy"].clone();
        assert_eq!(
            (&policy["outcome"], &policy["ground"]),
            (&json!("asked"), &json!("for_people"))
        );
    }
}

fn pre_tool_use(stage: &mut Stage, request: &str, command: &str) -> Value {
    stage.line(&json!({"type": "control_request", "request_id": request, "request": {
        "subtype": "hook_callback", "callback_id": "policy", "tool_use_id": "t1",
        "input": {
            "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "", "cwd": "/",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t1",
        },
    }}));
    stage.granted(request)
}

#[test]
fn every_call_is_seen_where_that_is_wanted() {
    let hooks = |stage: &Stage| stage.sent[0]["request"]["hooks"].clone();
    assert_eq!(hooks(&Stage::ready_with(rules())), Value::Null);
    let mut stage = Stage::working_with(Setup { see_every_call: true, ..rules() });
    assert_eq!(hooks(&stage)["PreToolUse"][0]["hookCallbackIds"], json!(["policy"]));
    assert_eq!(pre_tool_use(&mut stage, "r1", "make all"), json!({}));
    let decision = |output: Value| output["hookSpecificOutput"]["permissionDecision"].clone();
    assert_eq!(decision(pre_tool_use(&mut stage, "r2", "rm x")), "deny");
    let notice = stage.last("notice");
    assert_eq!(notice["about"], "denied");
    assert!(notice["text"].as_str().expect("a text").contains("rules.toml"), "{notice}");
    assert_eq!(decision(pre_tool_use(&mut stage, "r3", "curl example.org")), "ask");
    assert_eq!(stage.session.approvals(), []);
}
