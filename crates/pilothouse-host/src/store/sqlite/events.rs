//! Events in rows of many.
//!
//! An append becomes a row of its own at once, be it a single event: it is durable when it is
//! acknowledged. When the small rows at a session's end would make a full one, they are replaced by
//! it, in the transaction of the append that filled it.

use rusqlite::{Connection, OptionalExtension, params};

use super::tails::Tail;
use super::{Tx, find_number, search, sessions, signed, unsigned, uuid};
use crate::store::error::StoreError;
use crate::store::event::{Appended, Batch, Checkpoint, StoredEvent, split};
use jiff::Timestamp;
use pilothouse_session::id::{RunId, SessionId};

/// Stores what is new of a batch, with everything that follows from it.
pub(in crate::store) fn append(tx: &mut Tx<'_>, batch: &Batch) -> Result<Appended, StoreError> {
    let conn = tx.conn;
    let tail = tx.tails.of(conn, batch.session)?;
    if batch.token.is_some() && batch.token != tail.token {
        return Err(StoreError::Fenced(batch.session));
    }
    let before = tail.last;
    let known = batch.events.iter().take_while(|event| event.seq <= before).count();
    let fresh = &batch.events[known..];
    if let Some(event) = fresh.first()
        && event.seq != before + 1
    {
        return Err(StoreError::Gap { expected: before + 1, got: event.seq });
    }
    if !fresh.is_empty() {
        store(conn, tail, fresh)?;
        for (seq, text) in batch.texts.iter().filter(|(seq, _)| *seq > before) {
            search::add(conn, tail.no, *seq, text)?;
        }
        let news = batch.consequences.iter().filter(|news| news.seq > before);
        sessions::follow(conn, tail.no, batch.session, news)?;
    }
    if let Some(checkpoint) = &batch.checkpoint {
        // A state that has made events which are not here would leave a gap behind it.
        if checkpoint.seq > tail.last {
            return Err(StoreError::Gap { expected: tail.last + 1, got: checkpoint.seq + 1 });
        }
        save(conn, tail.no, checkpoint)?;
    }
    Ok(Appended { last_seq: tail.last, events: fresh.to_vec() })
}

fn store(conn: &Connection, tail: &mut Tail, fresh: &[StoredEvent]) -> Result<(), StoreError> {
    let bytes: usize = fresh.iter().map(|event| event.json.len() + 1).sum();
    let is_full = Tail::is_full(tail.loose_events + fresh.len(), tail.loose_bytes + bytes);
    if !is_full {
        let lines: Vec<&[u8]> = fresh.iter().map(|event| &*event.json).collect();
        insert(conn, tail, &lines)?;
        return Ok(());
    }
    let loose = take_loose(conn, tail)?;
    let old = loose.iter().flat_map(|body| body.split(|byte| *byte == b'\n'));
    let mut row: Vec<&[u8]> = Vec::new();
    let mut bytes = 0;
    for line in old.chain(fresh.iter().map(|event| &*event.json)) {
        row.push(line);
        bytes += line.len() + 1;
        if Tail::is_full(row.len(), bytes) {
            insert(conn, tail, &row)?;
            row.clear();
            bytes = 0;
        }
    }
    if !row.is_empty() {
        insert(conn, tail, &row)?;
    }
    Ok(())
}

/// Appends a row.
fn insert(conn: &Connection, tail: &mut Tail, lines: &[&[u8]]) -> Result<(), StoreError> {
    let body = lines.join(&b'\n');
    let text = std::str::from_utf8(&body).map_err(|error| StoreError::Failed(error.to_string()))?;
    let mut statement = conn.prepare_cached(
        "INSERT INTO events (session, first, count, body) VALUES (?1, ?2, ?3, ?4)",
    )?;
    let id = statement.insert(params![
        tail.no,
        signed(tail.last + 1),
        signed(lines.len() as u64),
        text
    ])?;
    tail.last += lines.len() as u64;
    if Tail::is_full(lines.len(), body.len() + 1) {
        tail.loose.clear();
        tail.loose_events = 0;
        tail.loose_bytes = 0;
    } else {
        tail.loose.push(id);
        tail.loose_events += lines.len();
        tail.loose_bytes += body.len() + 1;
    }
    Ok(())
}

