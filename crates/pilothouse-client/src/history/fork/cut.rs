//! Where a copy ends.
//!
//! Everything up to a message is not quite everything before it in the file: a compaction may be
//! half done there, or branches that were left may look like the end of the conversation.

use std::collections::HashSet;

use super::super::chain::{Chain, Parents};
use super::super::entry::{Boundary, Entry, Kept, Kind, Name};
use super::super::index::Index;
use super::LeftOut;
use super::source::{Item, Source};

/// Which items are copied.
#[derive(Debug)]
pub(super) struct Cut {
    /// Items from here on are not.
    pub(super) end: usize,
    /// Nor are these links.
    left_out: LeftOut,
    /// Compactions whose summary this is kept nothing, as far as the copy is concerned.
    pub(super) emptied: Option<Name>,
}

impl Cut {
    /// The whole conversation.
    pub(super) fn nothing(source: &Source) -> Self {
        Self { end: source.items.len(), left_out: LeftOut::new(), emptied: None }
    }

    /// Everything up to a message; `None` when there is no such message.
    pub(super) fn behind(source: &Source, message: &str) -> Option<Self> {
        let links: Vec<(usize, &Entry)> = source
            .items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| match item {
                Item::Link(entry) => Some((at, entry)),
                Item::Carried(_) | Item::Unknown { .. } => None,
            })
            .collect();
        let wanted = source.names.get(message)?;
        let at = find(&links, wanted)?;
        let last = links[at].1.uuid;
        let links = before_unfinished_compaction(&links[..=at]);
        let end = links.last().map_or(0, |(item, _)| item + 1);
        let emptied = Some(last);
        let entries = links.iter().map(|(_, entry)| as_copied(entry, emptied));
        Some(Self { end, left_out: branches_in_the_way(entries), emptied })
    }

    pub(super) fn leaves_out(&self, entry: &Entry) -> bool {
        self.left_out.contains(&entry.uuid)
    }
}

/// A message by its uuid, else a queued prompt by the uuid it was sent with.
fn find(links: &[(usize, &Entry)], wanted: Name) -> Option<usize> {
    let by_uuid = |wanted: Name| links.iter().position(|(_, entry)| entry.uuid == wanted);
    if let Some(at) = by_uuid(wanted) {
        return Some(at);
    }
    let sent_as = |entry: &Entry| entry.queued.as_ref().and_then(|queued| queued.source);
    // Of several copies, one in the conversation is meant.
    let index = Index::of(links.iter().map(|(_, entry)| (*entry).clone()));
    let chain = Chain::of_session(&index);
    let on_chain = chain.slots.iter().map(|slot| &index.entries[*slot]);
    match on_chain.into_iter().find(|entry| sent_as(entry) == Some(wanted)) {
        Some(entry) => by_uuid(entry.uuid),
        None => links.iter().position(|(_, entry)| sent_as(entry) == Some(wanted)),
    }
}

/// Ends the links before a boundary whose summary is not among them, and there with the last
/// message which that compaction took up.
fn before_unfinished_compaction<'a, 'e>(
    links: &'a [(usize, &'e Entry)],
) -> &'a [(usize, &'e Entry)] {
    let last_said = links.iter().rposition(|(_, entry)| entry.kind.is_said());
    let unfinished = links.iter().enumerate().find_map(|(at, (_, entry))| {
        let boundary = entry.boundary.as_ref().filter(|boundary| !boundary.rewound)?;
        (last_said.is_none_or(|said| at > said)).then_some((at, *entry, boundary))
    });
    let Some((at, entry, boundary)) = unfinished else {
        return links;
    };
    let before = &links[..at];
    let last_of =
        |uuids: &[Name]| before.iter().rposition(|(_, entry)| uuids.contains(&entry.uuid));
    let mut taken_up = Vec::new();
    if boundary.kept.anchor() != Some(entry.uuid) {
        taken_up = boundary.kept.named();
        taken_up.extend(entry.logical_parent);
    }
    let taken_up = last_of(&taken_up);
    // What an earlier compaction kept stands before its summary in the file, and after it in the
    // conversation.
    let summary = taken_up.and_then(|at| {
        let earlier = before.iter().rev().find_map(|(_, entry)| entry.boundary.as_ref())?;
        let kept_by_it = !earlier.rewound && earlier.kept.named().contains(&before[at].1.uuid);
        kept_by_it.then(|| last_of(&[earlier.kept.anchor()?]))?
    });
    let shorter = taken_up.max(summary).map_or(before, |at| &before[..=at]);
    let has_something = shorter.iter().any(|(_, entry)| entry.kind != Kind::Progress);
    if has_something { shorter } else { links }
}

