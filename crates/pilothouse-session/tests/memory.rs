//! A long session keeps no more in memory than a short one.
//!
//! A test of its own process: what others allocate would count too.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used)]

use jiff::Timestamp;
use pilothouse_session::event::{RunOrigin, Status};
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::session::Setup;
use pilothouse_session::{Input, Session};
use pilothouse_wire::Frame;
use serde_json::{Value, json};
use uuid::Uuid;

const EVENTS: u64 = 100_000;
const ALLOWED_KIB: u64 = 8 << 10;

/// Resident memory of this process.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("this too");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// What the CLI writes in a turn: text in pieces, a call, its result.
fn turn(number: u64) -> Vec<Value> {
    let event = |event: Value| json!({"type": "stream_event", "event": event, "uuid": "u"});
    let message = format!("msg_{number}");
    let call = format!("toolu_{number}");
    let text = "what the model says ".repeat(3);
    let said = json!({"type": "text", "text": text});
    let used = json!({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": "ls"}});
    let assistant = |block: &Value| {
        let message = json!({"id": message, "content": [block], "model": "m"});
        json!({"type": "assistant", "message": message, "uuid": format!("a{number}")})
    };
    let output = "a line of output\n".repeat(100);
    let result = json!({"type": "tool_result", "tool_use_id": call, "content": output});
    let mut lines = vec![
        json!({"type": "system", "subtype": "init", "session_id": "s", "model": "m"}),
        event(json!({"type": "message_start", "message": {"id": message}})),
        event(json!({"type": "content_block_start", "index": 0, "content_block": said})),
    ];
    lines.extend((0..3).map(|_| {
        let delta = json!({"type": "text_delta", "text": "what the model says "});
        event(json!({"type": "content_block_delta", "index": 0, "delta": delta}))
    }));
    lines.extend([
        assistant(&said),
        assistant(&used),
        json!({"type": "user", "message": {"role": "user", "content": [result]}, "uuid": "r"}),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "s"}),
    ]);
    lines
}

#[test]
fn a_hundred_thousand_events_fit_into_8_mib() {
    let mut session = Session::new(SessionId(Uuid::nil()), Setup::default());
    let mut feed = |input| drop(session.handle(input, Timestamp::UNIX_EPOCH));
    let run = RunId(Uuid::nil());
    feed(Input::Started { run, pid: None, origin: RunOrigin::New });
    let ready = json!({"subtype": "success", "request_id": "ph-1", "response": {}});
    let ready = json!({"type": "control_response", "response": ready}).to_string();
    feed(Input::Line(Box::new(Frame::decode(ready.into()))));
    let play = |session: &mut Session, number| {
        for line in turn(number) {
            let frame = Frame::decode(line.to_string().into());
            session.handle(Input::Line(Box::new(frame)), Timestamp::UNIX_EPOCH);
        }
    };
    // The allocator and the code itself take their share with the first turns.
    (0..10).for_each(|number| play(&mut session, number));
    let before = resident_kib();
    let mut number = 10;
    while session.seq() < EVENTS {
        play(&mut session, number);
        number += 1;
    }
    assert_eq!(session.status(), Status::Idle, "the turns have settled");
    let grown = resident_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "{grown} KiB more after {} events", session.seq());
}
