//! One directory, as a client sees it.

use std::time::SystemTime;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FileError, Roots};

/// The most entries that are looked at.
const MOST: usize = 10_000;

/// What is in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirListing {
    /// The directory, absolute.
    pub path: String,
    /// Directories first, then by name.
    pub entries: Vec<DirEntry>,
    /// There are more than these.
    pub truncated: bool,
}

/// Something in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DirEntry {
    /// Its name. One that is no text has replacement characters in it and cannot be asked for.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes, of a file.
    pub size: Option<u64>,
    /// When it was last changed.
    pub modified_at: Option<Timestamp>,
}

/// What something in a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A link; where it leads is seen by asking for it.
    Link,
    /// A pipe, a socket, a device.
    Special,
}

impl Roots {
    /// What is in a directory: one level, at most `limit` entries.
    pub fn list(&self, dir: &str, limit: usize) -> Result<DirListing, FileError> {
        let (handle, path) = self.resolve(dir)?.into_directory()?;
        let unreadable = |error| FileError::unreadable(dir.as_ref(), error);
        let (mut entries, more) = entries(&handle, &path).map_err(unreadable)?;
        let rank =
            |entry: &DirEntry| (entry.kind != EntryKind::Directory, entry.name.to_lowercase());
        entries.sort_by_cached_key(rank);
        let truncated = more || entries.len() > limit;
        entries.truncate(limit);
        Ok(DirListing { path: path.display().to_string(), entries, truncated })
    }
}

/// What is in the open directory, in any order, and whether there is more.
#[cfg(unix)]
pub(super) fn entries(
    handle: &std::fs::File,
    _: &std::path::Path,
) -> std::io::Result<(Vec<DirEntry>, bool)> {
    use rustix::fs::{AtFlags, Dir, FileType, statat};
    let mut found = Vec::new();
    for entry in Dir::read_from(handle)? {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        if found.len() >= MOST {
            return Ok((found, true));
        }
        // One that has gone meanwhile.
        let Ok(stat) = statat(handle, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => EntryKind::Directory,
            FileType::RegularFile => EntryKind::File,
            FileType::Symlink => EntryKind::Link,
            _ => EntryKind::Special,
        };
        let size = (kind == EntryKind::File).then(|| u64::try_from(stat.st_size).unwrap_or(0));
        found.push(DirEntry {
            name: name.to_string_lossy().into_owned(),
            kind,
            size,
            modified_at: Timestamp::from_second(stat.st_mtime).ok(),
        });
    }
    Ok((found, false))
}

#[cfg(not(unix))]
pub(super) fn entries(
    _: &std::fs::File,
    path: &std::path::Path,
) -> std::io::Result<(Vec<DirEntry>, bool)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path)? {
        if found.len() >= MOST {
            return Ok((found, true));
        }
        let entry = entry?;
        let Ok(metadata) = entry.metadata() else { continue };
        let kind = match metadata.file_type() {
            kind if kind.is_dir() => EntryKind::Directory,
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_symlink() => EntryKind::Link,
            _ => EntryKind::Special,
        };
        found.push(DirEntry {
            name: entry.file_name().to_string_lossy().into_owned(),
            kind,
            size: metadata.is_file().then_some(metadata.len()),
            modified_at: metadata.modified().ok().and_then(timestamp),
        });
    }
    Ok((found, false))
}

/// A time of the file system, where it is one at all.
pub(super) fn timestamp(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}
