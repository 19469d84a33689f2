//! How fast events are stored.

use std::collections::VecDeque;
use std::time::Instant;

use jiff::Timestamp;
use pilothouse_host::store::{Ack, Appended, NewSession, Store};
use pilothouse_session::event::{Body, Event};
use pilothouse_session::id::{ItemId, SessionId};
use uuid::Uuid;

use super::Terms;
use crate::host::Outcome;
use crate::host::bed::Bed;
use crate::host::report::Row;
use crate::text::{Dice, Style, append};

const SESSIONS: usize = 50;
const CHUNK: usize = 20;
/// Of each session.
const EVENTS: u64 = 4_000;
/// How many appends are under way.
const FLYING: usize = 200;

/// What the events are.
#[derive(Clone, Copy)]
enum Kind {
    /// Messages, which can be searched for.
    Message,
    /// Thinking of the same length, which cannot.
    Thinking,
}

pub(super) fn measure(terms: &Terms) -> Outcome<Vec<Row>> {
    let bed = Bed::new(&terms.programs)?;
    let plain = rate(&Store::open(bed.path("plain.db"))?, Kind::Thinking)?;
    let searchable = rate(&Store::open(bed.path("searchable.db"))?, Kind::Message)?;
    let name = format!("append in chunks of {CHUNK}");
    Ok(vec![
        Row::at_least(name.clone(), plain, 100_000.0, " events/s"),
        Row::told(
            format!("{name}, each a message that goes into the full-text index"),
            format!("{searchable:.0} events/s"),
        ),
    ])
}

fn rate(store: &Store, kind: Kind) -> Outcome<f64> {
    let mut dice = Dice::new(7);
    let mut all = Vec::new();
    for _ in 0..SESSIONS {
        let session = create(store)?;
        all.push((session, events(session, 1, EVENTS, kind, &mut dice)));
    }
    let began = Instant::now();
    let mut flying: VecDeque<Ack<Appended>> = VecDeque::new();
    for round in 0..usize::try_from(EVENTS)? / CHUNK {
        for (session, events) in &all {
            let chunk = events.chunks(CHUNK).nth(round).unwrap_or_default();
            flying.push_back(store.append(*session, chunk, None));
            if flying.len() > FLYING
                && let Some(first) = flying.pop_front()
            {
                first.wait()?;
            }
        }
    }
    for ack in flying {
        ack.wait()?;
    }
    Ok(EVENTS as f64 * SESSIONS as f64 / began.elapsed().as_secs_f64())
}

/// A session that is only stored.
pub(super) fn create(store: &Store) -> Outcome<SessionId> {
    let id = SessionId(Uuid::now_v7());
    store.create(NewSession::new(id, "/home/ann/boat")).wait()?;
    Ok(id)
}

/// Gives a session so many events: two of three thoughts, the third a message.
pub(super) fn fill(store: &Store, session: SessionId, count: u64) -> Outcome<()> {
    let mut dice = Dice::new(7);
    let mut flying: VecDeque<Ack<Appended>> = VecDeque::new();
    let mut seq = 1;
    while seq <= count {
        let kind = if seq % 3 == 0 { Kind::Message } else { Kind::Thinking };
        let chunk = events(session, seq, (count + 1 - seq).min(7), kind, &mut dice);
        seq += chunk.len() as u64;
        flying.push_back(store.append(session, &chunk, None));
        if flying.len() > FLYING
            && let Some(first) = flying.pop_front()
        {
            first.wait()?;
        }
    }
    for ack in flying {
        ack.wait()?;
    }
    Ok(())
}

fn events(session: SessionId, from: u64, count: u64, kind: Kind, dice: &mut Dice) -> Vec<Event> {
    let mut event = |seq: u64| {
        let (item, mut text) = (ItemId(seq), String::new());
        append(&mut text, dice, Style::Prose, 200);
        let body = match kind {
            Kind::Message => Body::Message { item, text, uuid: None, partial: false },
            Kind::Thinking => Body::Reasoning { item, text, redacted: false, partial: false },
        };
        let (at, turn) = (Timestamp::now(), None);
        Event { session, seq, at, turn, parent_tool_call_id: None, wire: None, body }
    };
    (from..from + count).map(&mut event).collect()
}