/// A link as it will be in the copy.
fn as_copied(entry: &Entry, emptied: Option<Name>) -> Entry {
    let mut copied = entry.clone();
    copied.team = false;
    if let Some(Boundary { kept, rewound: false }) = &mut copied.boundary
        && kept.anchor() == emptied
    {
        *kept = Kept::Nothing;
    }
    copied
}

/// After so many branches we stop choosing which ones are really in the way.
const MOST_BRANCHES: usize = 64;

/// Links which would make a reader of the copy take another branch than the one that ends last.
fn branches_in_the_way(entries: impl Iterator<Item = Entry>) -> LeftOut {
    let entries: Vec<Entry> = entries.collect();
    let index = Index::of(entries.iter().cloned());
    let last = entries.last().and_then(|entry| index.slot(entry.uuid));
    let Some(last) = last else { return LeftOut::new() };
    let parents = Parents::relinked(&index);
    let leaf = parents.said_before(&index, last);
    let wanted = Chain::ending_at(&index, parents, leaf).slots;
    let Some(start) = wanted.first().map(|slot| index.position[*slot]) else {
        return LeftOut::new();
    };
    let stored = Parents::stored(&index);
    let live: HashSet<Name> = wanted
        .iter()
        .chain(std::iter::once(&last))
        .flat_map(|slot| stored.path_to(&index, *slot))
        .chain(wanted.iter().copied())
        .map(|slot| index.entries[slot].uuid)
        .collect();
    let is_dead =
        |slot: usize| !live.contains(&index.entries[slot].uuid) && index.position[slot] >= start;
    let wanted: HashSet<Name> = wanted.iter().map(|slot| index.entries[*slot].uuid).collect();

    let mut left_out = LeftOut::new();
    // A compaction on a dead branch would still move the messages it kept.
    for (slot, entry) in index.entries.iter().enumerate() {
        let Some(boundary) = &entry.boundary else { continue };
        if is_dead(slot) && !boundary.kept.named().iter().any(|uuid| live.contains(uuid)) {
            leave_out(&index, slot, &is_dead, &mut left_out);
        }
    }
    for _ in 0..MOST_BRANCHES {
        let remaining = entries.iter().filter(|entry| !left_out.contains(&entry.uuid)).cloned();
        let remaining = Index::of(remaining);
        let chain = Chain::of_session(&remaining);
        let seen = chain.slots.iter().map(|slot| remaining.entries[*slot].uuid);
        if seen.collect::<HashSet<Name>>() == wanted {
            return left_out;
        }
        let end = chain.end.and_then(|end| index.slot(remaining.entries[end].uuid));
        let Some(end) = end.filter(|end| is_dead(*end)) else { return left_out };
        leave_out(&index, end, &is_dead, &mut left_out);
    }
    let dead = (0..index.entries.len()).filter(|slot| is_dead(*slot));
    left_out.extend(dead.map(|slot| index.entries[slot].uuid));
    left_out
}

/// Leaves out a link, the dead links that lead to it, and everything that follows them.
fn leave_out(index: &Index, slot: usize, is_dead: &impl Fn(usize) -> bool, left_out: &mut LeftOut) {
    let mut current = Some(slot);
    while let Some(slot) = current.filter(|slot| is_dead(*slot)) {
        if !left_out.insert(index.entries[slot].uuid) {
            break;
        }
        current = index.entries[slot].parent.and_then(|parent| index.slot(parent));
    }
    for entry in &index.entries {
        if entry.parent.is_some_and(|parent| left_out.contains(&parent)) {
            left_out.insert(entry.uuid);
        }
    }
}
