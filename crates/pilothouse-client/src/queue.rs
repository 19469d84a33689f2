//! Lines on their way from the reader to whoever wants the messages.
//!
//! The reader must go on reading whatever its consumer does: the answer that the consumer itself
//! waits for may be behind the lines it has not taken. So the queue has no hard limit. It has a mark:
//! beyond it the reader lets the consumer catch up, and goes on after a moment even if it did not.
//! A consumer that keeps up costs a bounded amount of memory, one that never reads costs the lines.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;

/// Bytes that may wait before the reader slows down.
const MARK: usize = 512 * 1024;

/// How long the reader waits for a consumer that takes nothing.
const PATIENCE: Duration = Duration::from_millis(100);

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<Bytes>,
    bytes: usize,
    /// No more lines will come.
    ended: bool,
    /// Nobody will take any.
    abandoned: bool,
}

/// The queue between one reader and one consumer.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Notify,
    taken: Notify,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds lines, emptying `lines`.
    pub(crate) fn push(&self, lines: &mut VecDeque<Bytes>) {
        if lines.is_empty() {
            return;
        }
        let mut waiting = self.lock();
        if waiting.abandoned {
            lines.clear();
            return;
        }
        waiting.bytes += lines.iter().map(Bytes::len).sum::<usize>();
        waiting.lines.append(lines);
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Returns when there is room, or the consumer has had its chance.
    pub(crate) async fn room(&self) {
        let full = || self.lock().bytes > MARK;
        if full() {
            let taken = async {
                while full() {
                    self.taken.notified().await;
                }
            };
            let _ = tokio::time::timeout(PATIENCE, taken).await;
        }
    }

    /// All lines that wait; empty when there will be no more.
    pub(crate) async fn take(&self) -> VecDeque<Bytes> {
        loop {
            {
                let mut waiting = self.lock();
                if !waiting.lines.is_empty() || waiting.ended {
                    waiting.bytes = 0;
                    let lines = std::mem::take(&mut waiting.lines);
                    drop(waiting);
                    self.taken.notify_one();
                    return lines;
                }
            }
            self.arrived.notified().await;
        }
    }

    /// No more lines will come.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.arrived.notify_one();
    }

    /// Nobody will take any.
    pub(crate) fn abandon(&self) {
        let mut waiting = self.lock();
        waiting.abandoned = true;
        waiting.lines.clear();
        waiting.bytes = 0;
        drop(waiting);
        self.taken.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(size: usize) -> VecDeque<Bytes> {
        VecDeque::from([Bytes::from(vec![b'x'; size])])
    }

    #[tokio::test(start_paused = true)]
    async fn the_reader_waits_for_a_consumer_but_not_for_ever() {
        let queue = Queue::default();
        queue.push(&mut line(MARK + 1));
        let before = tokio::time::Instant::now();
        queue.room().await;
        assert_eq!(before.elapsed(), PATIENCE, "nobody reads: the reader goes on after a moment");

        let before = tokio::time::Instant::now();
        tokio::join!(queue.room(), async { assert_eq!(queue.take().await.len(), 1) });
        assert_eq!(before.elapsed(), Duration::ZERO, "somebody reads: the reader goes on at once");
    }

    #[tokio::test]
    async fn the_end_comes_after_the_last_line() {
        let queue = Queue::default();
        queue.push(&mut line(1));
        queue.end();
        assert_eq!(queue.take().await.len(), 1);
        assert!(queue.take().await.is_empty());
    }

    #[tokio::test]
    async fn an_abandoned_queue_keeps_nothing() {
        let queue = Queue::default();
        queue.push(&mut line(MARK * 2));
        queue.abandon();
        queue.push(&mut line(MARK * 2));
        queue.room().await;
        assert_eq!(queue.lock().bytes, 0);
    }
}
