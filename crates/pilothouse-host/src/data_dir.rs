//! Checks that a data directory is ours alone to write.
//!
//! Whoever can write there can have us run any program: the database says which program a session
//! is run with, policies say what it may do. So a directory is refused unless it and what is in it
//! belong to this user and nobody else can write them. Links are refused as well: where they lead
//! was not checked.
//!
//! Directories above it may belong to others, as `/tmp` does, if no other user can move ours away:
//! one that everybody can write must be sticky. Policy files that the configuration names are the
//! user's own choice and are not checked.
//!
//! Where files have no modes, the directory of the user is what keeps others out.

use std::io;
use std::path::{Path, PathBuf};

/// The file that says where the daemon of a data directory listens. Whoever takes the directory's
/// lock removes one that is left from a daemon that was killed.
pub const BEACON_FILE: &str = "daemon.json";

/// Policies that people have put there.
pub(crate) const POLICIES: &str = "policies";

/// Directories of runs, by session.
pub(crate) const RUNS: &str = "runs";

/// Why a data directory is not used.
#[derive(Debug, thiserror::Error)]
#[error("{path} {fault}, so it is not used: {advice}", advice = .fault.advice(.path))]
pub struct DataDirError {
    /// What was found unfit: the directory, something in it or above it.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: DataDirFault,
}

/// What is wrong with a data directory, or with something in it.
#[derive(Debug, thiserror::Error)]
pub enum DataDirFault {
    /// It belongs to another user.
    #[error("belongs to another user (uid {0})")]
    NotOurs(u32),
    /// Other users can write it.
    #[error("can be written by other users (mode {0:03o})")]
    Writable(u32),
    /// Other users can replace what is in it.
    #[error("lets every user move what is in it (mode {0:04o})")]
    NotSticky(u32),
    /// It is a link.
    #[error("is a link")]
    Link,
    /// It is no directory.
    #[error("is no directory")]
    NoDirectory,
    /// The system says no.
    #[error("cannot be looked at ({0})")]
    Unreadable(io::Error),
}

impl DataDirFault {
    /// What to do about it.
    pub fn advice(&self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::NotOurs(_) => {
                "run Pilothouse as that user, or choose another directory with `--data-dir`".into()
            }
            Self::Writable(_) => format!(
                "if only you have written there, run `chmod go-w {path}`; else choose another \
                 directory with `--data-dir`"
            ),
            Self::NotSticky(_) => {
                format!("run `chmod o-w {path}`, or choose another directory with `--data-dir`")
            }
            Self::Link => {
                "put the file or directory itself there, or name where it is with `--data-dir`, or \
                 in `policy.files` if it is a policy"
                    .into()
            }
            Self::NoDirectory => "choose another one with `--data-dir`".into(),
            Self::Unreadable(_) => {
                "correct who may read it, or choose another with `--data-dir`".into()
            }
        }
    }
}

/// Checks a data directory, what is in it, and the policies and sessions in it. One that does not
/// exist yet is fine. Blocks for a few files.
pub fn check(dir: &Path) -> Result<(), DataDirError> {
    imp::check(dir)
}

/// Makes a data directory that only its owner may enter, if there is none, and [checks](check) it.
pub fn open(dir: &Path) -> Result<(), DataDirError> {
    // Before it is made, too: nothing is made in a place that others can change.
    check(dir)?;
    crate::private::dir(dir).map_err(|error| DataDirError {
        path: dir.to_owned(),
        fault: DataDirFault::Unreadable(error),
    })?;
    check(dir)
}

#[cfg(not(unix))]
mod imp {
    use super::{DataDirError, Path};

    pub(super) fn check(_: &Path) -> Result<(), DataDirError> {
        Ok(())
    }
}

#[cfg(unix)]
mod imp {
    use std::fs::{self, Metadata};
    use std::io::ErrorKind;
    use std::os::unix::fs::MetadataExt;

    use super::{DataDirError, DataDirFault, POLICIES, Path, RUNS, io};

    /// Others may write.
    const OTHERS_WRITE: u32 = 0o022;
    const EVERYBODY_WRITES: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    const ROOT: u32 = 0;

