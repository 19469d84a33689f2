//! Writes that are to outlive a loss of power, after their commit and before their acknowledgement.
//!
//! A disk takes many milliseconds to say that it has something. The writer does not wait for that:
//! it commits for the next ones meanwhile. Syncing the write-ahead log once makes everything durable
//! that was committed before, for however many that is.

use std::fs::File;
use std::io::ErrorKind;
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
}

/// The write-ahead log, open. SQLite keeps the file as long as a connection is open, and has no locks
/// on it that closing it here could end.
pub(super) struct WriteAheadLog {
    path: PathBuf,
    file: File,
}

impl WriteAheadLog {
    /// Of a database that is open.
    pub(super) fn of(database: &Path) -> Result<Self, StoreError> {
        let mut path = database.as_os_str().to_owned();
        path.push("-wal");
        let path = PathBuf::from(path);
        let file = File::open(&path).map_err(|error| StoreError::file(&path, &error))?;
        Ok(Self { path, file })
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.file.sync_data().map_err(|error| match error.kind() {
            ErrorKind::StorageFull => StoreError::Full(error.to_string()),
            _ => StoreError::file(&self.path, &error),
        })
    }
}

impl Syncing {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Acknowledges a write that was committed, once the disk has it.
    pub(super) fn acknowledge(&self, job: Job) {
        self.waiting().jobs.push(job);
        self.changed.notify_one();
    }

    /// Nothing more will be committed.
    pub(super) fn stop(&self) {
        self.waiting().is_over = true;
        self.changed.notify_all();
    }

    /// The thread: syncs until there will be nothing more.
    pub(super) fn run(self: Arc<Self>, log: &WriteAheadLog) {
        loop {
            let mut waiting = self.waiting();
            while waiting.jobs.is_empty() && !waiting.is_over {
                waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
            }
            let jobs = std::mem::take(&mut waiting.jobs);
            drop(waiting);
            if jobs.is_empty() {
                return;
            }
            let result = log.sync();
            jobs.into_iter().for_each(|job| job.settle(result.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::{Durability, Place, Queue, Terms};
    use super::*;

    #[test]
    fn nothing_is_acknowledged_that_the_disk_did_not_take() {
        let queue = Queue::default();
        let terms = Terms { durability: Durability::PowerLoss, place: Place::Inside, weight: 0 };
        let acks = [(); 2].map(|()| queue.submit(terms, |_| Ok(())));
        let syncing = Arc::new(Syncing::default());
        queue.next_group().unwrap().into_iter().for_each(|job| syncing.acknowledge(job));
        // A pipe is a file that cannot be synced.
        let (reader, _writer) = std::io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        syncing.stop();
        syncing.run(&WriteAheadLog { path: "x-wal".into(), file });
        for ack in acks {
            assert!(
                matches!(ack.wait(), Err(StoreError::File { path, .. }) if path.ends_with("x-wal"))
            );
        }
    }
}
