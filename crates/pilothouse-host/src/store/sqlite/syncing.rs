//! Writes that are to outlive a loss of power, after their commit and before their acknowledgement.
//!
//! A disk takes many milliseconds to say that it has something. The writer does not wait for that:
//! it commits for the next ones meanwhile. Syncing the write-ahead log once makes everything durable
//! that was committed before, for however many that is.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::queue::Job;
use crate::store::error::StoreError;

/// Committed writes that wait for the disk.
#[derive(Default)]
pub(super) struct Syncing {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<Job>,
    is_over: bool,
    /// Why nothing will be acknowledged any more.
    failure: Option<StoreError>,
}

/// The write-ahead log, open. SQLite keeps the file as long as a connection is open, and has no locks
/// on it that closing it here could end.
pub(super) struct WriteAheadLog(File);

impl WriteAheadLog {
    /// Of a database that is open.
    pub(super) fn of(database: &Path) -> Result<Self, StoreError> {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        let path = PathBuf::from(path);
        // Never written to here; but not everywhere may those sync a file who only read it.
        let opened = File::options().write(true).open(&path);
        Ok(Self(opened.map_err(|error| StoreError::file(&path, &error))?))
    }
}

impl Syncing {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acknowledges a write that was committed, once the disk has it.
    pub(super) fn acknowledge(&self, job: Job) {
        let mut waiting = self.waiting();
        if let Some(failure) = waiting.failure.clone() {
            drop(waiting);
            return job.settle(Err(failure));
        }
        waiting.jobs.push(job);
        drop(waiting);
        self.changed.notify_one();
    }

    /// Why nothing more can be written, once the disk has failed.
    pub(super) fn failure(&self) -> Option<StoreError> {
        self.waiting().failure.clone()
    }

    /// Nothing more will be committed.
    pub(super) fn stop(&self) {
        self.waiting().is_over = true;
        self.changed.notify_all();
    }

    /// The thread: syncs until there will be nothing more, or the disk fails. A disk is not asked
    /// again after that: the system forgets what it could not write, and then says that all is well.
    pub(super) fn run(self: Arc<Self>, log: &WriteAheadLog) {
        let farewell = Farewell(&self);
        while let Some(jobs) = self.next_group() {
            if let Err(error) = log.0.sync_data() {
                let failure = StoreError::Unconfirmed(error.to_string());
                tracing::error!(error = %failure, "nothing more is written");
                farewell.with(failure, jobs);
                return;
            }
            jobs.into_iter().for_each(|job| job.settle(Ok(())));
        }
    }

    /// Waits for jobs. None when there will be no more.
    fn next_group(&self) -> Option<Vec<Job>> {
        let mut waiting = self.waiting();
        while waiting.jobs.is_empty() && !waiting.is_over {
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let jobs = std::mem::take(&mut waiting.jobs);
        (!jobs.is_empty()).then_some(jobs)
    }
}

/// Sees to it that all are told when the thread ends, however it ends.
struct Farewell<'a>(&'a Syncing);

impl Farewell<'_> {
    fn with(&self, failure: StoreError, mut jobs: Vec<Job>) {
        let mut waiting = self.0.waiting();
        jobs.append(&mut waiting.jobs);
        waiting.failure.get_or_insert_with(|| failure.clone());
        drop(waiting);
        jobs.into_iter().for_each(|job| job.settle(Err(failure.clone())));
    }
}

impl Drop for Farewell<'_> {
    fn drop(&mut self) {
        self.with(StoreError::Closed, Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::{Durability, Place, Queue, Terms};
    use super::*;

    impl WriteAheadLog {
        /// One that no disk takes: a pipe cannot be synced.
        pub(crate) fn failing() -> Self {
            let (reader, _writer) = std::io::pipe().unwrap();
            Self(File::from(std::os::fd::OwnedFd::from(reader)))
        }
    }

    fn is_unconfirmed<T>(result: &Result<T, StoreError>) -> bool {
        matches!(result, Err(StoreError::Unconfirmed(_)))
    }

    #[test]
    fn nothing_is_acknowledged_once_the_disk_has_failed() {
        let queue = Queue::default();
        let terms = Terms { durability: Durability::PowerLoss, place: Place::Inside, weight: 0 };
        let submit = || {
            let ack = queue.submit(terms, |_| Ok(()));
            (ack, queue.next_group().unwrap().pop().unwrap())
        };
        let syncing = Arc::new(Syncing::default());
        let acks = [(); 2].map(|()| {
            let (ack, job) = submit();
            syncing.acknowledge(job);
            ack
        });
        Arc::clone(&syncing).run(&WriteAheadLog::failing());
        for ack in acks {
            assert!(is_unconfirmed(&ack.wait()));
        }
        // Also not by a thread that asked a disk that is well again.
        let (ack, job) = submit();
        syncing.acknowledge(job);
        assert!(is_unconfirmed(&ack.wait()));
        assert!(is_unconfirmed(&syncing.failure().map_or(Ok(()), Err)));
    }
}
