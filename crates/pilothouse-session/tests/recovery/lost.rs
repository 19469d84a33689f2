//! A run whose lines are gone ends like one whose lines are there.

use pilothouse_session::event::{Event, Exit};
use pilothouse_session::session::Setup;
use pilothouse_session::{Effect, Input, Session};
use serde_json::{Value, json};

use crate::support::Stage;

/// What comes of an input: the events, and what is to be done.
fn follows(session: &Session, input: Input) -> (Vec<Value>, Vec<Effect>) {
    let mut session = session.clone().within(setup());
    let effects = session.handle(input, "2026-01-02T00:00:00Z".parse().expect("a time"));
    let mut events = Vec::new();
    let mut acts = Vec::new();
    for effect in effects {
        match effect {
            Effect::Append(event) => events.push(told(&event)),
            act => acts.push(act),
        }
    }
    (events, acts)
}

/// An event without what only lines tell: up to where the conversation is known to be whole.
fn told(event: &Event) -> Value {
    let mut event = serde_json::to_value(event).expect("an event");
    for (parent, name) in [("", "last_message_uuid"), ("meaning", "at")] {
        let place = if parent.is_empty() { Some(&mut event) } else { event.get_mut(parent) };
        if let Some(place) = place.and_then(Value::as_object_mut) {
            place.remove(name);
        }
    }
    event
}

fn setup() -> Setup {
    Setup { resume_attempts: 3, ..Setup::default() }
}

type Step = fn(&mut Stage);

/// Lines of the CLI, and of nobody else: whatever is asked for is stored with the state.
const LINES: &[Step] = &[
    |stage| stage.init("default"),
    |stage| stage.tool_use("t1", "Read", &json!({"file_path": "/project/a"})),
    |stage| stage.tool_result("t1", "text"),
    |stage| stage.text("Read."),
    |stage| stage.asks_for_bash("r1", "t2"),
    |stage| stage.cancels("r1"),
    |stage| stage.mode("plan"),
    |stage| {
        stage.line(&json!({"type": "system", "subtype": "task_started", "task_id": "k1",
            "tool_use_id": "t2", "description": "make"}));
    },
    |stage| stage.tool_result("t2", "refused"),
    |stage| stage.result(),
    |stage| stage.lifecycle(2, "started"),
    |stage| stage.tool_use("t3", "Bash", &json!({"command": "make"})),
    |stage| stage.tool_result("t3", "made"),
    |stage| stage.result(),
];

#[test]
fn a_run_whose_lines_are_gone_ends_as_what_was_stored_of_it_says() {
    let mut stage = Stage::ready_with(setup());
    stage.prompt(1, "Do it.");
    stage.prompt(2, "And this.");
    let (before, known) = (stage.session.clone(), stage.events.len());
    for (number, step) in LINES.iter().enumerate() {
        step(&mut stage);
        let why = "its files are gone".to_owned();
        let exited = Input::Exited { exit: Exit::default(), stderr_tail: why.clone() };
        let expected = follows(&stage.session, exited);
        let events = stage.events[known..].to_vec();
        let lost = follows(&before, Input::Lost { events, why });
        assert_eq!(lost, expected, "after line {number}");
    }
    assert_eq!(stage.fate(1).last().expect("a state"), "answered");
}
