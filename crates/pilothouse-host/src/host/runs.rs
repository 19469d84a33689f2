//! What runs leave on the disk: logs are packed when their run has ended, and removed with their
//! session, whoever had to leave that unfinished.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pilothouse_client::mark::end_marked;
use pilothouse_session::id::{RunId, SessionId};
use rustix::fs::{FlockOperation, flock};

use super::HostError;
use super::house::{House, blocking};
use crate::holder::{PID_FILE, RunState, end, find, stop};
use crate::wirelog::compress;

impl House {
    fn runs(&self) -> PathBuf {
        self.options.data_dir.join("runs")
    }

    pub(crate) fn session_runs(&self, session: SessionId) -> PathBuf {
        self.runs().join(session.to_string())
    }

    pub(crate) fn run_dir(&self, session: SessionId, run: RunId) -> PathBuf {
        self.session_runs(session).join(run.to_string())
    }

    /// Ends and removes runs of sessions that are gone, and packs the logs of those that have ended.
    pub(super) async fn tidy_runs(self: Arc<Self>) {
        let house = Arc::clone(&self);
        for dir in blocking(move || house.left_behind()).await {
            self.pack(dir).await;
        }
    }

    /// Gives what is to be packed.
    fn left_behind(&self) -> Vec<PathBuf> {
        let mut to_pack = Vec::new();
        let Ok(sessions) = std::fs::read_dir(self.runs()) else { return to_pack };
        for dir in sessions.flatten().map(|entry| entry.path()) {
            let name = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Ok(id) = name.parse().map(SessionId) else { continue };
            match self.look_after(id, &dir) {
                Ok(mut ended) => to_pack.append(&mut ended),
                Err(error) => {
                    tracing::warn!(session = %id, %error, "old runs were left as they are");
                }
            }
        }
        to_pack
    }

    fn look_after(&self, id: SessionId, dir: &Path) -> Result<Vec<PathBuf>, HostError> {
        if self.store.session(id)?.is_none() {
            return self.remove_runs(id).map(|()| Vec::new());
        }
        let found = find(dir).map_err(HostError::file(dir))?;
        // Asked only now: a run that was found belongs to a loop that was there before it.
        // And whether the host closes after that: then loops leave their runs to the next one.
        if self.running(id).is_some() || self.closing.is_cancelled() {
            return Ok(Vec::new());
        }
        let mut to_pack = Vec::new();
        for run in found {
            match run.state {
                RunState::Live => {
                    let _ = stop(&run.dir, self.options.times.after_eof);
                }
                RunState::Ended(_) | RunState::Dead => to_pack.push(run.dir),
            }
        }
        Ok(to_pack)
    }

    /// Ends the runs of a session that go on without a loop. Blocks until they have ended.
    pub(super) fn end_runs(&self, session: SessionId) -> Result<(), HostError> {
        let dir = self.session_runs(session);
        for run in find(&dir).map_err(HostError::file(&dir))? {
            match run.state {
                RunState::Live => end_held(&run.dir, &run.run, self.options.times.after_eof),
                RunState::Dead => end_marked(&run.run),
                RunState::Ended(_) => {}
            }
        }
        Ok(())
    }

    /// Removes everything that the runs of a session have left. Blocks.
    pub(super) fn remove_runs(&self, session: SessionId) -> Result<(), HostError> {
        self.end_runs(session)?;
        let dir = self.session_runs(session);
        match std::fs::remove_dir_all(&dir) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(HostError::File { path: dir, reason: error })
            }
            _ => Ok(()),
        }
    }

    /// Packs the log of a run, as soon as its holder has ended.
    pub(crate) async fn pack(&self, dir: PathBuf) {
        let Ok(_turn) = self.packing.acquire().await else { return };
        let packed = blocking(move || {
            let pid_file = match File::open(dir.join(PID_FILE)) {
                // Deleted meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                file => file?,
            };
            flock(&pid_file, FlockOperation::LockShared)?;
            compress(&dir).map_err(io::Error::other)
        });
        if let Err(error) = packed.await {
            tracing::warn!(%error, "the log of a run was not packed; it can be read as it is");
        }
    }
}

/// Ends a run by way of its holder; without it, if that does not answer.
fn end_held(dir: &Path, run: &str, grace: Duration) {
    if let Err(error) = end(dir, grace) {
        tracing::warn!(run, %error, "a holder did not end its run; its processes are killed");
        end_marked(run);
    }
}
