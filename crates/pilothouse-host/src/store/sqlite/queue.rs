//! Writes that wait for the writer.
//!
//! The queue is bounded in number and in bytes, and submitting never blocks: what does not fit is
//! refused at once, so that no event loop ever waits for a disk.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::Tx;
use crate::store::ack::{Ack, Acknowledge, pair};
use crate::store::error::StoreError;

/// What a write survives once it is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Durability {
    /// The death of every process. For what can be made again from wire logs.
    Crash,
    /// Also the loss of power.
    PowerLoss,
}

/// Where a write is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Place {
    /// In a transaction, with others.
    Inside,
    /// Alone, outside of any transaction: for what SQLite does only there.
    Outside,
}

/// How a write is to be done.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Terms {
    pub(in crate::store) durability: Durability,
    pub(in crate::store) place: Place,
    /// About how many bytes it holds.
    pub(in crate::store) weight: usize,
}

/// A write that waits.
pub(super) struct Job {
    pub(super) terms: Terms,
    work: Box<dyn Work>,
}

/// Each operation is one function over a transaction; an enum of operations would only say its name
/// and its arguments once more.
trait Work: Send {
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError>;
    fn settle(self: Box<Self>, result: Result<(), StoreError>);
}

struct Task<F, T> {
    operation: F,
    outcome: Option<T>,
    acknowledge: Acknowledge<T>,
}

impl<F, T> Work for Task<F, T>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send,
    T: Send,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        self.outcome = Some((self.operation)(tx)?);
        Ok(())
    }

    fn settle(self: Box<Self>, result: Result<(), StoreError>) {
        let Self { outcome, acknowledge, .. } = *self;
        let result = result.and_then(|()| outcome.ok_or(StoreError::Closed));
        acknowledge.settle(result);
    }
}

impl Job {
    pub(super) fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        self.work.run(tx)
    }

    pub(super) fn settle(self, result: Result<(), StoreError>) {
        self.work.settle(result);
    }
}

/// The most writes that wait.
const MOST_JOBS: usize = 16_384;
/// The most bytes that wait.
const MOST_BYTES: usize = 128 << 20;
/// The most writes in a transaction: the first of them waits for the last.
const GROUP_JOBS: usize = 1_024;
/// The most bytes in a transaction.
const GROUP_BYTES: usize = 4 << 20;

/// The queue.
#[derive(Default)]
pub(in crate::store) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    bytes: usize,
    is_closed: bool,
}

impl Queue {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an operation into the queue. It may be run more than once, if the transaction it was in
    /// could not be committed.
    pub(in crate::store) fn submit<T, F>(&self, terms: Terms, operation: F) -> Ack<T>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (acknowledge, ack) = pair();
        let mut waiting = self.waiting();
        if waiting.is_closed {
            return Ack::settled(Err(StoreError::Closed));
        }
        let count = waiting.jobs.len();
        // One alone may be larger than the limit, or it could never be written.
        let is_heavy = waiting.bytes.saturating_add(terms.weight) > MOST_BYTES && count > 0;
        if count >= MOST_JOBS || is_heavy {
            return Ack::settled(Err(StoreError::Busy { waiting: count }));
        }
        waiting.bytes += terms.weight;
        let work = Box::new(Task { operation, outcome: None, acknowledge });
        waiting.jobs.push_back(Job { terms, work });
        drop(waiting);
        self.changed.notify_one();
        ack
    }

    /// The writes of the next transaction; waits for one. None when the queue was closed and is
    /// empty.
    pub(super) fn next_group(&self) -> Option<Vec<Job>> {
        let mut waiting = self.waiting();
        while waiting.jobs.is_empty() {
            if waiting.is_closed {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
        let mut group = Vec::new();
        let mut bytes = 0;
        while let Some(job) = waiting.jobs.front() {
            let ends = bytes + job.terms.weight > GROUP_BYTES
                || group.len() >= GROUP_JOBS
                || job.terms.place == Place::Outside;
            if ends && !group.is_empty() {
                break;
            }
            bytes += job.terms.weight;
            group.extend(waiting.jobs.pop_front());
            if ends {
                break;
            }
        }
        waiting.bytes = waiting.bytes.saturating_sub(bytes);
        Some(group)
    }

    /// Takes nothing more in. What is in it is still written.
    pub(in crate::store) fn close(&self) {
        self.waiting().is_closed = true;
        self.changed.notify_all();
    }

    /// The writer is gone: nothing that waits will be written, and all are told.
    pub(super) fn abandon(&self) {
        let mut waiting = self.waiting();
        waiting.is_closed = true;
        let jobs = std::mem::take(&mut waiting.jobs);
        drop(waiting);
        drop(jobs);
    }
}
