//! The lines that were read lately, to stand beside what was made of them.
//!
//! Lines are read several at once, and are then all told before the first event. A line and the events
//! that come of it have the same place in the log.

use std::collections::VecDeque;

use jiff::Timestamp;
use pilothouse_session::Event;
use pilothouse_wire::{Frame, Inbound};

use super::span::SpanEvent;

/// How many lines are remembered: as many as are read at once.
const RECENT: usize = 256;

/// The lines that were read lately.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// By their places. Not the lines themselves: those would keep the whole buffers alive which they
    /// were read into.
    recent: VecDeque<(u64, SpanEvent)>,
    last_at: Option<Timestamp>,
}

impl Lines {
    /// Notes a line. Pieces are passed over: there are many, and events hardly ever come of them.
    pub(super) fn push(
        &mut self,
        place: u64,
        frame: &Frame,
        at: Timestamp,
        raw: impl FnOnce() -> SpanEvent,
    ) {
        self.last_at = Some(at);
        if matches!(frame.message, Inbound::StreamEvent(_)) {
            return;
        }
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((place, raw()));
    }

    /// When the last line was read.
    pub(super) fn last_at(&self) -> Option<Timestamp> {
        self.last_at
    }

    /// The line that an event came of. Events are asked for in their order.
    pub(super) fn of(&mut self, event: &Event) -> Option<&SpanEvent> {
        let wire = event.wire?;
        while self.recent.pop_front_if(|(place, _)| *place < wire).is_some() {}
        self.recent.front().filter(|(place, _)| *place == wire).map(|(_, raw)| raw)
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_session::event::{Body, Status};
    use pilothouse_session::id::SessionId;

    use super::*;

    /// All within a millisecond, as a CLI that has much to say writes it.
    #[test]
    fn lines_of_one_moment_are_told_apart() {
        let mut lines = Lines::default();
        let at = Timestamp::UNIX_EPOCH;
        let said = r#"{"type":"assistant","message":{"role":"assistant","content":[]}}"#;
        let piece = r#"{"type":"stream_event","event":{"type":"message_stop"}}"#;
        for (place, (name, line)) in (0..).zip([("one", said), ("", piece), ("two", said)]) {
            let frame = Frame::decode(line.as_bytes().to_vec().into());
            let raw = || SpanEvent { name: name.into(), at, attributes: Vec::new() };
            lines.push(place, &frame, at, raw);
        }
        let mut of = |wire| {
            let event = Event {
                session: SessionId(uuid::Uuid::nil()),
                seq: 1,
                at,
                turn: None,
                parent_tool_call_id: None,
                wire,
                body: Body::SessionStatus { status: Status::Idle },
            };
            lines.of(&event).map(|raw| raw.name.to_string())
        };
        assert_eq!(of(Some(0)).as_deref(), Some("one"));
        assert_eq!(of(Some(0)).as_deref(), Some("one"), "of the same line");
        assert_eq!(of(None), None, "of no line");
        assert_eq!(of(Some(1)), None, "of a piece");
        assert_eq!(of(Some(2)).as_deref(), Some("two"));
        assert_eq!(of(Some(3)), None, "there are no more");
    }
}
