//! Policies answer before people are asked.

use std::sync::Arc;

use pilothouse_session::approval::{Decision, PlanChoice};
use pilothouse_session::policy::{Level, Place, Policy, PolicySet, Preset, RealPaths};
use pilothouse_session::session::Setup;
use pilothouse_session::{Input, Refusal};
use pilothouse_wire::Frame;
use serde_json::{Value, json};

use crate::support::Stage;
use crate::support::cli::can_use;
use crate::tools::{no, yes};

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

/// The CLI is about to run a tool. Gives its answer, if there is one yet.
fn about_to(stage: &mut Stage, request: &str, tool: &str, input: Value) -> Option<Value> {
    stage.line(&json!({"type": "control_request", "request_id": request, "request": {
        "subtype": "hook_callback", "callback_id": "policy", "tool_use_id": "t1",
        "input": {
            "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "",
            "cwd": "/project", "tool_name": tool, "tool_input": input, "tool_use_id": "t1",
        },
    }}));
    stage.answer_to(request).map(|answer| answer["response"].clone())
}

fn pre_tool_use(stage: &mut Stage, request: &str, command: &str) -> Value {
    about_to(stage, request, "Bash", json!({"command": command})).expect("an answer")
}

fn decision(output: &Value) -> Value {
    output["hookSpecificOutput"]["permissionDecision"].clone()
}

/// A session whose CLI does not say its version when it is initialised, as older ones do not.
fn older(setup: Setup) -> Stage {
    let mut stage = Stage::dark(setup);
    stage.start_command();
    stage.started();
    stage.replies(json!({"commands": [], "models": []}));
    stage.prompt(1, "Do it.");
    stage.init("default");
    stage
}

#[test]
fn every_call_is_asked_about_where_that_is_wanted() {
    let mut stage = Stage::working_with(Setup { see_every_call: true, ..rules() });
    let hook = stage.sent[0]["request"]["hooks"]["PreToolUse"][0].clone();
    assert_eq!(hook["hookCallbackIds"], json!(["policy"]));
    assert!(hook["timeout"].as_u64().expect("seconds") > 86_400, "a person may take days");
    assert_eq!(pre_tool_use(&mut stage, "r1", "make all"), json!({}));
    assert_eq!(decision(&pre_tool_use(&mut stage, "r2", "rm x")), "deny");
    let denied = stage.last("approval_resolved");
    assert_eq!(denied["decision"]["kind"], "deny");
    assert!(denied["by"].to_string().contains("rules.toml"), "{denied}");
    assert_eq!(decision(&pre_tool_use(&mut stage, "r3", "curl example.org")), "ask");
    assert_eq!(stage.session.approvals(), []);
}

#[test]
fn a_subagent_with_a_mode_of_its_own_is_asked_while_the_session_plans() {
    for (own, asked) in [(None, false), (Some("plan"), false), (Some("acceptEdits"), true)] {
        let mut stage = Stage::working_with(under([Preset::Plan.policy()]));
        stage.line(&json!({
            "type": "system", "subtype": "status", "session_id": "s", "permissionMode": "plan",
        }));
        let mut input = json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "",
            "cwd": "/project", "tool_name": "Edit", "tool_use_id": "t1", "agent_id": "a1",
            "tool_input": {"file_path": "/project/a", "old_string": "a", "new_string": "b"},
        });
        if let Some(own) = own {
            input["permission_mode"] = own.into();
        }
        stage.line(&json!({"type": "control_request", "request_id": "r1", "request": {
            "subtype": "hook_callback", "callback_id": "policy", "tool_use_id": "t1", "input": input,
        }}));
        let answer = stage.answer_to("r1").expect("an answer")["response"].clone();
        let expected = if asked { json!("ask") } else { Value::Null };
        assert_eq!(decision(&answer), expected, "{own:?}");
    }
}

