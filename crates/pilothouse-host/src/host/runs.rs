//! What runs leave on the disk: logs are packed when their run has ended, and removed with their
//! session, also where an earlier daemon left that unfinished.
//!
//! Only a delete that is in the audit removes anything. A run that the store does not know is left as
//! it is, live or not: the database may be a restored backup, which is older than the run.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pilothouse_client::mark::end_marked;
use pilothouse_session::Session;
use pilothouse_session::id::{RunId, SessionId};

use super::HostError;
use super::house::{House, blocking};
#[cfg(unix)]
use crate::holder;
use crate::holder::{FoundRun, HoldSpec, PID_FILE, RunState, StartError, find, look};
use crate::store::StoreError;
use crate::wirelog::compress;

impl House {
    fn runs(&self) -> PathBuf {
        self.options.data_dir.join(crate::data_dir::RUNS)
    }

    pub(crate) fn session_runs(&self, session: SessionId) -> PathBuf {
        self.runs().join(session.to_string())
    }

    pub(crate) fn run_dir(&self, session: SessionId, run: RunId) -> PathBuf {
        self.session_runs(session).join(run.to_string())
    }

    /// Ends and removes runs of deleted sessions, and packs the logs of runs that have ended.
    pub(super) async fn tidy_runs(self: Arc<Self>) {
        let house = Arc::clone(&self);
        for dir in blocking(move || house.left_behind()).await {
            if self.closing.is_cancelled() {
                return;
            }
            self.pack(dir).await;
        }
    }

    /// Returns the runs to pack.
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
            if self.store.was_deleted(id)? {
                self.remove_runs(id)?;
            } else {
                tracing::warn!(session = %id, "the database does not know a session that has runs");
            }
            return Ok(Vec::new());
        }
        let found = find(dir).map_err(HostError::file(dir))?;
        // Asked only now: a run that was found belongs to a loop that was there before it.
        // And whether the host closes after that: then loops leave their runs to the next one.
        if self.running(id).is_some() || self.closing.is_cancelled() {
            return Ok(Vec::new());
        }
        let stored = self.store.load(id)?;
        let stored = stored.map(|stored| serde_json::from_str::<Session>(&stored.state));
        let session = stored.transpose().map_err(StoreError::from)?;
        let (found, unknown): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|run| is_known(session.as_ref(), run));
        for run in unknown {
            tracing::warn!(session = %id, run = run.run, "the database does not know a run");
        }
        let mut to_pack = Vec::new();
        for run in found {
            match run.state {
                RunState::Live => self.stop_run(&run.dir),
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
                RunState::Live => self.end_held(&run.dir, &run.run),
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

    /// Packs the log of a run that has ended. One that somebody still holds is left to who looks at
    /// it next.
    pub(crate) async fn pack(&self, dir: PathBuf) {
        let Ok(_turn) = self.packing.acquire().await else { return };
        let packed = blocking(move || match look(&dir)? {
            // Deleted meanwhile, or held.
            None | Some(RunState::Live) => Ok(()),
            Some(RunState::Ended(_) | RunState::Dead) => compress(&dir).map_err(io::Error::other),
        });
        if let Err(error) = packed.await {
            tracing::warn!(%error, "the log of a run was not packed; it can be read as it is");
        }
    }

    /// Starts a run, to outlive this daemon or not. Gives the pid of its CLI. Blocks.
    pub(crate) fn start_run(&self, dir: &Path, spec: &HoldSpec) -> Result<u32, StartError> {
        #[cfg(unix)]
        if self.options.holds() {
            return Ok(holder::start(&self.options.holder, dir, spec)?.cli);
        }
        self.inside.start(dir, spec)
    }

    /// Whether a run that is live can be spoken to.
    pub(crate) fn has_run(&self, dir: &Path) -> bool {
        #[cfg(unix)]
        if holder::connect(dir).is_ok() {
            return true;
        }
        self.inside.get(dir).is_some()
    }

    /// Ends the CLI of a run, whatever holds it up. Blocks for a moment.
    pub(crate) fn stop_run(&self, dir: &Path) {
        let grace = self.options.times.after_eof;
        match self.inside.get(dir) {
            Some(run) => run.stop(grace),
            // Over a connection of its own: a holder does not hear the attached one while its CLI
            // does not read.
            #[cfg(unix)]
            None => {
                if let Err(error) = holder::stop(dir, grace) {
                    tracing::debug!(?dir, %error, "a run that was to be stopped has ended");
                }
            }
            #[cfg(not(unix))]
            None => tracing::debug!(?dir, "a run that was to be stopped has ended"),
        }
    }

    /// Ends a run by way of who holds it; without, if that does not answer. Blocks until then.
    fn end_held(&self, dir: &Path, run: &str) {
        let grace = self.options.times.after_eof;
        let ended = match self.inside.get(dir) {
            Some(held) => {
                held.stop(grace);
                wait_for_end(dir)
            }
            #[cfg(unix)]
            None => holder::end(dir, grace).map_err(io::Error::other),
            // It has just ended.
            #[cfg(not(unix))]
            None => Ok(()),
        };
        // One that has just ended by itself cannot be reached, either.
        if let Err(error) = ended
            && !matches!(look(dir), Ok(None | Some(RunState::Ended(_))))
        {
            tracing::warn!(run, %error, "a run was not ended; its processes are killed");
            end_marked(run);
        }
    }
}

/// Whether a session, as it is stored, has asked for a run. The log of one that it has may lead to
/// the next, which is not stored until that log was read.
pub(crate) fn is_known(session: Option<&Session>, run: &FoundRun) -> bool {
    let name = run.run.parse().map(RunId).ok();
    let asked =
        |(session, run): (&Session, _)| session.run().is_some() || session.has_asked_for(run);
    session.zip(name).is_some_and(asked)
}

/// Blocks until nobody holds the run in `dir` any more.
fn wait_for_end(dir: &Path) -> io::Result<()> {
    File::open(dir.join(PID_FILE))?.lock_shared()
}
