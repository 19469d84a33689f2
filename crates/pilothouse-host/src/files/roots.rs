//! The directories of a session, and how a path is kept inside them.
//!
//! A path is looked up in two steps. First it is resolved, with whatever links it has, and must come
//! out inside one of the directories. Then what came out is opened from that directory downwards,
//! and this time no link is followed at all: whoever puts a link there between the two steps gets
//! nothing opened. From then on only what is open is used, never the name again.

use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use super::FileError;
use super::open::{Opened, open_beneath};
use crate::open_files::is_exhausted;

/// The directories that a session works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The working directory first. Each as it is spelled, and as it really is.
    dirs: Vec<Root>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    spelled: PathBuf,
    real: PathBuf,
}

/// Something in a session's directories, open.
#[derive(Debug)]
pub struct Inside {
    root: PathBuf,
    relative: PathBuf,
    asked: String,
    file: File,
    kind: InsideKind,
    size: u64,
    modified: Option<SystemTime>,
}

/// What it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsideKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
}

impl Roots {
    /// The working directory of a session, and the directories that were added to it. Of these, one
    /// that is not there now, such as that of a disk that is away, does not hide the others.
    pub fn new<P: AsRef<Path>>(
        cwd: impl AsRef<Path>,
        added: impl IntoIterator<Item = P>,
    ) -> Result<Self, FileError> {
        let mut dirs = vec![Root::of(cwd.as_ref())?];
        for root in added.into_iter().filter_map(|dir| Root::of(dir.as_ref()).ok()) {
            if !dirs.iter().any(|known| known.real == root.real) {
                dirs.push(root);
            }
        }
        Ok(Self { dirs })
    }

    /// The working directory, as it really is.
    pub fn cwd(&self) -> &Path {
        // There is always a first.
        self.dirs.first().map_or(Path::new("/"), |root| &root.real)
    }

    /// All directories as they really are, the working directory first.
    pub fn dirs(&self) -> impl Iterator<Item = &Path> {
        self.dirs.iter().map(|root| root.real.as_path())
    }

    /// Opens what `path` names: relative to the working directory, or absolute in one of the
    /// directories.
    ///
    /// Links may lead anywhere inside. Nothing outside is opened, and nothing is told about it, not
    /// even whether it is there. Pipes, devices and sockets are refused without being opened.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<Inside, FileError> {
        let path = path.as_ref();
        let asked = path.display().to_string();
        let wanted = self.locate(path).ok_or_else(|| FileError::outside(path))?;
        let real = match dunce::canonicalize(&wanted) {
            Ok(real) => real,
            Err(error) => return Err(self.unresolved(path, &wanted, error)),
        };
        let within = |root: &&Root| real.starts_with(&root.real);
        // The innermost, where one lies in another.
        let root = self.dirs.iter().filter(within).max_by_key(|root| root.real.as_os_str().len());
        let root = root.ok_or_else(|| FileError::outside(path))?;
        let relative = real.strip_prefix(&root.real).map_err(|_| FileError::outside(path))?;
        let opened = open_beneath(&root.real, relative).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => FileError::NotFound(asked.clone()),
            io::ErrorKind::PermissionDenied => FileError::unreadable(path, error),
            _ if is_exhausted(&error) => FileError::unreadable(path, error),
            // Something else is there than a moment ago.
            _ => FileError::outside(path),
        })?;
        let (file, metadata) = match opened {
            Opened::Readable(file, metadata) => (file, metadata),
            Opened::Special(what) => return Err(FileError::Special { path: asked, what }),
        };
        let kind = if metadata.is_dir() { InsideKind::Directory } else { InsideKind::File };
        Ok(Inside {
            root: root.real.clone(),
            relative: relative.to_owned(),
            asked,
            file,
            kind,
            size: metadata.len(),
            modified: metadata.modified().ok(),
        })
    }

    /// The absolute path that is meant, with `.` and `..` taken out; none where that alone leads
    /// outside. No file is looked at.
    fn locate(&self, path: &Path) -> Option<PathBuf> {
        let base = if path.is_absolute() { PathBuf::new() } else { self.cwd().to_owned() };
        let mut located = base;
        for component in path.components() {
            match component {
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                    located.push(component);
                }
                Component::CurDir => {}
                // Of the name, not of what a link leads to: that is what people mean, and what they
                // see in a list.
                Component::ParentDir => {
                    located.pop();
                }
            }
        }
        let inside = |root: &Root| located.starts_with(&root.real);
        if self.dirs.iter().any(inside) {
            return Some(located);
        }
        let spelled = self.dirs.iter().find_map(|root| {
            located.strip_prefix(&root.spelled).ok().map(|rest| root.real.join(rest))
        });
        spelled.filter(|_| path.is_absolute())
    }

    /// What to say about a path that cannot be resolved. A link in it is not followed for the
    /// answer: where it leads is none of the client's business.
    fn unresolved(&self, path: &Path, wanted: &Path, error: io::Error) -> FileError {
        let there = wanted.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok());
        let real = there.and_then(|there| dunce::canonicalize(there).ok());
        let is_inside = real.is_some_and(|real| self.dirs().any(|root| real.starts_with(root)));
        match error.kind() {
            _ if !is_inside => FileError::outside(path),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                FileError::NotFound(path.display().to_string())
            }
            _ => FileError::unreadable(path, error),
        }
    }
}

impl Root {
    fn of(dir: &Path) -> Result<Self, FileError> {
        let real = dunce::canonicalize(dir).ok().filter(|real| real.is_dir());
        let real = real.ok_or_else(|| FileError::NoDirectory(dir.to_owned()))?;
        Ok(Self { spelled: dir.to_owned(), real })
    }
}

impl Inside {
    /// Its name below the directory of the session that it is in; empty for that directory itself.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// The directory of the session that it is in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its real path when it was opened. To be shown, not to be opened again.
    pub fn path(&self) -> PathBuf {
        match self.relative.as_os_str().is_empty() {
            true => self.root.clone(),
            false => self.root.join(&self.relative),
        }
    }

    /// What it is.
    pub fn kind(&self) -> InsideKind {
        self.kind
    }

    /// Its size in bytes, when it was opened.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// When it was last changed.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// The regular file, open for reading from its beginning.
    pub fn into_file(self) -> Result<File, FileError> {
        match self.kind {
            InsideKind::File => Ok(self.file),
            InsideKind::Directory => Err(FileError::IsDirectory(self.asked)),
        }
    }

    /// The directory, open.
    pub(super) fn into_directory(self) -> Result<(File, PathBuf), FileError> {
        match self.kind {
            InsideKind::Directory => {
                let path = self.path();
                Ok((self.file, path))
            }
            InsideKind::File => Err(FileError::NotDirectory(self.asked)),
        }
    }
}
