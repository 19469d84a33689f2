//! From links to a conversation: which lines are said, in which order.
//!
//! A transcript is a tree, because rewinding starts a new branch and parallel tool calls fork.
//! The conversation is the branch that ends last in the file, from its root: links that a
//! compaction kept are first hung behind its summary, and what parallel calls left on side
//! branches is put back ([`super::siblings`]). `logicalParentUuid` is not followed: a summary
//! stands for everything before it.

use std::collections::{HashMap, HashSet};

use super::entry::{Kept, Name};
use super::index::Index;
use super::siblings::with_siblings;

/// A conversation put together.
#[derive(Debug)]
pub(super) struct Chain {
    /// Slots of the index, first said first.
    pub(super) slots: Vec<usize>,
    /// The last user or assistant entry.
    pub(super) leaf: Option<usize>,
    /// The end of the main branch it is on, when there is one.
    pub(super) end: Option<usize>,
    pub(super) parents: Parents,
}

/// What each entry follows, after relinking.
#[derive(Debug)]
pub(super) struct Parents(Vec<Option<Name>>);

impl Parents {
    /// As stored.
    pub(super) fn stored(index: &Index) -> Self {
        Self(index.entries.iter().map(|entry| entry.parent).collect())
    }

    /// With the links a compaction kept behind its summary.
    pub(super) fn relinked(index: &Index) -> Self {
        let mut parents = Self::stored(index);
        let compactions: Vec<&Kept> = index
            .entries
            .iter()
            .filter_map(|entry| Some(&entry.boundary.as_ref()?.kept))
            .filter(|kept| **kept != Kept::Nothing)
            .collect();
        if compactions.is_empty() {
            return parents;
        }
        let mut children: HashMap<Name, Vec<usize>> = HashMap::new();
        for (slot, parent) in parents.0.iter().enumerate() {
            if let Some(parent) = parent {
                children.entry(*parent).or_default().push(slot);
            }
        }
        // Real transcripts move each entry a few times at most; a crafted one gets no more work
        // out of us than a multiple of its length.
        let mut moves_left = 64 * (index.entries.len() + 1024);
        for kept in compactions {
            let (anchor, first, last) = match kept {
                Kept::Nothing => continue,
                Kept::Messages { anchor, uuids } => {
                    let slots: Option<Vec<usize>> =
                        uuids.iter().map(|uuid| index.slot(*uuid)).collect();
                    let (Some(slots), Some(&first), Some(&last)) =
                        (slots, uuids.first(), uuids.last())
                    else {
                        continue;
                    };
                    let mut follows = *anchor;
                    for (uuid, slot) in uuids.iter().zip(slots) {
                        parents.0[slot] = Some(follows);
                        children.entry(follows).or_default().push(slot);
                        follows = *uuid;
                        moves_left = moves_left.saturating_sub(1);
                    }
                    (*anchor, first, last)
                }
                Kept::Segment { anchor, head, tail } => {
                    if let Some(slot) = index.slot(*head) {
                        parents.0[slot] = Some(*anchor);
                        children.entry(*anchor).or_default().push(slot);
                    }
                    (*anchor, *head, *tail)
                }
            };
            for slot in children.remove(&anchor).unwrap_or_default() {
                moves_left = moves_left.saturating_sub(1);
                // Lists are not cleaned when an entry moves away.
                if parents.0[slot] != Some(anchor) {
                    continue;
                }
                let to = if index.entries[slot].uuid == first { anchor } else { last };
                parents.0[slot] = Some(to);
                children.entry(to).or_default().push(slot);
            }
            if moves_left == 0 {
                break;
            }
        }
        parents
    }

    pub(super) fn of(&self, slot: usize) -> Option<Name> {
        self.0[slot]
    }

    fn parent_slot(&self, index: &Index, slot: usize) -> Option<usize> {
        self.0[slot].and_then(|parent| index.slot(parent))
    }