    pub(super) fn check(dir: &Path) -> Result<(), DataDirError> {
        let absolute = std::path::absolute(dir).map_err(failed(dir))?;
        above(&absolute)?;
        let Some(found) = look(&absolute)? else { return Ok(()) };
        let dir = match found.is_symlink() {
            false => absolute,
            true => {
                // A link that is ours may lead to a larger disk; another user's may lead elsewhere
                // by the time it is used.
                if ![us(), ROOT].contains(&found.uid()) {
                    return refuse(&absolute, DataDirFault::NotOurs(found.uid()));
                }
                let real = fs::canonicalize(&absolute).map_err(failed(&absolute))?;
                above(&real)?;
                real
            }
        };
        let Some(found) = look(&dir)? else { return Ok(()) };
        if !found.is_dir() {
            return refuse(&dir, DataDirFault::NoDirectory);
        }
        is_ours(&dir, &found, OTHERS_WRITE)?;
        let reach = reach(&found, OTHERS_WRITE);
        each_in(&dir, OTHERS_WRITE)?;
        for name in [POLICIES, RUNS] {
            let inner = dir.join(name);
            if let Some(found) = look(&inner)?
                && found.is_dir()
            {
                // People write policies with their own umask, which often lets a group write. That
                // does not matter where no group can get in.
                each_in(&inner, self::reach(&found, reach))?;
            }
        }
        Ok(())
    }

    fn us() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    /// Of those who could write (as in a mode), the ones that a directory lets in.
    fn reach(dir: &Metadata, writers: u32) -> u32 {
        writers & ((dir.mode() & 0o011) << 1)
    }

    /// Nobody else can put something else in the place of `path`.
    fn above(path: &Path) -> Result<(), DataDirError> {
        for parent in path.ancestors().skip(1) {
            let Some(found) = fs::metadata(parent).ok() else { continue };
            let mode = found.mode() & 0o7777;
            if mode & EVERYBODY_WRITES != 0 && mode & STICKY == 0 {
                return refuse(parent, DataDirFault::NotSticky(mode));
            }
        }
        Ok(())
    }

    fn each_in(dir: &Path, writers: u32) -> Result<(), DataDirError> {
        for entry in fs::read_dir(dir).map_err(failed(dir))? {
            let path = entry.map_err(failed(dir))?.path();
            // What a daemon that works there has just taken away is no harm.
            if let Some(found) = look(&path)? {
                if found.is_symlink() {
                    return refuse(&path, DataDirFault::Link);
                }
                is_ours(&path, &found, writers)?;
            }
        }
        Ok(())
    }

    fn is_ours(path: &Path, found: &Metadata, writers: u32) -> Result<(), DataDirError> {
        if found.uid() != us() {
            return refuse(path, DataDirFault::NotOurs(found.uid()));
        }
        let mode = found.mode() & 0o777;
        if mode & writers != 0 {
            return refuse(path, DataDirFault::Writable(mode));
        }
        Ok(())
    }

