//! The lines that were read lately, and which of them an event came of.
//!
//! Lines are read several at once, and are then all told before the first event. An event has the time
//! of its line, and those of one line have its place in the log; but lines of the same millisecond
//! have the same time. Both come in the same order, so what tells them apart is what they can be about.

use std::collections::VecDeque;

use jiff::Timestamp;
use pilothouse_session::Event;
use pilothouse_session::event::Body;
use pilothouse_wire::Inbound;

use super::span::SpanEvent;

/// How many lines are remembered. Of one that is older its events have come.
const RECENT: usize = 64;

/// The lines that were read lately.
#[derive(Debug, Default)]
pub(super) struct Lines {
    recent: VecDeque<Line>,
    last_at: Option<Timestamp>,
    /// The place in the log of the last event, and which of the lines it came of.
    found: Option<(u64, usize)>,
}

/// Not the line itself: that would keep the whole buffer alive which it was read into.
#[derive(Debug)]
struct Line {
    at: Timestamp,
    kind: Kind,
    raw: SpanEvent,
}

/// What a line can be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What the model said, or calls.
    Said,
    /// What tools gave.
    Given,
    /// The end of a turn.
    Result,
    /// A request.
    Asked,
    Other,
}

impl Lines {
    /// Notes a line. Pieces are passed over: there are many, and events hardly ever come of them.
    pub(super) fn push(
        &mut self,
        message: &Inbound,
        at: Timestamp,
        raw: impl FnOnce() -> SpanEvent,
    ) {
        self.last_at = Some(at);
        let kind = match message {
            Inbound::StreamEvent(_) => return,
            Inbound::Assistant(_) => Kind::Said,
            Inbound::User(_) => Kind::Given,
            Inbound::Result(_) => Kind::Result,
            Inbound::ControlRequest(_) => Kind::Asked,
            _ => Kind::Other,
        };
        if self.recent.len() >= RECENT {
            self.forget(1);
        }
        self.recent.push_back(Line { at, kind, raw: raw() });
    }

    /// When the last line was read.
    pub(super) fn last_at(&self) -> Option<Timestamp> {
        self.last_at
    }

    /// The line that an event came of. Events are asked for in their order.
    pub(super) fn of(&mut self, event: &Event) -> Option<&SpanEvent> {
        match (self.found, event.wire) {
            (Some((place, line)), Some(wire)) if place == wire => {
                return self.recent.get(line).map(|line| &line.raw);
            }
            // This one came of a later line than the last one did.
            (Some((_, line)), Some(_)) => self.forget(line + 1),
            _ => {}
        }
        let older = self.recent.iter().take_while(|line| line.at < event.at).count();
        self.forget(older);
        let kind = kind_of(&event.body);
        let like = |line: &Line| line.at == event.at && kind.is_none_or(|kind| kind == line.kind);
        let index = self.recent.iter().position(like);
        let index = index.or_else(|| self.recent.iter().position(|line| line.at == event.at))?;
        self.found = event.wire.map(|wire| (wire, index));
        self.recent.get(index).map(|line| &line.raw)
    }

    fn forget(&mut self, lines: usize) {
        self.recent.drain(..lines.min(self.recent.len()));
        if lines > 0 {
            self.found = None;
        }
    }
}

/// The lines that such an event comes of, where it comes of one kind only.
fn kind_of(body: &Body) -> Option<Kind> {
    match body {
        Body::Message { .. } | Body::Reasoning { .. } | Body::ToolCall { .. } => Some(Kind::Said),
        Body::ToolUpdate { .. } => Some(Kind::Given),
        Body::Complete { .. } => Some(Kind::Result),
        Body::ApprovalRequested { .. } => Some(Kind::Asked),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_session::event::Status;
    use pilothouse_session::id::{ItemId, SessionId};
    use pilothouse_wire::Frame;

    use super::*;

    fn said(text: &str) -> Body {
        let item = ItemId(1);
        Body::Message { item, text: text.to_owned(), uuid: None, partial: false }
    }

    /// All within a millisecond, as a CLI that has much to say writes it.
    #[test]
    fn lines_of_one_moment_are_told_apart() {
        let mut lines = Lines::default();
        let at = Timestamp::UNIX_EPOCH;
        let assistant = r#"{"type":"assistant","message":{"role":"assistant","content":[]}}"#;
        let piece = r#"{"type":"stream_event","event":{"type":"message_stop"}}"#;
        let result = r#"{"type":"result","subtype":"success"}"#;
        let all = [("init", r#"{"type":"system"}"#), ("one", assistant), ("", piece)];
        let all = all.into_iter().chain([("two", assistant), ("end", result), ("", piece)]);
        for (name, line) in all {
            let frame = Frame::decode(line.as_bytes().to_vec().into());
            let raw = || SpanEvent { name: name.into(), at, attributes: Vec::new() };
            lines.push(&frame.message, at, raw);
        }
        let event = |wire, body| Event {
            session: SessionId(uuid::Uuid::nil()),
            seq: 1,
            at,
            turn: None,
            parent_tool_call_id: None,
            wire: Some(wire),
            body,
        };
        let mut of = |wire, body| lines.of(&event(wire, body)).map(|raw| raw.name.to_string());
        assert_eq!(of(10, said("one")).as_deref(), Some("one"));
        let idle = || Body::SessionStatus { status: Status::Idle };
        assert_eq!(of(10, idle()).as_deref(), Some("one"), "of the same line");
        assert_eq!(of(20, said("two")).as_deref(), Some("two"));
        assert_eq!(of(30, idle()).as_deref(), Some("end"));
        assert_eq!(of(40, idle()), None, "there are no more");
    }
}
