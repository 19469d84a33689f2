//! The directory of a new run: its owner's alone, and locked by whoever holds the run.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::error::StartError;
use super::spec::HoldSpec;
use super::{PID_FILE, boot};
use crate::private::{self, Private};

/// A directory in which nothing was run yet.
pub(crate) struct RunDir {
    path: PathBuf,
    pid_file: File,
}

impl RunDir {
    /// Makes it. There must be none.
    pub(crate) fn create(path: &Path, spec: &HoldSpec) -> Result<Self, StartError> {
        if !Path::new(&spec.cwd).is_absolute() {
            return Err(StartError::Relative(PathBuf::from(&spec.cwd.0)));
        }
        let path = std::path::absolute(path)?;
        match private::dir_builder().create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(StartError::Exists(path));
            }
            made => made?,
        }
        match boot::note(&path).and_then(|()| locked_pid_file(&path)) {
            Ok(pid_file) => Ok(Self { path, pid_file }),
            Err(error) => {
                let _ = std::fs::remove_dir_all(&path);
                Err(error.into())
            }
        }
    }

    /// Starts something in it, which is to keep the pid file as long as it lives. Where that fails
    /// nothing is left.
    pub(crate) fn fill<T>(
        self,
        start: impl FnOnce(&Path, File) -> Result<T, StartError>,
    ) -> Result<T, StartError> {
        let started = start(&self.path, self.pid_file);
        if started.is_err() {
            // Nothing was run in it.
            let _ = std::fs::remove_dir_all(&self.path);
        }
        started
    }
}

fn locked_pid_file(dir: &Path) -> io::Result<File> {
    // Under another name until it is locked: a run must not be found without its lock.
    let new = dir.join(format!("{PID_FILE}.new"));
    let file = OpenOptions::new().append(true).create_new(true).private().open(&new)?;
    file.try_lock()?;
    std::fs::rename(&new, dir.join(PID_FILE))?;
    Ok(file)
}
