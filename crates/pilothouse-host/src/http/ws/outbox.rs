//! What is to be sent over a socket next, in messages of a moderate size.
//!
//! Pieces of the same item that wait together become one piece. Events are written as they are
//! stored, without being read. A socket keeps a buffer as large as its longest message for as long as
//! it is open, so much is sent as several messages.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use pilothouse_session::Delta;
use pilothouse_session::id::SessionId;

use super::message::ServerMessage;

/// A message that has become so long is not added to.
const LONG: usize = 8 * 1024;

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
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Messages that are not added to any more.
    sealed: Vec<Bytes>,
    body: BytesMut,
    /// What the last list in the body holds, as long as more can be added to it.
    open: Open,
    /// When the oldest of what waits was read from the CLI, and how long it was held back.
    oldest: Option<(Instant, Duration)>,
    /// The length of each event and piece, and how long it was held back, if the client is to be
    /// told.
    held: Option<Vec<(usize, u32)>>,
}

#[derive(Debug, Default)]
enum Open {
    #[default]
    Nothing,
    Events(SessionId),
    /// With a piece that may still grow.
    Deltas(SessionId, Delta),
}

/// How long each event and each piece of a message, in their order, was held back so that more could
/// be sent together: for measurements, no part of the API.
#[derive(serde::Serialize)]
struct Timing {
    #[serde(rename = "type")]
    kind: &'static str,
    /// The length of each, of a piece that of its text, and microseconds. Pieces that became one on
    /// their way to this client have an entry each.
    held_us: Vec<(usize, u32)>,
}

/// How long what was sent has waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waited {
    /// Since the line of the CLI was read, but for the rest.
    pub(super) working: Duration,
    /// On purpose, so that more could be sent together.
    pub(super) gathering: Duration,
}

impl Outbox {
    /// One that says with every message how long each of its events and pieces was held back.
    pub(super) fn timed() -> Self {
        Self { held: Some(Vec::new()), ..Self::default() }
    }

    /// How much waits, in bytes.
    pub(super) fn len(&self) -> usize {
        self.sealed.iter().map(Bytes::len).sum::<usize>() + self.body_len()
    }

    /// How long the message is that can be added to.
    fn body_len(&self) -> usize {
        let open = match &self.open {
            Open::Deltas(_, last) => last.text.len(),
            Open::Events(_) | Open::Nothing => 0,
        };
        self.body.len() + open
    }

    /// `held` says how long it was held back before it came here.
    pub(super) fn put(&mut self, parcel: Parcel, read_at: Instant, held: Duration) {
        self.oldest.get_or_insert((read_at, held));
        let length = match &parcel {
            Parcel::Event { json, .. } => Some(json.len()),
            Parcel::Delta { delta, .. } => Some(delta.text.len()),
            Parcel::Message(_) => None,
        };
        if let (Some(all), Some(length)) = (&mut self.held, length) {
            all.push((length, u32::try_from(held.as_micros()).unwrap_or(u32::MAX)));
        }
        match parcel {
            Parcel::Event { session, json } => {
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
                self.end_list();
                self.separate();
                self.write(&message);
            }
        }
        if self.body_len() >= LONG {
            self.seal();
        }
    }

    fn put_delta(&mut self, session: SessionId, delta: &Delta) {
        match &mut self.open {
            Open::Deltas(open, last) if *open == session => {
                if last.extend(delta) {
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

    /// Ends the message that could be added to.
    fn seal(&mut self) {
        if self.body.is_empty() {
            return;
        }
        self.end_list();
        let held = self.held.as_mut().map(std::mem::take).filter(|held| !held.is_empty());
        if let Some(held_us) = held {
            self.separate();
            self.write(&Timing { kind: "timing", held_us });
        }
        self.body.put_u8(b']');
        self.sealed.push(std::mem::take(&mut self.body).freeze());
    }

    /// Everything that waits, as messages.
    pub(super) fn take(&mut self) -> (Vec<Bytes>, Option<Waited>) {
        self.seal();
        let waited = self.oldest.take().map(|(read_at, held)| Waited {
            working: read_at.elapsed().saturating_sub(held),
            gathering: held,
        });
        (std::mem::take(&mut self.sealed), waited)
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

    fn messages(parcels: Vec<Parcel>) -> Vec<Value> {
        let mut outbox = Outbox::default();
        parcels.into_iter().for_each(|parcel| outbox.put(parcel, Instant::now(), Duration::ZERO));
        let (messages, _) = outbox.take();
        assert_eq!(outbox.len(), 0);
        messages.iter().map(|body| serde_json::from_slice(body).unwrap()).collect()
    }

    fn sent(parcels: Vec<Parcel>) -> Value {
        let [message] = messages(parcels).try_into().unwrap();
        message
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
    fn much_is_sent_as_several_messages() {
        let pieces = |texts: &[Value]| -> Vec<(u64, usize)> {
            let deltas = texts.iter().map(|message| &message[0]["deltas"][0]);
            let part = |delta: &Value| {
                (delta["offset"].as_u64().unwrap(), delta["text"].as_str().unwrap().len())
            };
            deltas.map(part).collect()
        };
        let half = "x".repeat(LONG / 2);
        let long = (0..5).map(|number| delta(1, number * LONG / 2, &half)).collect();
        let step = LONG as u64;
        assert_eq!(pieces(&messages(long)), [(0, LONG), (step, LONG), (2 * step, LONG / 2)]);

        let events = messages((1..=2000).map(|seq| event(1, seq)).collect());
        assert!(events.len() > 1);
        let seqs = events.iter().flat_map(|message| message[0]["events"].as_array().unwrap());
        assert!(seqs.map(|event| event["seq"].as_u64().unwrap()).eq(1..=2000));
    }

    #[test]
    fn who_wants_to_know_is_told_how_long_it_was_held_back() {
        let mut outbox = Outbox::timed();
        for (offset, text, millis) in [(0, "a", 7), (1, "b", 0)] {
            outbox.put(delta(1, offset, text), Instant::now(), Duration::from_millis(millis));
        }
        let (messages, waited) = outbox.take();
        let body: Value = serde_json::from_slice(&messages[0]).unwrap();
        assert_eq!(body[0]["deltas"][0]["text"], "ab");
        assert_eq!(body[1], json!({"type": "timing", "held_us": [[1, 7000], [1, 0]]}));
        let waited = waited.unwrap();
        assert_eq!((waited.gathering, waited.working), (Duration::from_millis(7), Duration::ZERO));
        assert!(outbox.take().0.is_empty());
    }
}
