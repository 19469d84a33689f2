//! The names in a directory and below it.

use std::fs::Metadata;
use std::path::Path;
use std::time::Instant;

use ignore::{DirEntry, WalkBuilder};

use super::CompletionLimits;

/// A longer name is of no use to anybody who types.
const LONGEST_PATH: usize = 1024;

/// How deep it is looked.
const DEEPEST: usize = 64;

/// A larger file of what is to be ignored is not one.
const LARGEST_RULES: u64 = 1 << 20;

/// Names, one after the other: a directory's ends in `/`.
#[derive(Debug, Default)]
pub(super) struct Index {
    text: String,
    /// Where each name ends in `text`, and whether something in it begins with a dot.
    ends: Vec<(u32, bool)>,
    is_truncated: bool,
}

impl Index {
    /// Looks through a directory. What cannot be read is left out.
    pub(super) fn of(root: &Path, limits: &CompletionLimits) -> Self {
        let mut index = Self::default();
        let mut walk = WalkBuilder::new(root);
        walk.hidden(false).require_git(false).follow_links(false).max_depth(Some(DEEPEST));
        // `.git` may be a file that leads anywhere, and be it to a pipe.
        walk.git_exclude(false);
        if !root.ancestors().all(may_enter) {
            // Without any of these no file is opened at all.
            walk.parents(false).ignore(false).git_ignore(false).git_global(false);
        }
        // So that what a limit cuts off is the same every time.
        walk.sort_by_file_name(|a, b| a.cmp(b));
        walk.filter_entry(|entry| entry.depth() == 0 || is_wanted(entry));
        let until = Instant::now() + limits.building;
        for entry in walk.build().flatten().filter(|entry| entry.depth() > 0) {
            if index.ends.len() >= limits.entries
                || index.text.len() + LONGEST_PATH > limits.bytes.min(u32::MAX as usize)
                || Instant::now() >= until
            {
                index.is_truncated = true;
                break;
            }
            index.add(root, &entry);
        }
        index.text.shrink_to_fit();
        index.ends.shrink_to_fit();
        index
    }

    fn add(&mut self, root: &Path, entry: &DirEntry) {
        let Ok(path) = entry.path().strip_prefix(root) else { return };
        // A name that is no text cannot be typed, and could not be asked for.
        let Some(path) = path.to_str().filter(|path| path.len() < LONGEST_PATH) else { return };
        if path.chars().any(char::is_control) {
            return;
        }
        self.text.push_str(path);
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            self.text.push('/');
        }
        let is_hidden = path.starts_with('.') || path.contains("/.");
        self.ends.push((u32::try_from(self.text.len()).unwrap_or(u32::MAX), is_hidden));
    }

    /// The names; those with a dot in front only where they are asked for.
    pub(super) fn names(&self, hidden: bool) -> Vec<&str> {
        let mut start = 0;
        let names = self.ends.iter().filter_map(|(end, is_hidden)| {
            let name = self.text.get(start..*end as usize);
            start = *end as usize;
            name.filter(|_| hidden || !is_hidden)
        });
        names.collect()
    }

    /// There are more names than these.
    pub(super) fn is_truncated(&self) -> bool {
        self.is_truncated
    }
}

fn is_wanted(entry: &DirEntry) -> bool {
    let Some(kind) = entry.file_type() else { return false };
    if kind.is_dir() {
        return entry.file_name() != ".git" && may_enter(entry.path());
    }
    // Pipes, sockets and devices can be read by nobody here.
    kind.is_file() || kind.is_symlink()
}

/// Whether looking through a directory cannot be made to wait: who opens a pipe that is called
/// `.gitignore` waits for ever.
fn may_enter(dir: &Path) -> bool {
    let fair = |metadata: Metadata| metadata.is_file() && metadata.len() <= LARGEST_RULES;
    let rules = [".gitignore", ".ignore"];
    rules.iter().all(|name| dir.join(name).metadata().map_or(true, fair))
}