    fn look(path: &Path) -> Result<Option<Metadata>, DataDirError> {
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            found => found.map(Some).map_err(failed(path)),
        }
    }

    fn refuse<T>(path: &Path, fault: DataDirFault) -> Result<T, DataDirError> {
        Err(DataDirError { path: path.to_owned(), fault })
    }

    fn failed(path: &Path) -> impl FnOnce(io::Error) -> DataDirError {
        let path = path.to_owned();
        move |error| DataDirError { path, fault: DataDirFault::Unreadable(error) }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    /// A user that is neither us nor root.
    const NOBODY: u32 = 65_534;

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// A data directory with what a daemon leaves there.
    fn used() -> (tempfile::TempDir, PathBuf) {
        let above = tempfile::tempdir().unwrap();
        let dir = above.path().join("data");
        open(&dir).unwrap();
        for name in [POLICIES, RUNS] {
            crate::private::dir(&dir.join(name)).unwrap();
        }
        for name in ["token", "pilothouse.db", "pilothouse.db-wal", "policies/own.toml"] {
            fs::write(dir.join(name), "").unwrap();
            mode(&dir.join(name), 0o644);
        }
        crate::private::dir(&dir.join("runs/session")).unwrap();
        check(&dir).unwrap();
        (above, dir)
    }

    fn fault(dir: &Path) -> String {
        check(dir).unwrap_err().to_string()
    }

    #[test]
    fn makes_a_directory_for_its_owner_alone() {
        let (_above, dir) = used();
        assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn rejects_a_directory_that_others_can_write() {
        let (_above, dir) = used();
        for bad in [0o777, 0o770, 0o702, 0o1777, 0o720] {
            mode(&dir, bad);
            assert!(fault(&dir).contains("chmod go-w"), "{bad:o}: {}", fault(&dir));
            open(&dir).unwrap_err();
        }
        for good in [0o700, 0o750, 0o755] {
            mode(&dir, good);
            check(&dir).unwrap();
        }
    }

    #[test]
    fn rejects_files_that_others_can_write() {
        let (_above, dir) = used();
        for name in ["token", "pilothouse.db", "pilothouse.db-wal", POLICIES, RUNS] {
            let path = dir.join(name);
            let before = path.metadata().unwrap().permissions();
            mode(&path, 0o777);
            assert!(fault(&dir).starts_with(&path.display().to_string()), "{}", fault(&dir));
            fs::set_permissions(&path, before).unwrap();
            check(&dir).unwrap();
        }
    }

    #[test]
    fn rejects_inner_files_only_if_others_can_get_there() {
        let (_above, dir) = used();
        let policy = dir.join("policies/own.toml");
        // As editors write it with the umask that many systems have.
        mode(&policy, 0o664);
        check(&dir).unwrap();
        mode(&dir, 0o755);
        check(&dir).unwrap();
        mode(&dir.join(POLICIES), 0o755);
        assert!(fault(&dir).starts_with(&policy.display().to_string()), "{}", fault(&dir));
        mode(&policy, 0o644);
        check(&dir).unwrap();
        mode(&dir.join(RUNS), 0o755);
        mode(&dir.join("runs/session"), 0o777);
        assert!(fault(&dir).contains("runs/session"), "{}", fault(&dir));
    }

    #[test]
    fn rejects_links() {
        let (above, dir) = used();
        let elsewhere = above.path().join("elsewhere");
        fs::write(&elsewhere, "").unwrap();
        for name in ["linked", "policies/linked.toml", "runs/linked"] {
            symlink(&elsewhere, dir.join(name)).unwrap();
            assert!(fault(&dir).contains("is a link"), "{}", fault(&dir));
            fs::remove_file(dir.join(name)).unwrap();
        }
        // One to the whole directory is the user's own choice.
        let link = above.path().join("link");
        symlink(&dir, &link).unwrap();
        check(&link).unwrap();
        mode(&dir, 0o777);
        check(&link).unwrap_err();
    }

    #[test]
    fn rejects_a_place_from_which_others_can_move_it() {
        let (above, dir) = used();
        mode(above.path(), 0o777);
        assert!(fault(&dir).contains("lets every user move"), "{}", fault(&dir));
        let new = above.path().join("new");
        open(&new).unwrap_err();
        assert!(!new.exists(), "nothing is made there");
        mode(above.path(), 0o1777);
        check(&dir).unwrap();
        open(&new).unwrap();
    }

    #[test]
    fn rejects_what_belongs_to_others() {
        let (above, dir) = used();
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: only root can give a file to another user");
            return;
        }
        for name in ["", "pilothouse.db", POLICIES, "policies/own.toml", "runs/session"] {
            let path = dir.join(name);
            chown(&path, Some(NOBODY), None).unwrap();
            assert!(fault(&dir).contains("another user (uid 65534)"), "{}", fault(&dir));
            chown(&path, Some(0), None).unwrap();
            check(&dir).unwrap();
        }
        let link = above.path().join("link");
        symlink(&dir, &link).unwrap();
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
        assert!(fault(&link).contains("another user"), "{}", fault(&link));
    }
}
