//! Opening a path from a directory downwards without following a link.
//!
//! Opening alone can do harm: it waits for the other end of a pipe, and some devices act on it. So
//! first a handle is made that can only be looked at, then the same file is opened for reading.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// What was found.
#[derive(Debug)]
pub(super) enum Opened {
    /// A regular file or a directory, open.
    Readable(File, Metadata),
    /// Something that is not opened.
    Special(&'static str),
}

#[cfg(unix)]
pub(super) use unix::open_beneath;
#[cfg(unix)]
pub(crate) use unix::open_directory;

#[cfg(unix)]
mod unix {
    use std::ffi::OsStr;
    use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    use std::path::Component;

    use rustix::fs::{CWD, Mode, OFlags, openat};
    use rustix::io::Errno;

    use super::*;

    /// Opens `relative`, which has neither links nor `..`, below the directory `root`, which has
    /// none either.
    pub(in super::super) fn open_beneath(root: &Path, relative: &Path) -> io::Result<Opened> {
        open_with(root, relative, beneath)
    }

    /// Opens a directory by its real path, to go on from there: a link in it is refused.
    pub(crate) fn open_directory(path: &Path) -> io::Result<OwnedFd> {
        let top = openat(CWD, Path::new("/"), LOOK | OFlags::DIRECTORY, Mode::empty())?;
        let below = path.strip_prefix("/").map_err(|_| Errno::INVAL)?;
        Ok(beneath(top.as_fd(), below, LOOK | OFlags::DIRECTORY)?)
    }

    /// How a path below a directory is opened.
    type Open = fn(BorrowedFd<'_>, &Path, OFlags) -> Result<OwnedFd, Errno>;

    pub(super) fn open_with(root: &Path, relative: &Path, open: Open) -> io::Result<Opened> {
        let top = openat(CWD, Path::new("/"), LOOK | OFlags::DIRECTORY, Mode::empty())?;
        let below = root.strip_prefix("/").map_err(|_| Errno::INVAL)?;
        let root = open(top.as_fd(), below, LOOK | OFlags::DIRECTORY)?;
        let seen = File::from(open(root.as_fd(), relative, LOOK)?);
        let looked = seen.metadata()?;
        let kind = looked.file_type();
        let what = match () {
            () if kind.is_file() || kind.is_dir() => None,
            () if kind.is_fifo() => Some("a pipe"),
            () if kind.is_socket() => Some("a socket"),
            () if kind.is_block_device() || kind.is_char_device() => Some("a device"),
            () => return Err(Errno::LOOP.into()),
        };
        if let Some(what) = what {
            return Ok(Opened::Special(what));
        }
        if is_of_the_kernel(&seen) {
            return Ok(Opened::Special("a view of the system's own state"));
        }
        let file = File::from(open(root.as_fd(), relative, READ)?);
        let metadata = file.metadata()?;
        if (metadata.dev(), metadata.ino()) != (looked.dev(), looked.ino()) {
            return Err(Errno::STALE.into());
        }
        Ok(Opened::Readable(file, metadata))
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const LOOK: OFlags = OFlags::PATH.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
    // Where there is no such handle: not waiting for the other end of a pipe is the next best.
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const LOOK: OFlags = READ;

    const READ: OFlags =
        OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn beneath(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        let rules = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let named = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match openat2(dir, named, flags, Mode::empty(), rules) {
            // Before Linux 5.6, and in some sandboxes.
            Err(Errno::NOSYS | Errno::PERM) => step_by_step(dir, path, flags),
            // A rename elsewhere has disturbed it: it is no answer about this path.
            Err(Errno::AGAIN) => step_by_step(dir, path, flags),
            opened => opened,
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn beneath(dir: BorrowedFd<'_>, path: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
        step_by_step(dir, path, flags)
    }

    /// One name after the other, each refused where it is a link.
    pub(super) fn step_by_step(
        dir: BorrowedFd<'_>,
        path: &Path,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        let mut names: Vec<&OsStr> = Vec::new();
        for component in path.components() {
            match component {
                Component::Normal(name) => names.push(name),
                Component::CurDir => {}
                _ => return Err(Errno::XDEV),
            }
        }
        let Some((last, parents)) = names.split_last() else {
            return openat(dir, Path::new("."), flags, Mode::empty());
        };
        let mut at = openat(dir, Path::new("."), LOOK | OFlags::DIRECTORY, Mode::empty())?;
        for name in parents {
            at = openat(&at, *name, LOOK | OFlags::DIRECTORY, Mode::empty())?;
        }
        openat(&at, *last, flags, Mode::empty())
    }

    /// Files of `/proc` and `/sys` have no end, or show what belongs to the daemon: its environment,
    /// its open files.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn is_of_the_kernel(file: &File) -> bool {
        const PROC: u64 = 0x9fa0;
        const SYS: u64 = 0x6265_6572;
        let Ok(fs) = rustix::fs::fstatfs(file) else { return true };
        #[allow(clippy::unnecessary_cast, reason = "another type on other machines")]
        let kind = fs.f_type as u64 & 0xffff_ffff;
        matches!(kind, PROC | SYS)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn is_of_the_kernel(_: &File) -> bool {
        false
    }

    #[cfg(test)]
    mod tests {
        use std::os::unix::fs::symlink;

        use super::*;

        /// Both ways say the same about everything.
        #[test]
        fn step_by_step_is_no_weaker() {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap().join("root");
            std::fs::create_dir_all(root.join("a/b")).unwrap();
            std::fs::write(root.join("a/b/file"), "x").unwrap();
            std::fs::write(dir.path().join("secret"), "s").unwrap();
            symlink("..", root.join("a/up")).unwrap();
            symlink("b", root.join("a/same")).unwrap();
            symlink("../secret", root.join("out")).unwrap();
            let cases = [
                ("a/b/file", true),
                ("a/b", true),
                ("", true),
                ("a/same/file", false),
                ("a/same", false),
                ("a/up/a/b/file", false),
                ("out", false),
                ("../secret", false),
                ("/etc/passwd", false),
                ("a/b/file/x", false),
            ];
            for (path, good) in cases {
                let ways: [Open; 2] = [beneath, step_by_step];
                for way in ways {
                    let opened = open_with(&root, Path::new(path), way);
                    assert_eq!(opened.is_ok(), good, "{path}: {opened:?}");
                }
            }
            // Neither is a directory of the session that has become a link meanwhile.
            symlink(&root, dir.path().join("link")).unwrap();
            let real = dir.path().canonicalize().unwrap();
            for way in [beneath as Open, step_by_step] {
                assert!(open_with(&real.join("link"), Path::new("a/b/file"), way).is_err());
            }
        }
    }
}

/// Without handles that can only be looked at: what was opened must still be where it was.
#[cfg(windows)]
pub(super) fn open_beneath(root: &Path, relative: &Path) -> io::Result<Opened> {
    use std::os::windows::fs::OpenOptionsExt;
    use std::path::{Component, PathBuf};

    /// Without it directories cannot be opened.
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;

    // As the real path of it is written: `.` is part of none.
    let steps = relative.components().filter(|step| *step != Component::CurDir);
    let path: PathBuf = root.components().chain(steps).collect();
    let seen = path.symlink_metadata()?;
    if !seen.is_file() && !seen.is_dir() {
        return Ok(Opened::Special("a link or a device"));
    }
    let file = File::options().read(true).custom_flags(BACKUP_SEMANTICS).open(&path)?;
    let metadata = file.metadata()?;
    if dunce::canonicalize(&path)? != path {
        return Err(io::Error::other("it has become a link"));
    }
    Ok(Opened::Readable(file, metadata))
}
