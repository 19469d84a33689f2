//! What an earlier version has stored goes on under this one: sessions outlive upgrades.
//!
//! `states/` has a state for each form that was ever stored, numbered. None of them is ever changed.

use std::path::PathBuf;

use pilothouse_session::approval::Decision;
use pilothouse_session::command::Urgency;
use pilothouse_session::session::Setup;
use pilothouse_session::{Command, Session};
use serde_json::{Value, json};

use crate::support::Stage;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recovery/states")
}

/// In mid-turn: a text half written, a call that is asked about, prompts that wait, a task, a request
/// of ours without an answer.
fn busy() -> Stage {
    let mut stage = Stage::working();
    stage.text("First I look.");
    stage.tool_use("t1", "Read", &json!({"file_path": "/project/a"}));
    stage.tool_result("t1", "text");
    stage.line(&json!({
        "type": "system", "subtype": "task_started", "task_id": "k1", "tool_use_id": "t9",
        "description": "watch", "task_type": "local_bash", "session_id": "s",
    }));
    stage.prompt(2, "Then this.");
    stage.prompt_with(3, "Later this.", Urgency::Later);
    stage.asks_for_bash("r1", "t2");
    let event = |event: Value| {
        json!({
            "type": "stream_event", "parent_tool_use_id": null, "session_id": "s", "event": event,
        })
    };
    stage.line(&event(
        json!({"type": "message_start", "message": {"id": "m7", "role": "assistant"}}),
    ));
    let block = json!({"type": "text", "text": ""});
    stage.line(&event(json!({"type": "content_block_start", "index": 0, "content_block": block})));
    let delta = json!({"type": "text_delta", "text": "Half a sen"});
    stage.line(&event(json!({"type": "content_block_delta", "index": 0, "delta": delta})));
    stage.command(Command::SetModel { model: Some("opus".to_owned()) });
    stage
}

#[test]
fn the_newest_form_is_among_the_kept_ones() {
    let newest = (1..).take_while(|number| directory().join(format!("{number}.json")).exists());
    let newest = newest.last().expect("a state");
    let kept =
        std::fs::read_to_string(directory().join(format!("{newest}.json"))).expect("a state");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    let now = serde_json::to_value(busy().session).expect("a state");
    assert!(
        kept == now,
        "the form of the state has changed: see that older ones can still be read, and put this \
         into {}.json:\n{now:#}",
        newest + 1
    );
}

#[test]
fn every_form_that_was_ever_stored_goes_on() {
    for entry in std::fs::read_dir(directory()).expect("states") {
        let path = entry.expect("a state").path();
        let text = std::fs::read_to_string(&path).expect("a state");
        let session: Session = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{} cannot be read: {error}", path.display()));
        let mut stage = busy();
        stage.session = session.within(Setup::default());
        assert_eq!(stage.session.open_items().len(), 1, "{}", path.display());
        stage.decide(1, Decision::Allow { input: None, updates: Vec::new() });
        stage.replies(json!({}));
        stage.tool_result("t2", "done");
        stage.result();
        assert_eq!(stage.last("complete")["outcome"], "done", "{}", path.display());
        assert_eq!(stage.last("model_changed")["model"], "opus", "{}", path.display());
    }
}
