//! Hooks that the host needs: registered when used, answered when the host has done its part.

use pilothouse_session::effect::HookWork;
use pilothouse_session::event::Body;
use pilothouse_session::input::HookResult;
use pilothouse_session::session::Setup;
use pilothouse_session::{Effect, Input};
use serde_json::{Value, json};

use super::support::Stage;

/// The CLI calls a hook back.
fn fires(stage: &mut Stage, request: &str, callback: &str, input: Value) -> Vec<Effect> {
    let mut whole = json!({"session_id": "s", "transcript_path": "", "cwd": "/"});
    let fields = input.as_object().expect("an object").clone();
    whole.as_object_mut().expect("an object").extend(fields);
    stage.line(&json!({"type": "control_request", "request_id": request, "request": {
        "subtype": "hook_callback", "callback_id": callback, "tool_use_id": "t1", "input": whole,
    }}))
}

fn before_write() -> Value {
    let input = json!({"file_path": "/project/a.txt", "content": "new\n"});
    json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": input,
        "tool_use_id": "t1"})
}

fn before_stop(is_active: bool) -> Value {
    json!({"hook_event_name": "Stop", "stop_hook_active": is_active})
}

fn worked(stage: &mut Stage, request: &str, result: HookResult) {
    stage.feed(Input::Worked { request: request.to_owned(), result });
}

/// What the CLI was answered to `request`.
fn answers(stage: &Stage, request: &str) -> Vec<Value> {
    let to_it = |line: &&Value| line["response"]["request_id"] == *request;
    stage.sent.iter().filter(to_it).map(|line| line["response"]["response"].clone()).collect()
}

fn work(effects: &[Effect]) -> Vec<HookWork> {
    let wanted = effects.iter().filter_map(|effect| match effect {
        Effect::Work { work, .. } => Some(work.clone()),
        _ => None,
    });
    wanted.collect()
}

#[test]
fn only_what_is_used_is_registered() {
    let hooks = |setup| Stage::ready_with(setup).sent[0]["request"]["hooks"].clone();
    assert_eq!(hooks(Setup::default()), Value::Null);
    let baselines = hooks(Setup { baselines: true, ..Setup::default() });
    assert_eq!(baselines["PreToolUse"][0]["matcher"], "Edit|MultiEdit|Write|NotebookEdit");
    assert_eq!(baselines["Stop"], Value::Null);
    let stop = hooks(Setup { ask_before_stop: true, ..Setup::default() });
    assert_eq!(stop["PreToolUse"], Value::Null);
    assert_eq!(stop["Stop"][0]["hookCallbackIds"], json!(["stop"]));
}

#[test]
fn a_file_is_kept_as_it_was_before_the_call() {
    let mut stage = Stage::working_with(Setup { baselines: true, ..Setup::default() });
    let input = json!({"file_path": "/project/a.txt", "content": "new\n"});
    stage.tool_use("t1", "Write", &input);
    let effects = fires(&mut stage, "h1", "baseline", before_write());
    assert_eq!(work(&effects), [HookWork::Baseline { path: "/project/a.txt".to_owned() }]);
    assert_eq!(answers(&stage, "h1"), [] as [Value; 0], "the CLI waits for the host");

    worked(&mut stage, "h1", HookResult::Baseline(Some("old\n".to_owned())));
    assert_eq!(answers(&stage, "h1"), [json!({})]);
    stage.tool_result("t1", "The file was updated.");
    let update = stage.events.iter().find_map(|event| match &event.body {
        Body::FileUpdated { update, .. } => Some(update.clone()),
        _ => None,
    });
    assert_eq!(update.expect("the file was changed").before.as_deref(), Some("old\n"));
}

#[test]
fn the_host_can_send_the_model_on_once() {
    let mut stage = Stage::working_with(Setup { ask_before_stop: true, ..Setup::default() });
    let effects = fires(&mut stage, "h1", "stop", before_stop(false));
    assert_eq!(work(&effects), [HookWork::MayStop]);
    worked(&mut stage, "h1", HookResult::GoOn { reason: "Commit first.".to_owned() });
    let expected = json!({"decision": "block", "reason": "Commit first."});
    assert_eq!(answers(&stage, "h1"), [expected]);

    let effects = fires(&mut stage, "h2", "stop", before_stop(true));
    assert_eq!(work(&effects), []);
    assert_eq!(answers(&stage, "h2"), [json!({})], "not twice, or it would never end");
}

#[test]
fn a_hook_that_is_withdrawn_is_not_answered() {
    let mut stage = Stage::working_with(Setup { ask_before_stop: true, ..Setup::default() });
    fires(&mut stage, "h1", "stop", before_stop(false));
    stage.cancels("h1");
    worked(&mut stage, "h1", HookResult::MayStop);
    assert_eq!(answers(&stage, "h1"), [] as [Value; 0]);
}

#[test]
fn whoever_takes_over_is_told_what_a_hook_waits_for() {
    let mut stage = Stage::working_with(Setup { ask_before_stop: true, ..Setup::default() });
    fires(&mut stage, "h1", "stop", before_stop(false));
    stage.restore();
    assert_eq!(work(&stage.session.outstanding()), [HookWork::MayStop]);
    worked(&mut stage, "h1", HookResult::MayStop);
    assert_eq!(answers(&stage, "h1"), [json!({})]);
    assert_eq!(work(&stage.session.outstanding()), []);
}
