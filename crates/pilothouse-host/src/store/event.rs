//! Events on their way into the store and out of it.
//!
//! An event is written as JSON once, by who submits it; that text is stored, read and sent to clients
//! as it is.

use bytes::{BufMut, Bytes, BytesMut};
use pilothouse_session::event::Event;
use pilothouse_session::id::{RunId, SessionId};

use super::claim::Claim;
use super::consequence::{Consequence, consequence};
use super::error::StoreError;
use super::text::{Text, searchable};
use crate::secrets::{Known, redact_json, reread};

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its number.
    pub seq: u64,
    /// Its JSON, on one line. Shares its memory with its neighbours.
    pub json: Bytes,
}

impl StoredEvent {
    /// The event.
    pub fn read(&self) -> Result<Event, StoreError> {
        Ok(serde_json::from_slice(&self.json)?)
    }
}

/// The state of a session's machine at a point of its run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The number of the last event that the state has made.
    pub seq: u64,
    /// The run it is in.
    pub run: Option<RunId>,
    /// How many lines of the run the state has seen.
    pub lines: u64,
    /// Where the next line begins in the run's wire log.
    pub offset: u64,
    /// The state, as JSON.
    pub state: String,
}

/// What was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The number of the session's last event.
    pub last_seq: u64,
    /// The events that are new; those that were there already are not among them.
    pub events: Vec<StoredEvent>,
}

/// What is to be stored, made ready by who submits it, so that the writer only writes.
pub(super) struct Batch {
    pub(super) session: SessionId,
    pub(super) events: Vec<StoredEvent>,
    pub(super) texts: Vec<(u64, Text)>,
    pub(super) consequences: Vec<Consequence>,
    pub(super) checkpoint: Option<Checkpoint>,
    /// Who writes, where the session was claimed.
    pub(super) token: Option<u64>,
    pub(super) weight: usize,
}

impl Batch {
    pub(super) fn new(
        session: SessionId,
        events: &[Event],
        checkpoint: Option<Checkpoint>,
        claim: Option<&Claim>,
        secrets: &Known,
    ) -> Result<Self, StoreError> {
        let mut ends = Vec::with_capacity(events.len());
        let mut lines = BytesMut::with_capacity(events.len() * 256).writer();
        let (mut texts, mut consequences) = (Vec::new(), Vec::new());
        let first = events.first().map_or(1, |first| first.seq);
        for (expected, event) in (first.max(1)..).zip(events) {
            if event.session != session {
                return Err(StoreError::Misplaced { expected: session, got: event.session });
            }
            if event.seq != expected {
                return Err(StoreError::Gap { expected, got: event.seq });
            }
            let start = lines.get_ref().len();
            serde_json::to_writer(&mut lines, event)?;
            // Whatever is made of an event is made of it without secrets.
            let redacted = redact(&lines.get_ref()[start..], secrets);
            if let Some((json, _)) = &redacted {
                lines.get_mut().truncate(start);
                lines.get_mut().extend_from_slice(json.as_bytes());
            }
            let event = redacted.as_ref().map_or(event, |(_, event)| event);
            ends.push((event.seq, lines.get_ref().len()));
            texts.extend(searchable(&event.body).map(|text| (event.seq, text)));
            consequences.extend(consequence(event));
        }
        let lines = lines.into_inner().freeze();
        let mut start = 0;
        let cut = |(seq, end): (u64, usize)| {
            let json = lines.slice(start..end);
            start = end;
            StoredEvent { seq, json }
        };
        let events = ends.into_iter().map(cut).collect();
        let state = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.state.len());
        let words: usize = texts.iter().map(|(_, text)| text.text.len()).sum();
        let weight = lines.len() + state + words;
        let token = claim.map(|claim| claim.token);
        Ok(Self { session, events, texts, consequences, checkpoint, token, weight })
    }
}

/// An event without secrets, as JSON and read again; none where it has none.
fn redact(json: &[u8], secrets: &Known) -> Option<(String, Event)> {
    let json = str::from_utf8(json).ok()?;
    let json = redact_json(secrets, json, reread::<Event>)?;
    let event = serde_json::from_str(&json).ok()?;
    Some((json, event))
}

/// The events of a row.
pub(super) fn split(first: u64, body: &[u8]) -> impl Iterator<Item = StoredEvent> {
    let body = Bytes::copy_from_slice(body);
    let mut rest = body.slice(..);
    let mut seq = first;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let json = match memchr::memchr(b'\n', &rest) {
            Some(end) => {
                let json = rest.split_to(end);
                let _newline = rest.split_to(1);
                json
            }
            None => std::mem::take(&mut rest),
        };
        let event = StoredEvent { seq, json };
        seq += 1;
        Some(event)
    })
}
