//! Checks that a data directory is ours alone to write.
//!
//! Whoever can write there can have us run any program: the database says which program a session
//! is run with, policies say what it may do. So a directory is refused unless it and what is in it
//! belong to this user and nobody else can write them. Links are refused as well: where they lead
//! was not checked.
//!
//! Directories above it may belong to others, as `/tmp` does, if nobody but their owner can move ours
//! away: one that everybody can write, or a group that is not this user's own, must be sticky. Links
//! on the way must belong to this user or to root, and what they lead through is checked as well.
//! Policy files that the configuration names are the user's own choice and are not checked.
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
    /// The members of a group can replace what is in it.
    #[error("lets the group {gid} move what is in it (mode {mode:04o})")]
    NotStickyForGroup {
        /// The group.
        gid: u32,
        /// The mode of the directory.
        mode: u32,
    },
    /// It is a link.
    #[error("is a link")]
    Link,
    /// It is not a directory.
    #[error("is not a directory")]
    NoDirectory,
    /// The system call failed.
    #[error("cannot be read ({0})")]
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
            Self::NotStickyForGroup { .. } => format!(
                "run `chmod g-w {path}` or `chmod +t {path}`, or choose another directory with \
                 `--data-dir`"
            ),
            Self::Link => {
                "put the file or directory itself there, or name where it is with `--data-dir`, or \
                 in `policy.files` if it is a policy"
                    .into()
            }
            Self::NoDirectory => "choose a directory with `--data-dir`".into(),
            Self::Unreadable(_) => {
                "correct its permissions, or choose another directory with `--data-dir`".into()
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
    use std::ffi::OsString;
    use std::fs::{self, Metadata};
    use std::io::ErrorKind;
    use std::os::unix::fs::MetadataExt;
    use std::path::Component;

    use super::{DataDirError, DataDirFault, POLICIES, Path, PathBuf, RUNS, io};

    const OTHERS_WRITE: u32 = 0o022;
    const GROUP_WRITES: u32 = 0o020;
    const EVERYBODY_WRITES: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    const ROOT: u32 = 0;

    /// Groups below are allocated by the system (Debian policy 9.2.2).
    const SYSTEM_GROUPS: u32 = 100;

    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;

    pub(super) fn check(dir: &Path) -> Result<(), DataDirError> {
        let absolute = std::path::absolute(dir).map_err(failed(dir))?;
        let dir = resolve(&absolute)?;
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

    /// Follows a path as the system does, and checks each directory and each link on the way: nobody
    /// else can make the path lead elsewhere. Returns it without links; the end of it may not exist.
    fn resolve(path: &Path) -> Result<PathBuf, DataDirError> {
        let mut at = PathBuf::from("/");
        let mut left: Vec<OsString> = parts(path);
        let mut links = 0;
        while let Some(part) = left.pop() {
            match part.as_encoded_bytes() {
                b"/" => at = PathBuf::from("/"),
                b".." => {
                    at.pop();
                }
                _ => {
                    is_fixed_in(&at)?;
                    let next = at.join(&part);
                    let Some(found) = look(&next)? else {
                        at = next;
                        at.extend(left.iter().rev());
                        return Ok(at);
                    };
                    if !found.is_symlink() {
                        at = next;
                        continue;
                    }
                    // A link that is ours may lead to a larger disk; another user's may lead
                    // elsewhere by the time it is used.
                    if ![us(), ROOT].contains(&found.uid()) {
                        return refuse(&next, DataDirFault::NotOurs(found.uid()));
                    }
                    links += 1;
                    if links > MOST_LINKS {
                        let error = io::Error::from(rustix::io::Errno::LOOP);
                        return refuse(path, DataDirFault::Unreadable(error));
                    }
                    left.extend(parts(&fs::read_link(&next).map_err(failed(&next))?));
                }
            }
        }
        Ok(at)
    }

    /// The parts of a path, the last one first.
    fn parts(path: &Path) -> Vec<OsString> {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.rev().map(|part| part.as_os_str().to_owned()).collect()
    }

    /// Checks that nobody but its owner can move what is in a directory.
    fn is_fixed_in(dir: &Path) -> Result<(), DataDirError> {
        let found = fs::metadata(dir).map_err(failed(dir))?;
        let mode = found.mode() & 0o7777;
        if mode & STICKY != 0 {
            return Ok(());
        }
        if mode & EVERYBODY_WRITES != 0 {
            return refuse(dir, DataDirFault::NotSticky(mode));
        }
        if mode & GROUP_WRITES != 0 && !is_trusted_group(&found) {
            let gid = found.gid();
            return refuse(dir, DataDirFault::NotStickyForGroup { gid, mode });
        }
        Ok(())
    }

    /// Whether the group of a directory above ours may write it.
    fn is_trusted_group(found: &Metadata) -> bool {
        let gid = found.gid();
        let is_ours = gid == rustix::process::getegid().as_raw()
            // A group of this user alone has the user's number on most systems. It is theirs also
            // while another group is in effect (`newgrp docker`).
            || gid == us();
        // Members of a system group administer the machine: `staff` of Debian writes /var/local,
        // `admin` of macOS /usr/local.
        let is_of_system = found.uid() == ROOT && gid < SYSTEM_GROUPS;
        is_ours || is_of_system
    }

    fn each_in(dir: &Path, writers: u32) -> Result<(), DataDirError> {
        for entry in fs::read_dir(dir).map_err(failed(dir))? {
            let path = entry.map_err(failed(dir))?.path();
            // A daemon that works there may have removed it just now.
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
    fn rejects_a_place_behind_a_link_from_which_others_can_move_it() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::create_dir_all(at("b/c")).unwrap();
        fs::create_dir(at("a")).unwrap();
        // One link in the middle, relative, that leads through another.
        symlink("../second/c", at("a/link")).unwrap();
        symlink(at("b"), at("second")).unwrap();
        let dir = at("a/link/data");
        check(&dir).unwrap();
        mode(&at("b"), 0o777);
        let named = at("b").display().to_string();
        assert!(fault(&dir).starts_with(&named), "{}", fault(&dir));
        open(&dir).unwrap_err();
        assert!(!at("b/c/data").exists(), "nothing is made there");
        mode(&at("b"), 0o755);
        open(&dir).unwrap();
        mode(&at("b"), 0o777);
        assert!(fault(&dir).starts_with(&named), "{}", fault(&dir));
        // Also where only a link leads through it.
        mode(&at("b"), 0o755);
        fs::create_dir(at("through")).unwrap();
        symlink(at("b/c"), at("through/link")).unwrap();
        fs::remove_file(at("a/link")).unwrap();
        symlink(at("through/link"), at("a/link")).unwrap();
        check(&dir).unwrap();
        mode(&at("through"), 0o777);
        let named = at("through").display().to_string();
        assert!(fault(&dir).starts_with(&named), "{}", fault(&dir));
        check(&at("a/link/../c/data")).unwrap_err();
        check(&at("a/../b/c/data")).unwrap();
    }

    #[test]
    fn rejects_links_that_lead_in_a_circle() {
        let top = tempfile::tempdir().unwrap();
        symlink("b", top.path().join("a")).unwrap();
        symlink("a", top.path().join("b")).unwrap();
        assert!(fault(&top.path().join("a/data")).contains("cannot be read"));
    }

    #[test]
    fn rejects_a_place_from_which_a_foreign_group_can_move_it() {
        let (above, dir) = used();
        // With the group that it was made with: of this user.
        mode(above.path(), 0o2775);
        check(&dir).unwrap();
        if !rustix::process::geteuid().is_root() {
            eprintln!("skipped: only root can give a directory to any group");
            return;
        }
        let group = |gid| {
            chown(above.path(), None, Some(gid)).unwrap();
            // Changing the group may take bits away.
            mode(above.path(), 0o2775);
        };
        group(NOBODY);
        assert!(fault(&dir).contains("lets the group 65534 move"), "{}", fault(&dir));
        for good in [0o1775, 0o755] {
            mode(above.path(), good);
            check(&dir).unwrap();
        }
        // `staff`, as of /var/local of Debian.
        group(50);
        check(&dir).unwrap();
        chown(above.path(), Some(NOBODY), None).unwrap();
        mode(above.path(), 0o2775);
        assert!(fault(&dir).contains("lets the group 50 move"), "{}", fault(&dir));
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
        // Also where it is a link to a directory above.
        let link = above.path().join("link-above");
        symlink(above.path(), &link).unwrap();
        check(&link.join("data")).unwrap();
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
        let fault = fault(&link.join("data"));
        assert!(fault.starts_with(&*link.to_string_lossy()), "{fault}");
        assert!(fault.contains("another user"), "{fault}");
    }
}
