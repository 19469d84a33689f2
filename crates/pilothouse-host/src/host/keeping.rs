//! Deletes what need not be kept, and what is left of what was deleted.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;

use super::HostError;
use super::house::{House, blocking};
use crate::store::Retention;

/// How often it is looked for.
const EVERY: Duration = Duration::from_secs(60 * 60);

impl House {
    /// Deletes old sessions now and then, until the host closes, and gives back the room of those
    /// that were deleted.
    pub(super) async fn keep_tidy(self: Arc<Self>) {
        let mut every = tokio::time::interval(EVERY);
        loop {
            tokio::select! {
                () = self.closing.cancelled() => return,
                _ = every.tick() => {}
            }
            let keep = self.options.keep;
            if keep.archived.is_some() || keep.idle.is_some() {
                self.delete_old().await;
            }
            let store = self.store.clone();
            let leaving = self.closing.clone();
            if let Err(error) = blocking(move || store.tidy(|| leaving.is_cancelled())).await {
                tracing::warn!(%error, "the database keeps the room of deleted sessions for now");
            }
        }
    }

    async fn delete_old(self: &Arc<Self>) {
        let before = |age: Duration| Timestamp::now().checked_sub(age).ok();
        let retention = Retention {
            archived_before: self.options.keep.archived.and_then(before),
            idle_before: self.options.keep.idle.and_then(before),
        };
        loop {
            let deleted = match self.store.retain(&retention).await {
                Ok(deleted) if deleted.is_empty() => return,
                Ok(deleted) => deleted,
                Err(error) => {
                    tracing::warn!(%error, "old sessions were not deleted");
                    return;
                }
            };
            for (session, status) in deleted {
                if let Err(error) = self.forgotten(session, status).await {
                    // Found, and tried again, when the host is opened.
                    tracing::warn!(%session, %error, "something of a deleted session is left");
                }
            }
        }
    }

    /// The store has forgotten a session: so does everybody else.
    pub(super) async fn forgotten(
        self: &Arc<Self>,
        session: SessionId,
        was: Status,
    ) -> Result<(), HostError> {
        self.secrets().release(session);
        let telemetry = &self.options.telemetry;
        telemetry.metrics().session_forgotten(was);
        if let Some(debug) = telemetry.debug() {
            debug.forget(session);
        }
        self.gone(session);
        self.overview.changed(session);
        // A log that is being packed would be written into the directory that is removed.
        let _not_packing = self.packing.acquire().await;
        let house = Arc::clone(self);
        blocking(move || house.remove_runs(session)).await
    }
}
