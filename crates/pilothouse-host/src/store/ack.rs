//! What a submitter holds until its write is durable.
//!
//! An acknowledgement always comes: if the writer ends without having done the work, it says
//! [`StoreError::Closed`].

use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::error::StoreError;

/// The acknowledgement of a write. [Wait](Ack::wait) for it, or await it; the write goes on if it is
/// dropped.
#[must_use = "a write is durable only when it is acknowledged"]
#[derive(Debug)]
pub struct Ack<T>(Arc<Slot<T>>);

/// The other end, which is with the writer.
#[derive(Debug)]
pub(super) struct Acknowledge<T>(Arc<Slot<T>>);

#[derive(Debug)]
struct Slot<T> {
    state: Mutex<State<T>>,
    settled: Condvar,
}

#[derive(Debug)]
enum State<T> {
    Open(Option<Waker>),
    Settled(Result<T, StoreError>),
    Taken,
}

/// An acknowledgement and its other end.
pub(super) fn pair<T>() -> (Acknowledge<T>, Ack<T>) {
    let slot = Slot { state: Mutex::new(State::Open(None)), settled: Condvar::new() };
    let slot = Arc::new(slot);
    (Acknowledge(Arc::clone(&slot)), Ack(slot))
}

impl<T> Slot<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first result stays.
    fn settle(&self, result: Result<T, StoreError>) {
        let mut state = self.state();
        if let State::Open(waker) = &mut *state {
            let waker = waker.take();
            *state = State::Settled(result);
            drop(state);
            self.settled.notify_all();
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

impl<T> State<T> {
    fn take(&mut self) -> Option<Result<T, StoreError>> {
        match std::mem::replace(self, Self::Taken) {
            Self::Settled(result) => Some(result),
            open @ Self::Open(_) => {
                *self = open;
                None
            }
            Self::Taken => Some(Err(StoreError::Closed)),
        }
    }
}

impl<T> Ack<T> {
    /// One that has come already.
    pub(super) fn settled(result: Result<T, StoreError>) -> Self {
        let (acknowledge, ack) = pair();
        acknowledge.settle(result);
        ack
    }

    /// Blocks until the write is durable, or has failed.
    pub fn wait(self) -> Result<T, StoreError> {
        let mut state = self.0.state();
        loop {
            if let Some(result) = state.take() {
                return result;
            }
            state = self.0.settled.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Future for Ack<T> {
    type Output = Result<T, StoreError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.0.state();
        if let Some(result) = state.take() {
            return Poll::Ready(result);
        }
        *state = State::Open(Some(context.waker().clone()));
        Poll::Pending
    }
}

impl<T> Acknowledge<T> {
    pub(super) fn settle(self, result: Result<T, StoreError>) {
        self.0.settle(result);
    }
}

impl<T> Drop for Acknowledge<T> {
    fn drop(&mut self) {
        self.0.settle(Err(StoreError::Closed));
    }
}
