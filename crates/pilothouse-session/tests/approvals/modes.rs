//! Mode, model and thinking: changed while running, or for the next run.

use pilothouse_session::command::mode_named;
use pilothouse_session::{Command, Refusal};
use pilothouse_wire::permission::PermissionMode;
use serde_json::{Value, json};

use crate::support::Stage;

fn mode(name: &str) -> Command {
    Command::SetMode { mode: mode_named(name) }
}

#[test]
fn modes_have_names_for_people() {
    assert_eq!(mode_named("ask"), PermissionMode::Default);
    assert_eq!(mode_named("manual"), PermissionMode::Default);
    assert_eq!(mode_named("act"), PermissionMode::AcceptEdits);
    assert_eq!(mode_named("plan"), PermissionMode::Plan);
    assert_eq!(mode_named("bypassPermissions"), PermissionMode::BypassPermissions);
}

#[test]
fn a_mode_holds_when_the_cli_says_so() {
    let mut stage = Stage::working();
    assert_eq!(stage.command(mode("act")), None);
    let (_, request) = stage.requested();
    assert_eq!(request, json!({"subtype": "set_permission_mode", "mode": "acceptEdits"}));
    assert_eq!(stage.last("mode_changed")["mode"], "default");
    stage.replies(json!({}));
    assert_eq!(stage.last("mode_changed")["mode"], "acceptEdits");
    assert_eq!(stage.last_reply(), Some(Ok(json!({}))));
    stage.command(mode("plan"));
    stage.replies(json!({"mode": "default"}));
    assert_eq!(stage.last("mode_changed")["mode"], "default", "the CLI knows best");
}

#[test]
fn a_mode_that_the_cli_refuses_changes_nothing() {
    let mut stage = Stage::working();
    stage.command(mode("bypassPermissions"));
    stage.refuses("not launched with it", "bypass_not_launched");
    let (message, code) =
        ("not launched with it".to_owned(), Some("bypass_not_launched".to_owned()));
    assert_eq!(stage.last_reply(), Some(Err(Refusal::Cli { message, code })));
    assert_eq!(stage.last("mode_changed")["mode"], "default");
}

#[test]
fn a_model_is_chosen_and_the_choice_taken_back() {
    let mut stage = Stage::working();
    stage.command(Command::SetModel { model: Some("claude-opus".to_owned()) });
    assert_eq!(stage.requested().1["model"], "claude-opus");
    stage.replies(json!({}));
    assert_eq!(stage.last("model_changed")["model"], "claude-opus");
    stage.command(Command::SetModel { model: None });
    assert_eq!(stage.requested().1["model"], Value::Null);
    stage.replies(json!({}));
    stage.result();
    stage.exit(0, "");
    stage.prompt(2, "More.");
    assert_eq!(stage.launches.last().expect("a run").model, None, "the default, whatever it is");
}

#[test]
fn thinking_is_limited_and_deepened() {
    let mut stage = Stage::working();
    stage.command(Command::SetThinking { max_tokens: Some(0) });
    let expected = json!({"subtype": "set_max_thinking_tokens", "max_thinking_tokens": 0});
    assert_eq!(stage.requested().1, expected);
    assert_eq!(stage.told("thinking_changed").len(), 0);
    stage.replies(json!({}));
    stage.command(Command::SetEffort { effort: "high".to_owned() });
    let expected = json!({"subtype": "apply_flag_settings", "settings": {"effortLevel": "high"}});
    assert_eq!(stage.requested().1, expected);
    stage.replies(json!({}));
    let thinking = stage.last("thinking_changed")["thinking"].clone();
    assert_eq!(thinking, json!({"max_tokens": 0, "effort": "high"}));
}

#[test]
fn without_a_run_settings_are_for_the_next_one() {
    let mut stage = Stage::dark(Default::default());
    let done = Some(Ok(json!({})));
    assert_eq!(stage.command(mode("plan")), done);
    assert_eq!(stage.command(Command::SetModel { model: Some("claude-opus".to_owned()) }), done);
    assert_eq!(stage.command(Command::SetEffort { effort: "low".to_owned() }), done);
    assert_eq!(stage.news(), ["mode_changed", "model_changed", "thinking_changed"]);
    stage.prompt(1, "Go.");
    let launch = stage.launches.last().expect("a run");
    assert_eq!(launch.mode, Some(PermissionMode::Plan));
    assert_eq!(launch.model.as_deref(), Some("claude-opus"));
    assert_eq!(launch.thinking.effort.as_deref(), Some("low"));
}

#[test]
fn while_it_starts_nothing_can_be_asked() {
    let mut stage = Stage::dark(Default::default());
    stage.prompt(1, "Go.");
    assert_eq!(stage.command(mode("plan")), Some(Err(Refusal::NotReady)));
    stage.started();
    assert_eq!(stage.command(mode("plan")), Some(Err(Refusal::NotReady)));
    stage.introduces();
    assert_eq!(stage.command(mode("plan")), None);
}

#[test]
fn other_requests_are_passed_on_with_their_answer() {
    let mut stage = Stage::working();
    let stop = pilothouse_wire::control::session::StopTask {
        task_id: "b1".to_owned(),
        ..Default::default()
    };
    let command = || Command::Request(Box::new(stop.clone().into()));
    assert_eq!(stage.command(command()), None);
    stage.replies(json!({"stopped": "b1"}));
    assert_eq!(stage.last_reply(), Some(Ok(json!({"stopped": "b1"}))));
    stage.command(command());
    stage.killed();
    assert_eq!(stage.last_reply(), Some(Err(Refusal::RunEnded)));
    assert_eq!(stage.command(command()), Some(Err(Refusal::NotRunning)));
}
