//! What is to be sent over a socket: gathered for a moment, then written as one message.
//!
//! Pieces of the same item that wait together become one piece. Events are written as they are
//! stored, without being read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use pilothouse_session::Delta;
use pilothouse_session::id::SessionId;

use super::message::ServerMessage;

/// Something that waits to be sent.
#[derive(Debug)]
pub(super) enum Parcel {
    /// An event as it is stored.
    Event { session: SessionId, json: Bytes },
    /// A piece of an item.
    Delta { session: SessionId, delta: Arc<Delta> },
    /// Anything else.
    Message(Box<ServerMessage>),
}

/// What waits to be sent.
#[derive(Debug)]
pub(super) struct Outbox {
    /// Pieces are sent no more often than this.
    frame: Duration,
    body: BytesMut,
    /// What the last list in the body holds, as long as more can be added to it.
    open: Open,
    /// Something waits that is not to wait.
    is_urgent: bool,
    sent_at: Option<Instant>,
    /// When the oldest of what waits was read from the CLI, and when it came here.
    oldest: Option<(Instant, Instant)>,
}

#[derive(Debug)]
enum Open {
    Nothing,
    Events(SessionId),
    /// With a piece that may still grow.
    Deltas(SessionId, Delta),
}

/// How long what was sent has waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waited {
    /// From the line of the CLI to this outbox.
    pub(super) working: Duration,
    /// In this outbox, on purpose.
    pub(super) gathering: Duration,
}

impl Outbox {
    pub(super) fn new(frame: Duration) -> Self {
        Self {
            frame,
            body: BytesMut::new(),
            open: Open::Nothing,
            is_urgent: false,
            sent_at: None,
            oldest: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// How much waits, in bytes.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    /// When it is to be sent; nothing while nothing waits.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.is_empty() {
            return None;
        }
        let now = Instant::now();
        match self.sent_at {
            Some(sent_at) if !self.is_urgent => Some(sent_at + self.frame),
            _ => Some(now),
        }
    }

    pub(super) fn put(&mut self, parcel: Parcel, read_at: Instant) {
        self.oldest.get_or_insert_with(|| (read_at, Instant::now()));
        match parcel {
            Parcel::Event { session, json } => {
                self.is_urgent = true;
                if !matches!(self.open, Open::Events(open) if open == session) {
                    self.begin("events", session);
                    self.open = Open::Events(session);
                } else {
                    self.body.put_u8(b',');
                }
                self.body.put_slice(&json);
            }
            Parcel::Delta { session, delta } => self.put_delta(session, &delta),
            Parcel::Message(message) => {
                self.is_urgent = true;
                self.end_list();
                self.separate();
                self.write(&message);
            }
        }
    }

    fn put_delta(&mut self, session: SessionId, delta: &Delta) {
        match &mut self.open {
            Open::Deltas(open, last) if *open == session => {
                let goes_on = last.item == delta.item
                    && last.kind == delta.kind
                    && last.offset + last.text.len() == delta.offset;
                if goes_on {
                    last.text.push_str(&delta.text);
                    return;
                }
                let last = std::mem::replace(last, delta.clone());
                self.write(&last);
                self.body.put_u8(b',');
            }
            _ => {
                self.begin("deltas", session);
                self.open = Open::Deltas(session, delta.clone());
            }
        }
    }

    /// Begins a list of a session's events or pieces.
    fn begin(&mut self, what: &str, session: SessionId) {
        self.end_list();
        self.separate();
        let head = format!("{{\"type\":\"{what}\",\"session\":\"{session}\",\"{what}\":[");
        self.body.put_slice(head.as_bytes());
    }

