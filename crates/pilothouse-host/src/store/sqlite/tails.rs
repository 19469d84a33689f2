//! What the writer remembers of the sessions it writes to.
//!
//! The number of the last event, and the rows at the end that are still small. Only a memory: it is
//! read from the tables when it is not there, and forgotten when a transaction fails or when another
//! process has written.

use std::collections::HashMap;

use pilothouse_session::id::SessionId;
use rusqlite::Connection;

use super::{number_of, unsigned};
use crate::store::error::StoreError;

/// Events in a full row. Measured: rows of twenty and more are appended and read at about the same
/// rate, single ones at a fifth of it.
pub(super) const FULL_EVENTS: usize = 32;
/// Bytes in a full row.
pub(super) const FULL_BYTES: usize = 64 << 10;
/// How many sessions are remembered.
const MOST: usize = 4_096;

/// The end of a session.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Tail {
    /// The number of the session.
    pub(super) no: i64,
    /// The number of the last event.
    pub(super) last: u64,
    /// The rows that are not full, oldest first.
    pub(super) loose: Vec<i64>,
    pub(super) loose_events: usize,
    pub(super) loose_bytes: usize,
    /// The token of who may write, where somebody has claimed the session.
    pub(super) token: Option<u64>,
}

/// The ends of sessions.
#[derive(Default)]
pub(in crate::store) struct Tails(HashMap<SessionId, Tail>);

impl Tails {
    pub(super) fn of(
        &mut self,
        conn: &Connection,
        session: SessionId,
    ) -> Result<&mut Tail, StoreError> {
        if self.0.len() >= MOST && !self.0.contains_key(&session) {
            self.0.clear();
        }
        match self.0.entry(session) {
            std::collections::hash_map::Entry::Occupied(entry) => Ok(entry.into_mut()),
            std::collections::hash_map::Entry::Vacant(entry) => {
                Ok(entry.insert(Tail::read(conn, session)?))
            }
        }
    }

    pub(super) fn forget(&mut self, session: SessionId) {
        self.0.remove(&session);
    }

    pub(super) fn forget_all(&mut self) {
        self.0.clear();
    }
}

impl Tail {
    fn read(conn: &Connection, session: SessionId) -> Result<Self, StoreError> {
        let no = number_of(conn, session)?;
        let token = super::claims::token(conn, no)?;
        let mut tail = Self { no, token, ..Self::default() };
        let mut statement = conn.prepare_cached(
            "SELECT id, first, count, octet_length(body) + 1 FROM events
             WHERE session = ?1 ORDER BY first DESC",
        )?;
        let mut rows = statement.query([no])?;
        let mut is_last = true;
        while let Some(row) = rows.next()? {
            let (id, first) = (row.get(0)?, row.get(1)?);
            let count = row.get::<_, u32>(2)? as usize;
            let bytes = row.get::<_, u32>(3)? as usize;
            if is_last {
                tail.last = unsigned(first) + count as u64 - 1;
                is_last = false;
            }
            let events = tail.loose_events + count;
            if events >= FULL_EVENTS || tail.loose_bytes + bytes >= FULL_BYTES {
                break;
            }
            tail.loose.push(id);
            tail.loose_events = events;
            tail.loose_bytes += bytes;
        }
        tail.loose.reverse();
        Ok(tail)
    }

    /// Whether a row, or several together, need not be merged any more.
    pub(super) fn is_full(events: usize, bytes: usize) -> bool {
        events >= FULL_EVENTS || bytes >= FULL_BYTES
    }
}
