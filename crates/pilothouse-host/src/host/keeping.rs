//! Deletes what need not be kept.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::house::{House, blocking};
use crate::store::Retention;

/// How often it is looked for.
const EVERY: Duration = Duration::from_secs(60 * 60);

impl House {
    /// Deletes old sessions now and then, until the host closes.
    pub(super) async fn keep_tidy(self: Arc<Self>) {
        let keep = self.options.keep;
        if keep.archived.is_none() && keep.idle.is_none() {
            return;
        }
        let mut every = tokio::time::interval(EVERY);
        loop {
            tokio::select! {
                () = self.closing.cancelled() => return,
                _ = every.tick() => self.delete_old().await,
            }
        }
    }

    async fn delete_old(&self) {
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
                self.options.telemetry.metrics().session_forgotten(status);
                let runs = self.session_runs(session);
                // What cannot be removed is found, and tried again, when the host is opened.
                let _ = blocking(move || std::fs::remove_dir_all(runs)).await;
                self.gone(session);
                self.overview.changed(session);
            }
        }
    }
}
