//! The end of a turn before its end.

use std::cell::Cell;

use tokio::sync::Notify;

/// Why a turn is to end at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The host asked for it.
    Interrupt,
    /// Another prompt takes its place.
    Steer,
    /// The task was stopped.
    Stopped,
}

/// A flag that can be waited for.
#[derive(Debug, Default)]
pub(super) struct Abort {
    cause: Cell<Option<Cause>>,
    changed: Notify,
}

impl Abort {
    /// The first cause stays.
    pub(super) fn set(&self, cause: Cause) {
        if self.cause.get().is_none() {
            self.cause.set(Some(cause));
            self.changed.notify_waiters();
        }
    }

    pub(super) fn cause(&self) -> Option<Cause> {
        self.cause.get()
    }

    /// `Err` as soon as the flag is set, otherwise what `work` comes to.
    pub(super) async fn unless<T>(&self, work: impl Future<Output = T>) -> Result<T, Cause> {
        let set = async {
            loop {
                let changed = self.changed.notified();
                match self.cause.get() {
                    Some(cause) => return cause,
                    None => changed.await,
                }
            }
        };
        tokio::select! {
            biased;
            cause = set => Err(cause),
            done = work => Ok(done),
        }
    }
}
