//! Puts uploaded files into a session's directory.
//!
//! Every step goes by the handle of the directory before it, never by a path from the top: a program
//! that replaces a directory by a link meanwhile cannot have a file written elsewhere.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::HostError;

/// Where uploaded files are put in a session's directory.
const UPLOADS: [&str; 2] = [".pilothouse", "uploads"];

/// The path of an uploaded file in a session's directory.
pub(super) fn path(cwd: &Path, name: &str) -> PathBuf {
    cwd.join(UPLOADS.iter().collect::<PathBuf>()).join(name)
}

/// Writes a file into the directory for uploads below `root`, whole or not at all. Version control is
/// told to leave it alone.
pub(super) fn write(root: &Path, name: &str, bytes: &[u8]) -> Result<(), HostError> {
    let root = dunce::canonicalize(root).map_err(HostError::upload(root))?;
    let mut dir = imp::Dir::at(&root).map_err(HostError::upload(&root))?;
    let mut shown = root;
    for step in UPLOADS {
        shown.push(step);
        dir = match dir.enter(step) {
            // A link of the project's may lead anywhere, also to another of its own directories.
            Err(error) if imp::is_no_directory(&error) => return Err(HostError::NoUploads(shown)),
            entered => entered.map_err(HostError::upload(&shown))?,
        };
    }
    let place = || {
        match dir.create(".gitignore", b"*\n") {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => created?,
        }
        let new = format!(".{}", uuid::Uuid::new_v4());
        let placed = dir.create(&new, bytes).and_then(|()| dir.rename(&new, name));
        if placed.is_err() {
            dir.remove(&new);
        }
        placed
    };
    place().map_err(HostError::upload(shown.join(name)))
}

#[cfg(unix)]
mod imp {
    use std::fs::File;
    use std::io::{self, Write};
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, renameat, unlinkat};
    use rustix::io::Errno;

    use crate::files::open_directory;

    /// An open directory.
    pub(super) struct Dir(OwnedFd);

    impl Dir {
        /// Opens a directory by its real path: a link in it is refused.
        pub(super) fn at(path: &Path) -> io::Result<Self> {
            open_directory(path).map(Self)
        }

        /// Opens a directory in this one; makes it if there is none.
        pub(super) fn enter(&self, name: &str) -> io::Result<Self> {
            match mkdirat(&self.0, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(Self(openat(&self.0, name, flags, Mode::empty())?))
        }

        /// Writes a new file.
        pub(super) fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
            let mode = Mode::from_raw_mode(0o666);
            File::from(openat(&self.0, name, flags, mode)?).write_all(bytes)
        }

        pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(renameat(&self.0, from, &self.0, to)?)
        }

        pub(super) fn remove(&self, name: &str) {
            let _ = unlinkat(&self.0, name, AtFlags::empty());
        }
    }

    pub(super) fn is_no_directory(error: &io::Error) -> bool {
        let errors = [Errno::NOTDIR, Errno::LOOP].map(Errno::raw_os_error);
        error.raw_os_error().is_some_and(|code| errors.contains(&code))
    }
}

/// Without handles of directories: each step is looked at before it is used.
#[cfg(not(unix))]
mod imp {
    use std::fs::File;
    use std::io::{self, ErrorKind, Write};
    use std::path::{Path, PathBuf};

    pub(super) struct Dir(PathBuf);

    impl Dir {
        pub(super) fn at(path: &Path) -> io::Result<Self> {
            Ok(Self(path.to_owned()))
        }

        pub(super) fn enter(&self, name: &str) -> io::Result<Self> {
            let path = self.0.join(name);
            match path.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => crate::private::dir(&path)?,
                Ok(found) if !found.is_dir() => return Err(ErrorKind::NotADirectory.into()),
                found => {
                    found?;
                }
            }
            Ok(Self(path))
        }

        pub(super) fn create(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
            File::create_new(self.0.join(name))?.write_all(bytes)
        }

        pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            std::fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(super) fn remove(&self, name: &str) {
            let _ = std::fs::remove_file(self.0.join(name));
        }
    }

    pub(super) fn is_no_directory(error: &io::Error) -> bool {
        error.kind() == ErrorKind::NotADirectory
    }
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::*;

    #[test]
    fn writes_the_file_once_and_hides_it_from_version_control() {
        let root = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            write(root.path(), "a.txt", b"text").unwrap();
        }
        assert_eq!(std::fs::read(path(root.path(), "a.txt")).unwrap(), b"text");
        assert_eq!(std::fs::read(path(root.path(), ".gitignore")).unwrap(), b"*\n");
        assert_eq!(std::fs::read_dir(path(root.path(), "")).unwrap().count(), 2);
    }

    #[test]
    fn writes_nothing_through_a_link_that_comes_and_goes() {
        for swapped in [".pilothouse", ".pilothouse/uploads"] {
            let root = tempfile::tempdir().unwrap();
            let outside = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(path(root.path(), "")).unwrap();
            let place = root.path().join(swapped);
            let link = root.path().join("link");
            // Where the whole path below it leads somewhere.
            std::fs::create_dir(outside.path().join("uploads")).unwrap();
            symlink(outside.path(), &link).unwrap();
            let done = AtomicBool::new(false);
            let mut written = 0;
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        renameat_with(CWD, &place, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                    }
                });
                for number in 0..2_000 {
                    let name = format!("{number}.txt");
                    written += u32::from(write(root.path(), &name, b"text").is_ok());
                }
                done.store(true, Ordering::Relaxed);
            });
            let files = |dir: &Path| {
                let entries = std::fs::read_dir(dir).unwrap().flatten();
                entries.filter(|entry| entry.path().is_file()).count()
            };
            let inner = outside.path().join("uploads");
            assert_eq!((files(outside.path()), files(&inner)), (0, 0), "{swapped}");
            assert!(written > 0, "no upload met the directory itself");
        }
    }
}
