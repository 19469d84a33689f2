//! The one thread that writes.
//!
//! Whatever waits when a transaction ends is the next transaction: alone, a write is committed at
//! once; under load, hundreds share a commit. A write that is refused (a gap, an unknown session)
//! leaves the others untouched. When there is no room for all together, each is tried alone, so that
//! one large write does not take small ones, or a deletion, down with it.

use std::sync::Arc;
use std::time::Instant;

use rusqlite::Connection;

use super::Tx;
use super::queue::{Durability, Job, Place, Queue};
use super::tails::Tails;
use super::wal::Backfill;
use crate::store::error::StoreError;
use crate::telemetry::metrics::Metrics;

/// The writer's state.
pub(super) struct Writer {
    conn: Connection,
    tails: Tails,
    durability: Durability,
    /// Changes when somebody else has written.
    version: i64,
    backfill: Arc<Backfill>,
    metrics: Arc<Metrics>,
}

/// What became of a transaction.
enum Attempt {
    Committed,
    Spoilt,
}

/// Sees to it that all are told when the thread ends, however it ends.
struct Farewell(Arc<Queue>, Arc<Backfill>);

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.abandon();
        self.1.stop();
    }
}

impl Writer {
    /// A writer over a connection that was set up.
    pub(super) fn new(conn: Connection, backfill: Arc<Backfill>, metrics: Arc<Metrics>) -> Self {
        conn.set_prepared_statement_cache_capacity(128);
        let durability = Durability::Crash;
        Self { conn, tails: Tails::default(), durability, version: -1, backfill, metrics }
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self, queue: Arc<Queue>) {
        let _farewell = Farewell(Arc::clone(&queue), Arc::clone(&self.backfill));
        while let Some(group) = queue.next_group() {
            let weight = group.iter().map(|job| job.terms.weight).sum();
            let (began, writes) = (Instant::now(), group.len());
            self.write(group);
            self.metrics.committed(began.elapsed(), writes);
            if self.backfill.has_written(weight) {
                // It could not keep up from beside; from here it can, as nobody writes meanwhile.
                let _ = super::wal::backfill(&self.conn);
            }
        }
    }

    fn write(&mut self, mut group: Vec<Job>) {
        if let [job] = group.as_mut_slice()
            && job.terms.place == Place::Outside
        {
            let result = job.run(&mut Tx { conn: &self.conn, tails: &mut self.tails });
            self.tails.forget_all();
            group.into_iter().for_each(|job| job.settle(result.clone()));
            return;
        }
        match self.together(&mut group) {
            Ok(results) => {
                group.into_iter().zip(results).for_each(|(job, result)| job.settle(result));
            }
            Err(StoreError::Full(_)) => {
                // What is in the log is moved first: its room can then be used again.
                let _ = super::wal::backfill(&self.conn);
                for mut job in group {
                    let result = self.together(std::slice::from_mut(&mut job));
                    let only = result.and_then(|results| results.into_iter().collect());
                    job.settle(only);
                }
            }
            Err(error) => group.into_iter().for_each(|job| job.settle(Err(error.clone()))),
        }
    }

    /// One transaction. An error here means that nothing of it was done.
    ///
    /// A write that fails after it has changed something spoils the transaction: it is begun again
    /// without it. Savepoints would do as well, but each of them makes the full-text index write a
    /// segment, which costs more than all the rest.
    fn together(&mut self, group: &mut [Job]) -> Result<Vec<Result<(), StoreError>>, StoreError> {
        let mut results = vec![Ok(()); group.len()];
        loop {
            match self.attempt(group, &mut results) {
                Ok(Attempt::Committed) => return Ok(results),
                Ok(Attempt::Spoilt) => self.roll_back(),
                Err(error) => {
                    self.roll_back();
                    return Err(error);
                }
            }
        }
    }

    /// Runs what has not failed.
    fn attempt(
        &mut self,
        group: &mut [Job],
        results: &mut [Result<(), StoreError>],
    ) -> Result<Attempt, StoreError> {
        self.begin(group)?;
        for (job, result) in group.iter_mut().zip(results).filter(|(_, result)| result.is_ok()) {
            let before = self.conn.total_changes();
            *result = job.run(&mut Tx { conn: &self.conn, tails: &mut self.tails });
            match result {
                Ok(()) => {}
                // SQLite may have rolled everything back already.
                Err(error) if error.is_passing() || self.conn.is_autocommit() => {
                    return Err(error.clone());
                }
                Err(_) if self.conn.total_changes() == before => {}
                Err(_) => return Ok(Attempt::Spoilt),
            }
        }
        self.conn.prepare_cached("COMMIT")?.execute([])?;
        Ok(Attempt::Committed)
    }

    fn roll_back(&mut self) {
        self.tails.forget_all();
        if !self.conn.is_autocommit() {
            // A connection that cannot roll back reports it at the next begin.
            let _ = self.conn.execute_batch("ROLLBACK");
        }
    }

    fn begin(&mut self, group: &[Job]) -> Result<(), StoreError> {
        let strongest = group.iter().map(|job| job.terms.durability).max();
        let durability = strongest.unwrap_or(Durability::Crash);
        if durability != self.durability {
            let word = match durability {
                Durability::Crash => "NORMAL",
                Durability::PowerLoss => "FULL",
            };
            self.conn.pragma_update(None, "synchronous", word)?;
            self.durability = durability;
        }
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let mut statement = self.conn.prepare_cached("PRAGMA data_version")?;
        let version = statement.query_row([], |row| row.get(0))?;
        if version != self.version {
            self.version = version;
            self.tails.forget_all();
        }
        Ok(())
    }
}