#[test]
fn a_request_is_judged_in_the_directory_of_its_hook() {
    let rules = "[[rule]]\ntool = 'Read'\npath = 'sub/**'\nthen = 'allow'";
    let mut stage = Stage::working_with(under([
        Policy::parse("rules.toml", rules, Level::User).expect("rules")
    ]));
    let hook = |stage: &mut Stage, request: &str, call: &str, cwd: &str| {
        stage.line(&json!({"type": "control_request", "request_id": request, "request": {
            "subtype": "hook_callback", "callback_id": "policy", "tool_use_id": call,
            "input": {
                "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "",
                "cwd": cwd, "tool_name": "Read", "tool_input": {"file_path": "x"},
                "tool_use_id": call, "agent_id": "a1",
            },
        }}));
    };
    hook(&mut stage, "h1", "t1", "/project/sub");
    hook(&mut stage, "h2", "t2", "/elsewhere");
    let line = can_use("r1", "t1", "Read", &json!({"file_path": "x"}));
    let input = Input::Line(Box::new(Frame::decode(line.to_string().into())));
    assert_eq!(stage.session.paths_named(&input), ["/project/sub/x"]);
    stage.can_use("r1", "t1", "Read", &json!({"file_path": "x"}));
    assert_eq!(stage.granted("r1")["behavior"], "allow");
    stage.can_use("r2", "t2", "Read", &json!({"file_path": "x"}));
    assert_eq!(stage.answer_to("r2"), None, "a person is asked");
    // Old calls are forgotten.
    for at in 0..300 {
        hook(&mut stage, &format!("m{at}"), &format!("n{at}"), "/project/sub");
    }
    stage.can_use("r3", "t1", "Read", &json!({"file_path": "x"}));
    assert_eq!(stage.answer_to("r3"), None, "a person is asked");
}

const ENV: &str = r#"
[[rule]]
tool = "Read"
path = "**/.env"
deny = "Secrets stay where they are."

[[rule]]
tool = "Bash"
command = "git log *"
then = "ask"

[[rule]]
tool = "*"
then = "ask"
"#;

fn env() -> Setup {
    under([Policy::parse("env.toml", ENV, Level::User).expect("rules")])
}

#[test]
fn rules_hold_for_calls_that_the_cli_does_not_ask_about() {
    let mut stage = Stage::working_with(env());
    let read = |path: &str| json!({"file_path": path});
    let answer = about_to(&mut stage, "r1", "Read", read("/project/.env")).expect("an answer");
    assert_eq!(decision(&answer), "deny");
    let told = &answer["hookSpecificOutput"]["permissionDecisionReason"];
    assert_eq!(told, "Secrets stay where they are.");
    assert_eq!(about_to(&mut stage, "r2", "Read", read("/project/a")), Some(json!({})));
    assert_eq!(pre_tool_use(&mut stage, "r3", "ls"), json!({}), "the catch-all is silent");
    assert_eq!(decision(&pre_tool_use(&mut stage, "r4", "git log -1")), "ask");
    assert_eq!(decision(&pre_tool_use(&mut stage, "r5", "cat .env")), "ask");
    let plan = about_to(&mut stage, "r6", "ExitPlanMode", json!({}));
    assert_eq!(plan, Some(json!({})), "the CLI asks by itself");
    assert_eq!(stage.session.approvals(), []);
}

#[test]
fn a_policy_that_comes_later_holds_in_the_same_run() {
    let mut stage = Stage::working_with(under([]));
    assert_eq!(pre_tool_use(&mut stage, "r1", "rm x"), json!({}));
    stage.session.surround(rules());
    assert_eq!(decision(&pre_tool_use(&mut stage, "r2", "rm x")), "deny");
}

#[test]
fn an_older_cli_waits_in_the_hook_for_a_person() {
    let mut stage = older(env());
    stage.tool_use("t1", "Bash", &json!({"command": "git log -1"}));
    let log = json!({"command": "git log -1"});
    assert_eq!(about_to(&mut stage, "r1", "Bash", log.clone()), None, "the hook waits");
    let asked = stage.last("approval_requested");
    assert_eq!(asked["subject"]["tool_name"], "Bash");
    assert_eq!(asked["policy"]["rule"]["number"], 2);
    stage.restore();
    stage.decide(1, yes());
    assert_eq!(decision(&stage.granted("r1")), "allow", "the CLI does not ask again");
    assert_eq!(stage.last("approval_resolved")["by"]["kind"], "client");

    about_to(&mut stage, "r2", "Bash", log.clone());
    stage.decide(2, no(None, false));
    assert_eq!(decision(&stage.granted("r2")), "deny");
    about_to(&mut stage, "r3", "Bash", log);
    stage.cancels("r3");
    assert_eq!(stage.answer_to("r3"), None);
    assert_eq!(stage.session.approvals(), []);
    let answer = about_to(&mut stage, "r4", "Read", json!({"file_path": "/project/.env"}));
    assert_eq!(decision(&answer.expect("an answer")), "deny");
    assert_eq!(pre_tool_use(&mut stage, "r5", "ls"), json!({}));
}

