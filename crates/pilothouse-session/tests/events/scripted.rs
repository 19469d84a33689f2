//! What no recording has: orders of lines that the protocol allows, and that happen seldom.

use serde_json::{Value, json};

use crate::recording::{Recording, Shown};
use crate::text;

const FIRST: &str = "00000000-0000-4000-8000-000000000001";
const SECOND: &str = "00000000-0000-4000-8000-000000000002";

/// A line to the CLI.
fn host(line: Value) -> Value {
    json!({ "dir": "in", "line": line })
}

/// A line of the CLI.
fn cli(line: Value) -> Value {
    json!({ "dir": "out", "line": line })
}

fn prompt(uuid: &str) -> Value {
    let message = json!({ "role": "user", "content": "go" });
    host(json!({ "type": "user", "uuid": uuid, "message": message, "parent_tool_use_id": null }))
}

fn lifecycle(uuid: &str, state: &str) -> Value {
    cli(json!({ "type": "command_lifecycle", "command_uuid": uuid, "state": state }))
}

fn init() -> Value {
    cli(json!({ "type": "system", "subtype": "init", "session_id": "s", "model": "m" }))
}

fn state(state: &str) -> Value {
    cli(json!({ "type": "system", "subtype": "session_state_changed", "state": state }))
}

fn says(text: &str) -> Value {
    assistant("m1", "a1", json!({ "type": "text", "text": text }))
}

fn calls(id: &str, name: &str, parent: Option<&str>) -> Value {
    let call = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
    let message = json!({ "role": "assistant", "id": "m1", "content": [call] });
    cli(json!({ "type": "assistant", "parent_tool_use_id": parent, "message": message }))
}

fn assistant(message: &str, uuid: &str, block: Value) -> Value {
    let message = json!({ "role": "assistant", "id": message, "content": [block] });
    cli(
        json!({ "type": "assistant", "uuid": uuid, "parent_tool_use_id": null, "message": message }),
    )
}

fn returns(id: &str, structured: Value) -> Value {
    let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "done" });
    let message = json!({ "role": "user", "content": [result] });
    cli(json!({
        "type": "user", "parent_tool_use_id": null, "message": message, "tool_use_result": structured,
    }))
}

fn stream(event: Value) -> Value {
    cli(json!({ "type": "stream_event", "parent_tool_use_id": null, "event": event }))
}

/// A text that grows.
fn grows(message: &str, text: &str) -> [Value; 3] {
    [
        stream(
            json!({ "type": "message_start", "message": { "role": "assistant", "id": message } }),
        ),
        stream(json!({
            "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" },
        })),
        stream(json!({
            "type": "content_block_delta", "index": 0,
            "delta": { "type": "text_delta", "text": text },
        })),
    ]
}

fn result(text: &str, more: Value) -> Value {
    let mut line = json!({
        "type": "result", "subtype": "success", "is_error": false, "result": text, "num_turns": 1,
    });
    if let (Some(line), Value::Object(more)) = (line.as_object_mut(), more) {
        line.extend(more);
    }
    cli(line)
}

/// The events of the kinds that matter here, as lines without numbers.
fn shown(lines: &[Value], kinds: &[&str]) -> Vec<String> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let played = Recording::of("scripted", lines.join("\n")).play();
    let refused = played.shown.iter().find(|shown| matches!(shown, Shown::Refused(_)));
    assert!(refused.is_none(), "{refused:?}");
    let is_wanted = |line: &String| {
        let mut words = line.split_whitespace().filter(|word| !word.starts_with('<'));
        words.nth(1).is_some_and(|kind| kinds.contains(&kind))
    };
    text::bare(&played).into_iter().filter(is_wanted).collect()
}