/// Takes the small rows out, and sets the session's end back to before them.
fn take_loose(conn: &Connection, tail: &mut Tail) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut read = conn.prepare_cached("SELECT body FROM events WHERE id = ?1")?;
    let mut delete = conn.prepare_cached("DELETE FROM events WHERE id = ?1")?;
    let mut bodies = Vec::with_capacity(tail.loose.len());
    for id in tail.loose.drain(..) {
        let body = read.query_row([id], |row| Ok(row.get_ref(0)?.as_bytes()?.to_vec()))?;
        delete.execute([id])?;
        bodies.push(body);
    }
    tail.last -= tail.loose_events as u64;
    tail.loose_events = 0;
    tail.loose_bytes = 0;
    Ok(bodies)
}

fn save(conn: &Connection, no: i64, checkpoint: &Checkpoint) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO states (session, seq, run, lines, \"offset\", saved_at, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (session) DO UPDATE SET
             seq = excluded.seq, run = excluded.run, lines = excluded.lines,
             \"offset\" = excluded.\"offset\", saved_at = excluded.saved_at, state = excluded.state",
    )?;
    statement.execute(params![
        no,
        signed(checkpoint.seq),
        checkpoint.run.map(|run| *run.0.as_bytes()),
        signed(checkpoint.lines),
        signed(checkpoint.offset),
        Timestamp::now().as_microsecond(),
        checkpoint.state,
    ])?;
    Ok(())
}

/// The state that was stored last.
pub(in crate::store) fn load(
    conn: &Connection,
    session: SessionId,
) -> Result<Option<Checkpoint>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT seq, run, lines, \"offset\", state FROM states
         WHERE session = (SELECT no FROM sessions WHERE id = ?1)",
    )?;
    let checkpoint = statement.query_row([session.0.as_bytes()], |row| {
        let run: Option<Vec<u8>> = row.get(1)?;
        Ok(Checkpoint {
            seq: unsigned(row.get(0)?),
            run: run.map(|run| uuid(1, &run)).transpose()?.map(RunId),
            lines: unsigned(row.get(2)?),
            offset: unsigned(row.get(3)?),
            state: row.get(4)?,
        })
    });
    Ok(checkpoint.optional()?)
}

/// Up to `limit` events after number `after`.
pub(in crate::store) fn read_after(
    conn: &Connection,
    session: SessionId,
    after: u64,
    limit: usize,
) -> Result<Vec<StoredEvent>, StoreError> {
    let mut events = Vec::new();
    let Some(no) = find_number(conn, session)? else { return Ok(events) };
    let mut statement = conn.prepare_cached(
        "SELECT first, count, body FROM events
         WHERE session = ?1 AND first >= coalesce(
             (SELECT max(first) FROM events WHERE session = ?1 AND first <= ?2), 0)
         ORDER BY first",
    )?;
    let mut rows = statement.query(params![no, signed(after.saturating_add(1))])?;
    while events.len() < limit
        && let Some(row) = rows.next()?
    {
        let (first, count): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (first, count) = (unsigned(first), unsigned(count));
        if first + count <= after.saturating_add(1) {
            continue;
        }
        let body = row.get_ref(2)?.as_bytes().map_err(rusqlite::Error::from)?;
        let room = limit - events.len();
        events.extend(split(first, body).skip_while(|event| event.seq <= after).take(room));
    }
    Ok(events)
}

/// The number of the last event; 0 where there is none.
pub(in crate::store) fn last_seq(conn: &Connection, session: SessionId) -> Result<u64, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT first + count - 1 FROM events
         WHERE session = (SELECT no FROM sessions WHERE id = ?1)
         ORDER BY first DESC LIMIT 1",
    )?;
    let last: Option<i64> =
        statement.query_row([session.0.as_bytes()], |row| row.get(0)).optional()?;
    Ok(last.map_or(0, unsigned))
}