    fn end_list(&mut self) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => return,
            Open::Events(_) => {}
            Open::Deltas(_, last) => self.write(&last),
        }
        self.body.put_slice(b"]}");
    }

    fn separate(&mut self) {
        self.body.put_u8(if self.body.is_empty() { b'[' } else { b',' });
    }

    fn write(&mut self, value: &impl serde::Serialize) {
        let before = self.body.len();
        if serde_json::to_writer((&mut self.body).writer(), value).is_err() {
            // Cannot be: none of these has a map with keys that are no text.
            self.body.truncate(before);
            self.body.put_slice(b"null");
        }
    }

    /// Everything that waits, as one message.
    pub(super) fn take(&mut self) -> Option<(Bytes, Option<Waited>)> {
        if self.is_empty() {
            return None;
        }
        self.end_list();
        self.body.put_u8(b']');
        self.is_urgent = false;
        let now = Instant::now();
        self.sent_at = Some(now);
        let waited = self.oldest.take().map(|(read_at, came_at)| Waited {
            working: came_at.saturating_duration_since(read_at),
            gathering: now.saturating_duration_since(came_at),
        });
        Some((std::mem::take(&mut self.body).freeze(), waited))
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_session::event::DeltaKind;
    use pilothouse_session::id::ItemId;
    use serde_json::{Value, json};
    use uuid::Uuid;

    use super::*;

    fn session(number: u128) -> SessionId {
        SessionId(Uuid::from_u128(number))
    }

    fn delta(item: u64, offset: usize, text: &str) -> Parcel {
        let kind = DeltaKind::MessageChunk;
        let delta = Delta { item: ItemId(item), kind, offset, text: text.to_owned() };
        Parcel::Delta { session: session(1), delta: Arc::new(delta) }
    }

    fn event(of: u128, seq: u64) -> Parcel {
        let json = Bytes::from(format!("{{\"seq\":{seq}}}"));
        Parcel::Event { session: session(of), json }
    }

    fn sent(parcels: Vec<Parcel>) -> Value {
        let mut outbox = Outbox::new(Duration::from_secs(3600));
        parcels.into_iter().for_each(|parcel| outbox.put(parcel, Instant::now()));
        let (body, _) = outbox.take().unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    #[test]
    fn pieces_of_one_item_become_one() {
        let body = sent(vec![delta(1, 0, "one "), delta(1, 4, "two"), delta(2, 0, "three")]);
        let texts: Vec<_> =
            body[0]["deltas"].as_array().unwrap().iter().map(|delta| &delta["text"]).collect();
        assert_eq!(texts, [&json!("one two"), &json!("three")]);
        assert_eq!(body.as_array().unwrap().len(), 1);
    }

    #[test]
    fn a_gap_is_not_bridged() {
        let body = sent(vec![delta(1, 0, "one"), delta(1, 9, "two")]);
        assert_eq!(body[0]["deltas"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn the_order_stays() {
        let lagged = ServerMessage::Lagged { session: session(2) };
        let body = sent(vec![
            delta(1, 0, "a"),
            event(1, 1),
            event(1, 2),
            event(2, 1),
            Parcel::Message(Box::new(lagged)),
            event(2, 2),
            delta(1, 1, "b"),
        ]);
        let kinds: Vec<_> =
            body.as_array().unwrap().iter().map(|part| part["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["deltas", "events", "events", "lagged", "events", "deltas"]);
        assert_eq!(body[1]["events"], json!([{"seq": 1}, {"seq": 2}]));
    }

    #[test]
    fn pieces_wait_for_the_next_frame_and_nothing_else_does() {
        let mut outbox = Outbox::new(Duration::from_secs(3600));
        assert_eq!(outbox.due(), None);
        outbox.put(delta(1, 0, "a"), Instant::now());
        assert!(outbox.due().unwrap() <= Instant::now(), "the first one does not wait");
        outbox.take().unwrap();
        outbox.put(delta(1, 1, "b"), Instant::now());
        assert!(outbox.due().unwrap() > Instant::now());
        outbox.put(event(1, 1), Instant::now());
        assert!(outbox.due().unwrap() <= Instant::now());
        assert!(outbox.take().is_some() && outbox.take().is_none());
    }
}
