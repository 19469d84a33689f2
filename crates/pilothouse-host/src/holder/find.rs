//! Finds the runs that earlier daemons have started.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::PID_FILE;
use crate::wirelog::{Exit, Log};

/// A run on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRun {
    /// Its name: that of its directory.
    pub run: String,
    /// Where it is.
    pub dir: PathBuf,
    /// What has become of it.
    pub state: RunState,
}

/// What has become of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// It has a holder: attach to it.
    Live,
    /// Its CLI has ended; all of it is in the log.
    Ended(Exit),
    /// Its holder was killed, or the machine stopped. How the CLI ended is not known.
    Dead,
}

/// All runs in the directory of runs, by name. A run that begins while this looks is `Live`.
pub fn find(runs: &Path) -> io::Result<Vec<FoundRun>> {
    let mut found = Vec::new();
    let entries = match std::fs::read_dir(runs) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        entries => entries?,
    };
    for entry in entries {
        let dir = entry?.path();
        if let Some(state) = look(&dir)? {
            let run = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
            found.push(FoundRun { run, dir, state });
        }
    }
    found.sort_by(|a, b| a.run.cmp(&b.run));
    Ok(found)
}

/// What has become of the run in `dir`; nothing if there is no run.
pub fn look(dir: &Path) -> io::Result<Option<RunState>> {
    let pid_file = match File::open(dir.join(PID_FILE)) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        file => file?,
    };
    // Shared: two who look at the same time must not take each other for the holder.
    match pid_file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => return Ok(Some(RunState::Live)),
        locked => locked?,
    }
    let exit = Log::open(dir).and_then(|mut log| log.exit());
    Ok(Some(match exit {
        Ok(Some(exit)) => RunState::Ended(exit),
        _ => RunState::Dead,
    }))
}
