//! Conversations that the CLI has kept, taken in as sessions.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use jiff::Timestamp;
use pilothouse_session::event::{Body, Event, Outcome, RunOrigin, Status, ToolStatus};
use pilothouse_session::id::{CommandId, PromptId, SessionId};
use pilothouse_session::session::Setup;
use pilothouse_session::session::import::{Import, Kept, Moment};
use pilothouse_session::{Command, Effect, Input, Session, command::Urgency};
use pilothouse_wire::message::{AssistantFrame, UserFrame};
use pilothouse_wire::{Content, Raw};
use serde_json::{Value, json};
use uuid::Uuid;

const CONVERSATION: &str = "00000000-0000-4000-8000-0000000000cc";

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + second).expect("a time")
}

fn prompt(number: u128, text: &str) -> Kept {
    let uuid = Some(Uuid::from_u128(number).to_string());
    Kept::Prompt { uuid, content: Content::from(text), moment: Moment::Between }
}

fn assistant(value: Value) -> Kept {
    let frame: AssistantFrame = Raw::from(value).read().expect("a frame");
    Kept::Assistant(Box::new(frame))
}

fn answer(id: &str, block: Value) -> Kept {
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    assistant(json!({"uuid": format!("u-{id}"), "message": {
        "id": id, "model": "m-1", "usage": usage, "content": [block],
    }}))
}

fn user(value: Value) -> UserFrame {
    Raw::from(value).read().expect("a frame")
}

fn result(call: &str, text: &str) -> Kept {
    let block = json!({"type": "tool_result", "tool_use_id": call, "content": text});
    Kept::User(Box::new(user(json!({"message": {"role": "user", "content": [block]}}))))
}

fn import(kept: Vec<Kept>) -> (Session, Vec<Event>) {
    let id = SessionId(Uuid::from_u128(7));
    let mut import = Import::new(id, Setup::default(), CONVERSATION, at(0));
    let mut events = Vec::new();
    for (second, one) in (1..).zip(kept) {
        events.extend(import.take(one, at(second)));
    }
    let (session, last) = import.finish();
    events.extend(last);
    (session, events)
}

fn kinds(events: &[Event]) -> Vec<String> {
    let kind = |event: &Event| {
        let value = serde_json::to_value(event).expect("JSON");
        value["type"].as_str().expect("a type").to_owned()
    };
    events.iter().map(kind).collect()
}

fn outcomes(events: &[Event]) -> Vec<Outcome> {
    let outcome = |event: &Event| match &event.body {
        Body::Complete { completion } => Some(completion.outcome),
        _ => None,
    };
    events.iter().filter_map(outcome).collect()
}

#[test]
fn it_looks_like_any_other_session() {
    let (session, events) = import(vec![
        prompt(1, "do it"),
        answer("m1", json!({"type": "thinking", "thinking": "hm"})),
        answer(
            "m1",
            json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}),
        ),
        result("t1", "a\nb"),
        answer("m2", json!({"type": "text", "text": "done"})),
    ]);
    assert_eq!(
        kinds(&events),
        [
            "conversation_changed",
            "user_message",
            "prompt_updated",
            "turn_started",
            "prompt_updated",
            "model_changed",
            "reasoning",
            "tool_call",
            "tool_update",
            "message",
            "context_window",
            "prompt_updated",
            "complete",
        ]
    );
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=13).collect::<Vec<_>>());
    assert!(events.is_sorted_by_key(|event| event.at) && events[0].at == at(0));
    let Body::Complete { completion } = &events[12].body else { panic!("{events:?}") };
    assert_eq!(completion.outcome, Outcome::Done);
    assert_eq!((completion.tokens.input, completion.tokens.output), (20, 10), "of two answers");
    assert_eq!(completion.duration_ms, Some(4000.0));
    assert_eq!(completion.prompts, [PromptId(Uuid::from_u128(1))]);
    assert_eq!(completion.last_message_uuid.as_deref(), Some("u-m2"));
    assert_eq!((session.status(), session.seq()), (Status::Dormant, 13));
}

