//! Plays a recorded conversation to whoever listens, as a runner would.

use std::path::Path;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use pilothouse_host::telemetry::SessionTrace;
use pilothouse_session::event::Exit;
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::replay::Replay;
use pilothouse_session::session::Setup;
use pilothouse_session::{Delta, Effect, Event, Session};
use pilothouse_wire::Frame;
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

/// The session that everything is played in.
pub(crate) const SESSION: SessionId = SessionId(Uuid::from_u128(1));
/// Its first run.
pub(crate) const RUN: RunId = RunId(Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0001));

#[derive(Deserialize)]
struct Line<'l> {
    dir: &'l str,
    #[serde(borrow)]
    line: &'l RawValue,
}

/// Who is told what a runner tells.
pub(crate) trait Listener {
    fn line_in(&mut self, _place: u64, _: &Frame, _: Timestamp) {}
    fn line_out(&mut self, _: &[u8], _: Timestamp) {}
    fn event(&mut self, _: &Event) {}
    fn delta(&mut self, _: &Delta, _: Timestamp) {}
}

impl Listener for SessionTrace {
    fn line_in(&mut self, place: u64, frame: &Frame, at: Timestamp) {
        SessionTrace::line_in(self, place, frame, at);
    }
    fn line_out(&mut self, line: &[u8], at: Timestamp) {
        SessionTrace::line_out(self, line, at);
    }
    fn event(&mut self, event: &Event) {
        SessionTrace::event(self, event);
    }
    fn delta(&mut self, delta: &Delta, _: Timestamp) {
        SessionTrace::delta(self, delta);
    }
}

/// A time in the plays; they begin at one.
pub(crate) fn beginning() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().expect("a time")
}

/// Plays the runs of a scenario, one millisecond for each line.
pub(crate) fn play(scenario: &str, listener: &mut impl Listener) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts/2.1.325");
    let text = |name: &str| std::fs::read_to_string(root.join(format!("{name}.jsonl"))).ok();
    let runs: Vec<String> = match text(scenario) {
        Some(run) => vec![run],
        None => (1..).map_while(|number| text(&format!("{scenario}-{number}"))).collect(),
    };
    assert!(!runs.is_empty(), "{scenario} was not recorded");
    let mut replay = Replay::of(Session::new(SESSION, Setup::default()), RUN);
    let mut now = beginning();
    for run in runs {
        for (place, line) in (0..).zip(run.lines()) {
            now += SignedDuration::from_millis(1);
            let line: Line<'_> = serde_json::from_str(line).expect("a line of a transcript");
            let text = line.line.get().as_bytes();
            if line.dir == "in" {
                show(listener, replay.written_by_host(text, now), None, now);
                listener.line_out(text, now);
            } else {
                let text = Bytes::copy_from_slice(text);
                listener.line_in(place, &Frame::decode(text.clone()), now);
                show(listener, replay.written_by_cli(text, now), Some(place), now);
            }
        }
        now += SignedDuration::from_millis(1);
        show(listener, replay.ended(Exit { code: Some(0), signal: None }, now), None, now);
    }
}

fn show(listener: &mut impl Listener, effects: Vec<Effect>, wire: Option<u64>, at: Timestamp) {
    for effect in effects {
        match effect {
            Effect::Append(event) => listener.event(&Event { wire, ..*event }),
            Effect::Stream(delta) => listener.delta(&delta, at),
            _ => {}
        }
    }
}
