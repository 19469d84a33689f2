//! Tells telemetry what happens in a session.

use jiff::Timestamp;
use pilothouse_session::event::Status;
use pilothouse_session::id::RunId;
use pilothouse_session::{Delta, Event, Session};
use pilothouse_wire::Frame;

use crate::telemetry::{SessionMetrics, SessionTrace, Telemetry};

/// Numbers, spans and debug files of one session.
#[derive(Debug)]
pub(super) struct Observer {
    telemetry: Telemetry,
    trace: SessionTrace,
    numbers: SessionMetrics,
}

impl Observer {
    /// Of a session that the store lists with this status.
    pub(super) fn new(telemetry: &Telemetry, session: &Session, listed: Status) -> Self {
        let mut trace = SessionTrace::new(telemetry, session.id());
        if let Some(run) = session.run() {
            trace.adopt(run, session.cli_session());
        }
        let numbers = SessionMetrics::new(telemetry.metrics().clone(), session).listed_as(listed);
        Self { telemetry: telemetry.clone(), trace, numbers }
    }

    /// What a run is given, so that its own spans become part of ours.
    pub(super) fn traceparent(&self, run: RunId) -> Option<String> {
        self.trace.traceparent(run)
    }

    pub(super) fn line_in(&mut self, place: u64, frame: &Frame, at: Timestamp) {
        self.trace.line_in(place, frame, at);
        self.numbers.line_in(frame);
    }

    pub(super) fn line_out(&mut self, line: &[u8]) {
        self.trace.line_out(line, Timestamp::now());
        self.numbers.line_out(line);
    }

    /// An event is made again that was stored before.
    pub(super) fn read_again(&mut self, event: &Event) {
        self.numbers.read_again(event);
    }

    /// An event is stored that was not before.
    pub(super) fn event(&mut self, event: &Event) {
        self.trace.event(event);
        self.numbers.event(event);
        if let Some(debug) = self.telemetry.debug() {
            debug.event(event);
        }
    }

    pub(super) fn delta(&mut self, event_of: &Session, delta: &Delta, at: Timestamp) {
        self.trace.delta(delta);
        if let Some(debug) = self.telemetry.debug() {
            debug.delta(event_of.id(), delta, at);
        }
    }
}
