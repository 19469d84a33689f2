//! Lines on their way from the reader to whoever wants the messages.
//!
//! The reader must go on reading whatever its consumer does: the answer that the consumer itself
//! waits for may be behind the lines it has not taken. So the queue has no hard limit. It has a mark:
//! beyond it the reader lets the consumer catch up, and goes on after a moment even if it did not.
//! A consumer that keeps up costs a bounded amount of memory, one that never reads costs the lines.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
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
    /// Wakes the consumer. Kept here, not in a future of the consumer's: a stream is polled through
    /// futures that do not outlive the poll.
    consumer: Option<Waker>,
}

/// The queue between one reader and one consumer.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
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
        wake(waiting);
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
    pub(crate) fn poll_take(&self, context: &mut Context<'_>) -> Poll<VecDeque<Bytes>> {
        let mut waiting = self.lock();
        if waiting.lines.is_empty() && !waiting.ended {
            waiting.consumer = Some(context.waker().clone());
            return Poll::Pending;
        }
        waiting.bytes = 0;
        let lines = std::mem::take(&mut waiting.lines);
        drop(waiting);
        self.taken.notify_one();
        Poll::Ready(lines)
    }

    /// No more lines will come.
    pub(crate) fn end(&self) {
        let mut waiting = self.lock();
        waiting.ended = true;
        wake(waiting);
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

/// Wakes the consumer, after letting go of the lock that it will want.
fn wake(mut waiting: MutexGuard<'_, Waiting>) {
    let consumer = waiting.consumer.take();
    drop(waiting);
    if let Some(consumer) = consumer {
        consumer.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn take(queue: &Queue) -> VecDeque<Bytes> {
        std::future::poll_fn(|context| queue.poll_take(context)).await
    }

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
        tokio::join!(queue.room(), async { assert_eq!(take(&queue).await.len(), 1) });
        assert_eq!(before.elapsed(), Duration::ZERO, "somebody reads: the reader goes on at once");
    }

    #[tokio::test]
    async fn the_end_comes_after_the_last_line() {
        let queue = Queue::default();
        queue.push(&mut line(1));
        queue.end();
        assert_eq!(take(&queue).await.len(), 1);
        assert!(take(&queue).await.is_empty());
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