#[test]
fn a_prompt_that_mentions_a_denied_file_is_not_sent() {
    let mut stage = Stage::ready_with(env());
    for text in ["look at @.env", "@/project/.env#L1-2", "@\".env\" please", "x\n@./a/../.env."] {
        let refused = stage.prompt(1, text);
        let Some(Err(Refusal::MentionDenied { mention, rule })) = refused else {
            panic!("{text}: {refused:?}");
        };
        assert!(mention.contains(".env") && rule.contains("env.toml"), "{mention} {rule}");
    }
    assert_eq!(stage.said(), [""; 0]);
    for (number, text) in (2..).zip(["look at .env", "me@.env.org", "@src/a", "@.envrc"]) {
        assert_eq!(stage.prompt(number, text), Some(Ok(json!({}))), "{text}");
    }
    assert_eq!(stage.said().len(), 4);
}

#[test]
fn a_prompt_that_waits_is_checked_again_when_it_is_sent() {
    let mut stage = Stage::dark(under([]));
    stage.prompt(1, "look at @.env");
    stage.prompt(2, "go on");
    stage.session.surround(env());
    stage.started();
    stage.introduces();
    assert_eq!(stage.said(), ["go on"]);
    assert_eq!(stage.fate(1), ["queued", "failed"]);
    let failed =
        stage.told("prompt_updated").into_iter().find(|it| it["state"]["kind"] == "failed");
    let reason = failed.expect("it failed")["state"]["reason"].to_string();
    assert!(reason.contains("@.env") && reason.contains("env.toml"), "{reason}");
}

#[test]
fn a_plan_that_mentions_a_denied_file_does_not_become_a_prompt() {
    let mut stage = Stage::working_with(env());
    let plan = json!({"plan": "1. Read @.env"});
    stage.tool_use("t1", "ExitPlanMode", &plan);
    stage.can_use("r1", "t1", "ExitPlanMode", &plan);
    let choose = |plan: Option<&str>| Decision::Plan {
        choice: PlanChoice::ClearContext,
        plan: plan.map(str::to_owned),
        feedback: None,
    };
    let refused = stage.decide(1, choose(None));
    assert!(matches!(refused, Some(Err(Refusal::MentionDenied { .. }))), "{refused:?}");
    assert_eq!(stage.decide(1, choose(Some("1. Read the code"))), Some(Ok(json!({}))));
}

#[test]
fn the_server_that_the_cli_names_is_the_one_that_counts() {
    let text = "[[rule]]\nserver = 'git'\nthen = 'allow'";
    let setup = || under([Policy::parse("git.toml", text, Level::User).expect("rules")]);
    let mut stage = Stage::working_with(setup());
    for (request, name, source, is_allowed) in [
        ("r1", "git", "user", true),
        ("r2", "git__evil", "user", false),
        ("r3", "git", "project", false),
    ] {
        let mut line = can_use(request, "t1", "mcp__git__evil__run", &json!({}));
        line["request"]["mcp_server"] = json!({"name": name, "source": source});
        stage.line(&line);
        assert_eq!(stage.answer_to(request).is_some(), is_allowed, "{request}");
    }
    // An older CLI says only which servers it has.
    let mut stage = older(setup());
    for (request, servers, is_allowed) in [
        ("r1", json!([{"name": "git", "status": "connected"}]), true),
        ("r2", json!([{"name": "git"}, {"name": "git__evil"}]), false),
    ] {
        let conversation = crate::support::cli::CONVERSATION;
        stage.line(&json!({
            "type": "system", "subtype": "init", "session_id": conversation,
            "permissionMode": "default", "mcp_servers": servers,
        }));
        stage.can_use(request, "t1", "mcp__git__evil__run", &json!({}));
        assert_eq!(stage.answer_to(request).is_some(), is_allowed, "{request}");
    }
}

#[test]
fn links_are_resolved_by_whoever_hands_the_line_in() {
    let text = "[[rule]]\ntool = 'Write'\npath = 'src/**'\nthen = 'allow'";
    let setup = under([Policy::parse("src.toml", text, Level::User).expect("rules")]);
    let mut stage = Stage::working_with(setup);
    stage.can_use("r2", "t2", "Write", &json!({"file_path": "src/a", "content": ""}));
    assert_eq!(stage.granted("r2")["behavior"], "allow");
    let line = can_use("r1", "t1", "Write", &json!({"file_path": "src/conf", "content": ""}));
    let input = Input::Line(Box::new(Frame::decode(line.to_string().into())));
    let named = stage.session.paths_named(&input);
    assert_eq!(named, ["/project/src/conf"]);
    let mut real = RealPaths::default();
    real.insert(&*named[0], vec!["/home/me/.bashrc".to_owned()]);
    let now = "2026-01-01T00:00:00Z".parse().expect("a time");
    stage.session.handle_resolved(input, real, now);
    assert_eq!(stage.session.approvals().len(), 1, "the link leads out");
}
