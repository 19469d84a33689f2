//! The runs of a session, and what was said in them.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use pilothouse_session::id::{RunId, SessionId};
use schemars::JsonSchema;
use serde::Serialize;

use super::house::blocking;
use super::{Host, HostError};
use crate::holder::{RunState, find};
use crate::wirelog::{ArchiveError, Log};

/// The most that is given at once.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// A run of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RunRow {
    /// The run.
    pub run: RunId,
    /// When it was started.
    pub started_at: Option<Timestamp>,
    /// Its CLI works, or waits.
    pub is_live: bool,
    /// The CLI's exit code.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// How long its wire log is, in bytes.
    pub bytes: u64,
}

impl Host {
    /// The runs of a session, oldest first.
    pub async fn runs(&self, session: SessionId) -> Result<Vec<RunRow>, HostError> {
        self.session(session).await?;
        let dir = self.0.session_runs(session);
        blocking(move || {
            let found = find(&dir).map_err(HostError::file(&dir))?;
            let mut rows = Vec::with_capacity(found.len());
            for run in found {
                let Ok(id) = run.run.parse().map(RunId) else { continue };
                // Between its beginning and its first line, a run has no log.
                let Some(log) = log_in(&run.dir)? else { continue };
                let bytes = log.end()?;
                let first = log.records(0).next_record()?;
                let millis = first.and_then(|first| i64::try_from(first.record.at()?).ok());
                let exit = match run.state {
                    RunState::Ended(exit) => (exit.code, exit.signal),
                    RunState::Live | RunState::Dead => (None, None),
                };
                rows.push(RunRow {
                    run: id,
                    started_at: millis.and_then(|ms| Timestamp::from_millisecond(ms).ok()),
                    is_live: run.state == RunState::Live,
                    code: exit.0,
                    signal: exit.1,
                    bytes,
                });
            }
            rows.sort_by_key(|row| row.started_at);
            Ok(rows)
        })
        .await
    }

    /// Bytes of a run's wire log, from `offset` on: fewer than `length` at its end, or where that is
    /// more than is given at once. Registered secrets are overwritten with `*`, so that offsets stay
    /// those of the log.
    pub async fn wire_log(
        &self,
        session: SessionId,
        run: RunId,
        offset: u64,
        length: usize,
    ) -> Result<Vec<u8>, HostError> {
        let house = Arc::clone(&self.0);
        blocking(move || {
            let log = log_in(&house.run_dir(session, run))?;
            let mut log = log.ok_or(HostError::NoRun { session, run })?;
            let known = house.secrets().known();
            // A secret may lie across the ends of the part.
            let margin = known.longest().saturating_sub(1);
            let length = length.min(MOST_BYTES);
            let start = offset.saturating_sub(margin as u64);
            let before = usize::try_from(offset - start).unwrap_or(margin);
            let mut bytes = log.range(start, before + length + margin)?;
            known.blot(&mut bytes);
            bytes.drain(..before.min(bytes.len()));
            bytes.truncate(length);
            Ok(bytes)
        })
        .await
    }

    /// How long a run's wire log is by now, in bytes.
    pub async fn wire_length(&self, session: SessionId, run: RunId) -> Result<u64, HostError> {
        let house = Arc::clone(&self.0);
        blocking(move || {
            let log = log_in(&house.run_dir(session, run))?;
            Ok(log.ok_or(HostError::NoRun { session, run })?.end()?)
        })
        .await
    }
}

/// The log of a run; none where nothing was written yet.
pub(super) fn log_in(dir: &Path) -> Result<Option<Log>, HostError> {
    match Log::open(dir) {
        Err(ArchiveError::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        log => Ok(Some(log?)),
    }
}
