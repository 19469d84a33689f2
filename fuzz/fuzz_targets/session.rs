//! Any lines are what a CLI wrote: the machine takes them, counts its events without gaps, settles
//! what it began when the run ends, and is the same after its state was written down.

#![no_main]

use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use pilothouse_session::event::{Exit, RunOrigin};
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::session::Setup;
use pilothouse_session::{Body, Effect, Input, Session};
use pilothouse_wire::Frame;
use uuid::Uuid;

/// What came out: the number of the last event, and turns that have begun and not settled.
#[derive(Default)]
struct Seen {
    seq: u64,
    open_turns: u64,
}

impl Seen {
    fn see(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Append(event) = effect else { continue };
            assert_eq!(event.seq, self.seq + 1);
            self.seq = event.seq;
            match event.body {
                Body::TurnStarted { .. } => self.open_turns += 1,
                Body::Complete { .. } => self.open_turns -= 1,
                _ => {}
            }
            assert!(self.open_turns <= 1);
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let now = Timestamp::UNIX_EPOCH;
    let mut seen = Seen::default();
    let mut session = Session::new(SessionId(Uuid::nil()), Setup::default());
    let run = RunId(Uuid::nil());
    let started = Input::Started { run, pid: None, origin: RunOrigin::New };
    seen.see(session.handle(started, now));
    let ready =
        br#"{"type":"control_response","response":{"subtype":"success","request_id":"ph-1"}}"#;
    let frame = Frame::decode(bytes::Bytes::from_static(ready));
    seen.see(session.handle(Input::Line(Box::new(frame)), now));
    for line in data.split(|byte| *byte == b'\n') {
        let input = || Input::Line(Box::new(Frame::decode(line.to_vec().into())));
        let state = serde_json::to_string(&session).expect("the state can be written");
        let mut again: Session = serde_json::from_str(&state).expect("and read back");
        let effects = session.handle(input(), now);
        assert_eq!(again.handle(input(), now), effects, "the state is not whole");
        seen.see(effects);
    }
    seen.see(
        session.handle(Input::Exited { exit: Exit::default(), stderr_tail: String::new() }, now),
    );
    assert_eq!(seen.open_turns, 0);
    assert!(session.approvals().is_empty());
    assert!(session.open_items().is_empty());
});
