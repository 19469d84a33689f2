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
use super::syncing::Syncing;
use super::tails::Tails;
use super::wal::Backfill;
use crate::store::error::StoreError;
use crate::telemetry::metrics::Metrics;

/// The writer's state.
pub(super) struct Writer {
    conn: Connection,
    tails: Tails,
    /// Changes when somebody else has written.
    version: i64,
    beside: Beside,
    metrics: Arc<Metrics>,
}

/// What the threads beside the writer do.
#[derive(Clone)]
pub(super) struct Beside {
    pub(super) backfill: Arc<Backfill>,
    pub(super) syncing: Arc<Syncing>,
}

/// What became of a transaction.
enum Attempt {
    Committed,
    Spoilt,
}

/// Sees to it that all are told when the thread ends, however it ends.
struct Farewell(Arc<Queue>, Beside);

impl Drop for Farewell {
    fn drop(&mut self) {
        self.0.abandon();
        self.1.backfill.stop();
        self.1.syncing.stop();
    }
}

impl Writer {
    /// A writer over a connection that was set up.
    pub(super) fn new(conn: Connection, beside: Beside, metrics: Arc<Metrics>) -> Self {
        conn.set_prepared_statement_cache_capacity(128);
        Self { conn, tails: Tails::default(), version: -1, beside, metrics }
    }

    /// Writes until the queue is closed and empty.
    pub(super) fn run(mut self, queue: Arc<Queue>) {
        let _farewell = Farewell(Arc::clone(&queue), self.beside.clone());
        while let Some(group) = queue.next_group() {
            let weight = group.iter().map(|job| job.terms.weight).sum();
            if let Some(failure) = self.beside.syncing.failure() {
                group.into_iter().for_each(|job| job.settle(Err(failure.clone())));
                continue;
            }
            let (began, writes) = (Instant::now(), group.len());
            self.write(group);
            self.metrics.committed(began.elapsed(), writes);
            if self.beside.backfill.has_written(weight) {
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
            group.into_iter().for_each(|job| self.settle(job, result.clone()));
            return;
        }
        match self.together(&mut group) {
            Ok(results) => {
                group.into_iter().zip(results).for_each(|(job, result)| self.settle(job, result));
            }
            Err(StoreError::Full(_)) => {
                // What is in the log is moved first: its room can then be used again.
                let _ = super::wal::backfill(&self.conn);
                for mut job in group {
                    let result = self.together(std::slice::from_mut(&mut job));
                    let only = result.and_then(|results| results.into_iter().collect());
                    self.settle(job, only);
                }
            }
            Err(error) => group.into_iter().for_each(|job| job.settle(Err(error.clone()))),
        }
    }

    /// Tells who waits what has become of a write; if the disk is to have it, when it does.
    fn settle(&self, job: Job, result: Result<(), StoreError>) {
        match job.terms.durability {
            Durability::PowerLoss if result.is_ok() => self.beside.syncing.acknowledge(job),
            _ => job.settle(result),
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
        self.begin()?;
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

    fn begin(&mut self) -> Result<(), StoreError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::queue::Terms;

    #[tokio::test]
    async fn what_is_to_outlive_a_loss_of_power_is_not_acknowledged_before_the_log_is_synced() {
        let beside = Beside { backfill: Arc::default(), syncing: Arc::default() };
        let conn = Connection::open_in_memory().unwrap();
        let writer = Writer::new(conn, beside.clone(), Arc::default());
        let queue = Arc::new(Queue::default());
        let submit = |durability| {
            queue.submit(Terms { durability, place: Place::Inside, weight: 0 }, |_| Ok(()))
        };
        let (crash, mut power_loss) = (submit(Durability::Crash), submit(Durability::PowerLoss));
        queue.close();
        writer.run(Arc::clone(&queue));
        assert_eq!(crash.wait(), Ok(()));
        assert!(futures_util::poll!(&mut power_loss).is_pending());
        let database = tempfile::NamedTempFile::with_suffix("-wal").unwrap();
        let path = database.path().to_str().unwrap().strip_suffix("-wal").unwrap();
        let log = super::super::syncing::WriteAheadLog::of(path.as_ref()).unwrap();
        beside.syncing.run(&log);
        assert_eq!(power_loss.await, Ok(()));
    }

    /// What was committed after it could rest on what the disk has lost.
    #[test]
    fn nothing_is_written_once_the_disk_has_failed() {
        let beside = Beside { backfill: Arc::default(), syncing: Arc::default() };
        let writer =
            Writer::new(Connection::open_in_memory().unwrap(), beside.clone(), Arc::default());
        let queue = Arc::new(Queue::default());
        let (ran, saw) = std::sync::mpsc::channel();
        let submit = |durability| {
            let ran = ran.clone();
            queue.submit(Terms { durability, place: Place::Inside, weight: 0 }, move |_| {
                ran.send(()).map_err(|_| StoreError::Closed)
            })
        };
        let first = submit(Durability::PowerLoss);
        queue.next_group().unwrap().into_iter().for_each(|job| beside.syncing.acknowledge(job));
        beside.syncing.run(&super::super::syncing::WriteAheadLog::failing());
        assert!(matches!(first.wait(), Err(StoreError::Unconfirmed(_))));
        let second = submit(Durability::Crash);
        queue.close();
        writer.run(queue.clone());
        assert!(matches!(second.wait(), Err(StoreError::Unconfirmed(_))));
        assert!(saw.try_recv().is_err());
    }
}
