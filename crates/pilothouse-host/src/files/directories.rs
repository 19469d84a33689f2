//! Directories to choose from: where a session is to work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{EntryKind, entries};
use super::{FileError, InsideKind, Roots};

/// Which directories are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// Where: an absolute path.
    pub path: &'a str,
    /// How their names begin, in letters of any case.
    pub starts: &'a str,
    /// Those that begin with a dot.
    pub hidden: Hidden,
    /// How many.
    pub limit: usize,
}

/// What becomes of directories that begin with a dot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Hidden {
    /// They are left out, unless the beginning that is looked for has the dot.
    #[default]
    Omit,
    /// They come after all others.
    Last,
}

/// Directories in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Directories {
    /// The directory that they are in.
    pub path: String,
    /// The directory that it is in itself; none where that may not be looked into.
    pub parent: Option<String>,
    /// Their names.
    pub names: Vec<String>,
    /// There are more than these.
    pub truncated: bool,
    /// The directories below which one can look around.
    pub roots: Vec<String>,
}

impl Roots {
    /// The directories in a directory, without anything else that is in it. Links count where they
    /// lead to a directory that may be looked into.
    pub fn directories(&self, search: Search<'_>) -> Result<Directories, FileError> {
        let (handle, path) = self.resolve(search.path)?.into_directory()?;
        let unreadable = |error| FileError::unreadable(search.path.as_ref(), error);
        let (found, more) = entries(&handle, &path).map_err(unreadable)?;
        let starts = search.starts.to_lowercase();
        let with_hidden = search.hidden == Hidden::Last || starts.starts_with('.');
        let mut named: Vec<_> = found
            .into_iter()
            .filter(|entry| matches!(entry.kind, EntryKind::Directory | EntryKind::Link))
            .filter(|entry| with_hidden || !entry.name.starts_with('.'))
            .filter(|entry| entry.name.to_lowercase().starts_with(&starts))
            // One whose name is no text cannot be asked for.
            .filter(|entry| !entry.name.contains(char::REPLACEMENT_CHARACTER))
            .collect();
        named.sort_by_cached_key(|entry| (entry.name.starts_with('.'), entry.name.to_lowercase()));
        let leads_inside = |name: &str| {
            let led = self.resolve(path.join(name));
            led.is_ok_and(|led| led.kind() == InsideKind::Directory)
        };
        let usable = |entry: &super::DirEntry| {
            entry.kind == EntryKind::Directory || leads_inside(&entry.name)
        };
        // One more than is given, to know whether there are more.
        let one_more = search.limit.saturating_add(1);
        let mut names: Vec<_> =
            named.into_iter().filter(usable).map(|entry| entry.name).take(one_more).collect();
        let truncated = more || names.len() > search.limit;
        names.truncate(search.limit);
        let parent = path.parent().filter(|parent| self.dirs().any(|dir| parent.starts_with(dir)));
        Ok(Directories {
            parent: parent.map(|parent| parent.display().to_string()),
            path: path.display().to_string(),
            names,
            truncated,
            roots: self.dirs().map(|dir| dir.display().to_string()).collect(),
        })
    }
}