#[test]
fn a_prompt_that_is_folded_into_a_turn_is_answered_by_it() {
    let events = shown(
        &[
            prompt(FIRST),
            lifecycle(FIRST, "started"),
            init(),
            calls("c1", "Glob", None),
            prompt(SECOND),
            lifecycle(SECOND, "queued"),
            returns("c1", Value::Null),
            lifecycle(SECOND, "started"),
            says("Both."),
            result("Both.", json!({ "user_message_uuids": [FIRST, SECOND] })),
        ],
        &["turn_started", "prompt_updated", "complete"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"
    -- prompt_updated prompt=prompt1 state={ kind=queued }
    -- prompt_updated prompt=prompt1 state={ kind=sent }
    t1 turn_started
    t1 prompt_updated prompt=prompt1 state={ kind=taken_up turn=1 }
    -- prompt_updated prompt=prompt2 state={ kind=queued }
    -- prompt_updated prompt=prompt2 state={ kind=sent }
    t1 prompt_updated prompt=prompt2 state={ kind=taken_up turn=1 }
    t1 prompt_updated prompt=prompt1 state={ kind=answered turn=1 }
    t1 prompt_updated prompt=prompt2 state={ kind=answered turn=1 }
    t1 complete outcome=done prompts=[prompt1, prompt2]
    "#);
}

#[test]
fn prompts_are_bound_by_the_result_where_nothing_else_names_them() {
    let events = shown(
        &[
            prompt(FIRST),
            prompt(SECOND),
            init(),
            says("Both."),
            result("Both.", json!({ "user_message_uuids": [FIRST, SECOND] })),
        ],
        &["complete"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"t1 complete outcome=done prompts=[prompt1, prompt2]"#);
}

#[test]
fn a_turn_that_nobody_asked_for_answers_nobody() {
    let events = shown(
        &[
            prompt(FIRST),
            lifecycle(FIRST, "queued"),
            init(),
            says("A task has ended."),
            result("A task has ended.", json!({ "origin": { "kind": "task-notification" } })),
            lifecycle(FIRST, "started"),
            assistant("m2", "a2", json!({ "type": "text", "text": "Now you." })),
            result("Now you.", json!({ "user_message_uuids": [FIRST] })),
        ],
        &["turn_started", "message", "complete"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"
    t1 turn_started autonomous=true
    t1 message text="A task has ended."
    t1 complete outcome=done
    t2 turn_started
    t2 message text="Now you."
    t2 complete outcome=done prompts=[prompt1]
    "#);
}

#[test]
fn a_text_that_only_the_result_has_whole_is_shown_once() {
    let [start, block, piece] = grows("m1", "Half");
    let events = shown(
        &[prompt(FIRST), init(), start, block, piece, result("Half and half.", json!({}))],
        &["message", "retracted"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"t1 message text="Half and half.""#);
}

#[test]
fn an_answer_that_comes_another_way_takes_its_beginning_back() {
    let [start, block, piece] = grows("m1", "Half");
    let whole = assistant("m2", "a2", json!({ "type": "text", "text": "Another." }));
    let events = shown(
        &[prompt(FIRST), init(), start, block, piece, whole, result("Another.", json!({}))],
        &["message", "retracted"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"
    t1 retracted items=[2]
    t1 message text=Another.
    "#);
}

#[test]
fn an_idle_cli_owes_no_result() {
    let [start, block, piece] = grows("m1", "Half");
    let events = shown(
        &[prompt(FIRST), state("running"), init(), start, block, piece, state("idle")],
        &["message", "prompt_updated", "complete", "session_status"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"
    -- session_status status=starting
    -- session_status status=ready
    -- prompt_updated prompt=prompt1 state={ kind=queued }
    -- prompt_updated prompt=prompt1 state={ kind=sent }
    -- session_status status=running
    t1 prompt_updated prompt=prompt1 state={ kind=taken_up turn=1 }
    t1 message partial=true text=Half
    t1 prompt_updated prompt=prompt1 state={ kind=failed reason="the CLI has stopped without a result" }
    t1 complete outcome=lost prompts=[prompt1]
    -- session_status status=idle
    -- session_status status=ended
    "#);
}

#[test]
fn an_interrupt_is_no_failure_even_if_the_cli_says_so() {
    let failed = json!({
        "subtype": "error_during_execution", "is_error": true, "result": null,
        "errors": ["[ede_diagnostic] result_type=user"], "terminal_reason": "aborted_streaming",
    });
    let events =
        shown(&[prompt(FIRST), init(), result("", failed)], &["message", "error", "complete"]);
    insta::assert_snapshot!(events.join("\n"), @r#"t1 complete outcome=interrupted prompts=[prompt1]"#);
}

#[test]
fn an_error_of_the_api_is_told_once() {
    let mut error = says("API Error: 529");
    error["line"]["error"] = "overloaded".into();
    let failed = result("API Error: 529", json!({ "is_error": true }));
    let events = shown(&[prompt(FIRST), init(), error, failed], &["message", "error", "complete"]);
    insta::assert_snapshot!(events.join("\n"), @r#"
    t1 error code=overloaded message="API Error: 529"
    t1 complete outcome=failed prompts=[prompt1]
    "#);
}

#[test]
fn messages_that_are_taken_back_are_named() {
    let mut again = assistant("m2", "a2", json!({ "type": "text", "text": "Better." }));
    again["line"]["supersedes"] = json!(["a1"]);
    let lines = [prompt(FIRST), init(), says("Bad."), again, result("Better.", json!({}))];
    let events = shown(&lines, &["message", "retracted"]);
    insta::assert_snapshot!(events.join("\n"), @r#"
    t1 message text=Bad.
    t1 retracted items=[2]
    t1 message text=Better.
    "#);
}

#[test]
fn a_detached_call_ends_late_and_in_its_own_turn() {
    let events = shown(
        &[
            prompt(FIRST),
            init(),
            calls("c1", "Glob", None),
            returns("c1", json!({ "detachedToolCall": true })),
            says("It goes on."),
            result("It goes on.", json!({})),
            prompt(SECOND),
            init(),
            returns("c1", Value::Null),
            assistant("m2", "a2", json!({ "type": "text", "text": "There it is." })),
            result("There it is.", json!({})),
        ],
        &["tool_call", "tool_update", "complete"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"
    t1 tool_call kind=generic title=Glob tool_call_id=call1 tool_name=Glob
    t1 tool_update status=detached tool_call_id=call1
    t1 complete outcome=done prompts=[prompt1]
    t1 tool_update news={ output={ text=done } } status=complete tool_call_id=call1
    t2 complete outcome=done prompts=[prompt2]
    "#);
}

#[test]
fn what_a_task_in_the_background_started_outlives_the_turn() {
    let started = cli(json!({
        "type": "system", "subtype": "task_started", "task_id": "t", "tool_use_id": "c1",
        "task_type": "local_agent", "is_backgrounded": true,
    }));
    let ended = cli(json!({
        "type": "system", "subtype": "task_notification", "task_id": "t", "status": "completed",
    }));
    let events = shown(
        &[
            prompt(FIRST),
            init(),
            calls("c1", "Agent", None),
            started,
            returns("c1", json!({ "status": "async_launched", "agentId": "t" })),
            calls("c2", "Agent", Some("c1")),
            calls("c3", "Glob", Some("c2")),
            says("It goes on."),
            result("It goes on.", json!({})),
            returns("c3", Value::Null),
            returns("c2", Value::Null),
            ended,
        ],
        &["tool_call", "tool_update", "task_started", "task_ended", "complete", "session_status"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"
    -- session_status status=starting
    -- session_status status=ready
    -- session_status status=running
    t1 tool_call kind=generic title=Agent tool_call_id=call1 tool_name=Agent
    t1 task_started background=true kind=local_agent status=running task_id=task1 tool_call_id=call1
    t1 tool_update news={ output={ structured={ agentId=t status=async_launched } text=done } } status=complete tool_call_id=call1
    t1   <call1> tool_call kind=generic title=Agent tool_call_id=call2 tool_name=Agent
    t1   <call2> tool_call kind=generic title=Glob tool_call_id=call3 tool_name=Glob
    t1 complete outcome=done prompts=[prompt1]
    -- session_status status=settled
    t1   <call2> tool_update news={ output={ text=done } } status=complete tool_call_id=call3
    t1   <call1> tool_update news={ output={ text=done } } status=complete tool_call_id=call2
    t1 task_ended background=true kind=local_agent status=completed task_id=task1 tool_call_id=call1
    -- session_status status=idle
    -- session_status status=ended
    "#);
}

#[test]
fn what_is_not_understood_is_kept() {
    let events = shown(
        &[
            prompt(FIRST),
            init(),
            cli(json!({ "type": "brand_new", "value": 1 })),
            cli(json!({ "type": "system", "subtype": "brand_new" })),
            result("", json!({})),
        ],
        &["unknown"],
    );
    insta::assert_snapshot!(events.join("\n"), @r#"
    t1 unknown raw={ type=brand_new value=1 } what=brand_new
    t1 unknown raw={ subtype=brand_new type=system } what=system/brand_new
    "#);
}

#[test]
fn an_echo_says_nothing_twice() {
    let message = json!({ "role": "user", "content": "go" });
    let echo = cli(json!({
        "type": "user", "uuid": FIRST, "isReplay": true, "message": message,
        "parent_tool_use_id": null,
    }));
    let lines =
        [prompt(FIRST), echo.clone(), init(), says("Gone."), result("Gone.", json!({})), echo];
    let events = shown(&lines, &["user_message", "turn_started", "complete"]);
    insta::assert_snapshot!(events.join("\n"), @r#"
    -- user_message origin={ kind=user } prompt=prompt1 text=go
    t1 turn_started
    t1 complete outcome=done prompts=[prompt1]
    "#);
}
