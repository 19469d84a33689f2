//! The links of a whole transcript, without their content.
//!
//! Building it reads the file once, line by line, and keeps a few dozen bytes for each; the
//! content of those lines that are really wanted is read again by their place in the file. A
//! transcript of gigabytes therefore takes no more memory than its longest line and its links.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::entry::{Entry, Name, Names};
use super::files::{Lines, Span};
use super::line::Line;
use super::queued::Ledger;

/// The links of a transcript.
#[derive(Debug, Default)]
pub(super) struct Index {
    names: Names,
    /// In the order in which their uuids first appear.
    pub(super) entries: Vec<Entry>,
    /// For each entry, where its uuid last appears among all links.
    pub(super) position: Vec<usize>,
    by_uuid: HashMap<Name, usize>,
    links: usize,
    pub(super) ledger: Ledger,
}

impl Index {
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut index = Self::default();
        let mut lines = Lines::open(path)?;
        while let Some((span, bytes)) = lines.next_line()? {
            let text = String::from_utf8_lossy(bytes);
            if let Some(line) = Line::parse(&text) {
                index.add(&line, span);
            }
        }
        Ok(index)
    }

    /// Of links that are read already; names are not known.
    pub(super) fn of(entries: impl Iterator<Item = Entry>) -> Self {
        let mut index = Self::default();
        entries.for_each(|entry| index.push(entry));
        index
    }

    fn add(&mut self, line: &Line<'_>, span: Span) {
        let entry = Entry::read(line, span, &mut self.names);
        self.ledger.note(line, entry.as_ref(), &mut self.names);
        if let Some(entry) = entry {
            self.push(entry);
        }
    }

    /// A uuid that is there already is replaced in its place.
    pub(super) fn push(&mut self, entry: Entry) {
        match self.by_uuid.get(&entry.uuid) {
            Some(&slot) => {
                self.position[slot] = self.links;
                self.entries[slot] = entry;
            }
            None => {
                self.by_uuid.insert(entry.uuid, self.entries.len());
                self.position.push(self.links);
                self.entries.push(entry);
            }
        }
        self.links += 1;
    }

    /// Whether a message of this id is there, as it was sent or as it was stored.
    pub(super) fn has(&self, uuid: &str) -> bool {
        let Some(name) = self.names.get(uuid) else { return false };
        let sent_as = |entry: &Entry| entry.queued.as_ref().and_then(|queued| queued.source);
        self.by_uuid.contains_key(&name)
            || self.entries.iter().any(|entry| sent_as(entry) == Some(name))
    }

    pub(super) fn slot(&self, uuid: Name) -> Option<usize> {
        self.by_uuid.get(&uuid).copied()
    }
}
