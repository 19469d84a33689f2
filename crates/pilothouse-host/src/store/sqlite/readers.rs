//! Connections that only read.
//!
//! They see what was committed, never wait for the writer, and the writer never waits for them.
//! A few are kept; when all are in use the next reader waits for one.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::connection;
use crate::store::error::StoreError;

/// How many connections there are at most.
const MOST: usize = 4;

/// The readers.
pub(in crate::store) struct Readers {
    path: PathBuf,
    idle: Mutex<Idle>,
    returned: Condvar,
}

#[derive(Default)]
struct Idle {
    connections: Vec<Connection>,
    in_use: usize,
}

/// A connection that goes back when it is dropped.
struct Lent<'a> {
    readers: &'a Readers,
    conn: Option<Connection>,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut idle = self.readers.idle();
        idle.in_use -= 1;
        idle.connections.extend(self.conn.take());
        drop(idle);
        self.readers.returned.notify_one();
    }
}

impl Readers {
    pub(in crate::store) fn new(path: PathBuf) -> Self {
        Self { path, idle: Mutex::default(), returned: Condvar::new() }
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads with a connection of its own, for what takes long. Also for checks: the index of words
    /// is checked against what a connection remembers of it, which may be of another time.
    pub(in crate::store) fn read_apart<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        query(&connection::reading(&self.path)?)
    }

    /// Reads with one of the connections.
    pub(in crate::store) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut idle = self.idle();
        while idle.in_use >= MOST {
            idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner);
        }
        idle.in_use += 1;
        let conn = idle.connections.pop();
        drop(idle);
        let mut lent = Lent { readers: self, conn };
        let conn = match &mut lent.conn {
            Some(conn) => conn,
            none => none.insert(connection::reading(&self.path)?),
        };
        query(conn)
    }
}