    /// An entry and everything before it, the entry last. Loops end the walk.
    pub(super) fn path_to(&self, index: &Index, leaf: usize) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut path = Vec::new();
        let mut current = Some(leaf);
        while let Some(slot) = current {
            if !seen.insert(slot) {
                break;
            }
            path.push(slot);
            current = self.parent_slot(index, slot);
        }
        path.reverse();
        path
    }

    /// The nearest user or assistant entry at or before `slot`.
    pub(super) fn said_before(&self, index: &Index, slot: usize) -> Option<usize> {
        self.nearest_said(index, slot, &mut HashSet::new())
    }

    /// The nearest user or assistant entry, from `slot` towards the root. Entries in `barren`
    /// lead to none, and what is found to lead to none is added.
    fn nearest_said(
        &self,
        index: &Index,
        slot: usize,
        barren: &mut HashSet<usize>,
    ) -> Option<usize> {
        let mut passed = HashSet::new();
        let mut current = Some(slot);
        while let Some(slot) = current {
            if barren.contains(&slot) || passed.contains(&slot) {
                break;
            }
            if index.entries[slot].kind.is_said() {
                return Some(slot);
            }
            passed.insert(slot);
            current = self.parent_slot(index, slot);
        }
        barren.extend(passed);
        None
    }
}

impl Chain {
    /// The conversation of a session.
    pub(super) fn of_session(index: &Index) -> Self {
        let parents = Parents::relinked(index);
        let main = main_leaf(index, &parents);
        let leaf = main.map(|(leaf, _)| leaf).or_else(|| any_leaf(index, &parents));
        Self { end: main.map(|(_, end)| end), ..Self::ending_at(index, parents, leaf) }
    }

    /// The conversation that ends with the last thing said in the file, whoever said it.
    pub(super) fn of_subagent(index: &Index) -> Self {
        let said = (0..index.entries.len()).filter(|slot| index.entries[*slot].kind.is_said());
        let leaf = said.max_by_key(|slot| index.position[*slot]);
        Self::ending_at(index, Parents::stored(index), leaf)
    }

    pub(super) fn ending_at(index: &Index, parents: Parents, leaf: Option<usize>) -> Self {
        let path = leaf.map(|leaf| parents.path_to(index, leaf)).unwrap_or_default();
        let slots = with_siblings(index, &parents, path);
        Self { slots, leaf, end: None, parents }
    }
}

/// The last thing said on the main branch that ends last in the file, and its end.
fn main_leaf(index: &Index, parents: &Parents) -> Option<(usize, usize)> {
    let entries = &index.entries;
    let followed: HashSet<Name> = (0..entries.len())
        .filter(|slot| entries[*slot].is_main())
        .filter_map(|slot| parents.of(slot))
        .collect();
    let mut ends: Vec<usize> = (0..entries.len())
        .filter(|slot| entries[*slot].is_main() && !followed.contains(&entries[*slot].uuid))
        .collect();
    ends.sort_by_key(|slot| std::cmp::Reverse(index.position[*slot]));
    let mut barren = HashSet::new();
    ends.into_iter().find_map(|end| Some((parents.nearest_said(index, end, &mut barren)?, end)))
}

/// For transcripts without a main branch: the last thing said on any.
fn any_leaf(index: &Index, parents: &Parents) -> Option<usize> {
    let entries = &index.entries;
    let followed: HashSet<Name> = (0..entries.len()).filter_map(|slot| parents.of(slot)).collect();
    let mut barren = HashSet::new();
    let leaves: Vec<usize> = (0..entries.len())
        .filter(|slot| !followed.contains(&entries[*slot].uuid))
        .filter_map(|end| parents.nearest_said(index, end, &mut barren))
        .collect();
    let last = |main_only: bool| {
        let of_main = |slot: &&usize| {
            let entry = &entries[**slot];
            !main_only || (!entry.sidechain && !entry.team && !entry.meta)
        };
        leaves.iter().filter(of_main).max_by_key(|slot| index.position[**slot]).copied()
    };
    last(true).or_else(|| last(false))
}
