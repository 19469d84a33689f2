//! Moving what was committed from the write-ahead log into the database, beside the writer.
//!
//! Left to SQLite, every commit that finds the log long would do this itself, and wait for the disk
//! twice. Here a second thread does it; the writer only steps in when the log has grown far beyond
//! that, which happens when it never pauses: then the log cannot be begun anew from beside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

/// Bytes after which the log is moved.
const ENOUGH: usize = 4 << 20;
/// Pages of the log after which the writer steps in.
const TOO_LONG: i64 = 16_384;
/// What a transaction costs in the log beside what it holds.
const OVERHEAD: usize = 32 << 10;

/// What the writer and the thread beside it tell each other.
#[derive(Default)]
pub(super) struct Backfill {
    written: Mutex<Written>,
    changed: Condvar,
    is_behind: AtomicBool,
}

#[derive(Default)]
struct Written {
    bytes: usize,
    is_over: bool,
}

impl Backfill {
    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A transaction was committed. True if the writer has to step in.
    pub(super) fn has_written(&self, bytes: usize) -> bool {
        let mut written = self.written();
        written.bytes += bytes + OVERHEAD;
        if written.bytes >= ENOUGH {
            self.changed.notify_one();
        }
        drop(written);
        self.is_behind.swap(false, Ordering::Relaxed)
    }

    pub(super) fn stop(&self) {
        self.written().is_over = true;
        self.changed.notify_all();
    }

    /// The thread beside the writer.
    pub(super) fn run(self: Arc<Self>, conn: Connection) {
        let mut written = self.written();
        loop {
            while written.bytes < ENOUGH && !written.is_over {
                written = self.changed.wait(written).unwrap_or_else(PoisonError::into_inner);
            }
            if written.is_over {
                return;
            }
            written.bytes = 0;
            drop(written);
            // What did not work now is tried again after the next few writes.
            if backfill(&conn).is_ok_and(|length| length > TOO_LONG) {
                self.is_behind.store(true, Ordering::Relaxed);
            }
            written = self.written();
        }
    }
}

/// Moves what can be moved without waiting for anybody. Gives the length of the log in pages.
pub(super) fn backfill(conn: &Connection) -> rusqlite::Result<i64> {
    conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(1))
}