/// The next prompt resumes the conversation, and numbers go on.
#[test]
fn it_goes_on() {
    let (session, events) = import(vec![
        prompt(1, "one"),
        answer("m1", json!({"type": "tool_use", "id": "p1", "name": "EnterPlanMode", "input": {}})),
        result("p1", "entered"),
        answer("m2", json!({"type": "text", "text": "1"})),
    ]);
    let stored = serde_json::to_string(&session).expect("it can be written down");
    let mut session: Session = serde_json::from_str(&stored).expect("and read back");
    assert_eq!(session.cli_session(), Some(CONVERSATION));
    let say = |number, text: &str| Input::Command {
        id: CommandId(Uuid::from_u128(number)),
        command: Command::Prompt {
            prompt: PromptId(Uuid::from_u128(number)),
            content: Content::from(text),
            attachments: Vec::new(),
            urgency: Urgency::Next,
        },
    };
    let effects = session.handle(say(2, "two"), at(100));
    let launch = effects.iter().find_map(|effect| match effect {
        Effect::Start(launch) => Some(launch),
        _ => None,
    });
    let launch = launch.expect("a run is started");
    let origin = RunOrigin::Resumed { cli_session: CONVERSATION.to_owned(), at: None };
    assert_eq!(launch.origin, origin);
    assert_eq!((&launch.mode, &launch.model), (&None, &None), "nothing of old is taken over");
    let first = effects.iter().find_map(|effect| match effect {
        Effect::Append(event) => Some(event.seq),
        _ => None,
    });
    assert_eq!(first, Some(events.len() as u64 + 1));
    // A prompt of the past is not a new one.
    let again = session.handle(say(1, "one"), at(101));
    let told = again.iter().any(|effect| match effect {
        Effect::Append(event) => matches!(event.body, Body::UserMessage { .. }),
        _ => false,
    });
    assert!(!told, "{again:?}");
}

#[test]
fn turns_end_as_they_ended() {
    let text = |id: &str, text: &str| answer(id, json!({"type": "text", "text": text}));
    let call = |id: &str, call: &str| {
        answer(
            id,
            json!({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "x"}}),
        )
    };
    let stopped = json!({"message": {"role": "user", "content": "[Request interrupted by user]"}});
    let failed = json!({"uuid": "e", "error": "rate_limit", "message": {
        "model": "<synthetic>", "content": [{"type": "text", "text": "Limit reached"}],
    }});
    let (_, events) = import(vec![
        prompt(1, "answered"),
        text("m1", "yes"),
        prompt(2, "interrupted"),
        call("m2", "t2"),
        Kept::Interrupted(Box::new(user(stopped))),
        prompt(3, "failed"),
        assistant(failed.clone()),
        prompt(4, "overcome"),
        assistant(failed),
        text("m4", "after all"),
        prompt(5, "left alone"),
        prompt(6, "left in a call"),
        call("m6", "t6"),
    ]);
    use Outcome::{Done, Failed, Interrupted, Lost};
    assert_eq!(outcomes(&events), [Done, Interrupted, Failed, Done, Lost, Lost]);
    let errors: Vec<&str> = events
        .iter()
        .filter_map(|event| match &event.body {
            Body::Error { message, code } if code.as_deref() == Some("rate_limit") => {
                Some(&**message)
            }
            _ => None,
        })
        .collect();
    assert_eq!(errors, ["Limit reached"]);
    let statuses: Vec<ToolStatus> = events
        .iter()
        .filter_map(|event| match &event.body {
            Body::ToolUpdate { status, .. } => Some(*status),
            _ => None,
        })
        .collect();
    assert_eq!(statuses, [ToolStatus::Cancelled, ToolStatus::Cancelled]);
}

#[test]
fn what_was_said_meanwhile_belongs_to_the_turn() {
    let (_, events) = import(vec![
        prompt(1, "start"),
        answer("m1", json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}})),
        result("t", "ok"),
        Kept::Prompt {
            uuid: Some("not a uuid".to_owned()),
            content: Content::from("also this"),
            moment: Moment::Within,
        },
        answer("m2", json!({"type": "text", "text": "both"})),
    ]);
    assert_eq!(outcomes(&events), [Outcome::Done]);
    let Some(Body::Complete { completion }) = events.last().map(|event| &event.body) else {
        panic!("{events:?}")
    };
    assert_eq!(completion.prompts.len(), 2);
}

#[test]
fn a_background_task_wakes_the_model_without_a_prompt() {
    let woken = json!({"origin": {"kind": "task-notification"},
        "message": {"role": "user", "content": "it is done"}});
    let (_, events) = import(vec![
        prompt(1, "start"),
        answer("m1", json!({"type": "text", "text": "started"})),
        Kept::User(Box::new(user(woken))),
        answer("m2", json!({"type": "text", "text": "I see"})),
    ]);
    let autonomous: Vec<bool> = events
        .iter()
        .filter_map(|event| match event.body {
            Body::TurnStarted { autonomous } => Some(autonomous),
            _ => None,
        })
        .collect();
    assert_eq!(autonomous, [false, true]);
    assert_eq!(outcomes(&events), [Outcome::Done, Outcome::Done]);
}
