//! Prompts that were queued while a turn was running.
//!
//! They are stored as attachments. When the running turn took one in, that attachment is the only
//! place where the prompt is, so it is shown as a message; when it went on to start a turn of its
//! own, it is stored again as an ordinary prompt, and the attachment is not shown. Which of both
//! happened is told by a record in the transcript, else by what comes next: an answer or a prompt.

use std::collections::{HashMap, HashSet};

use super::chain::{Chain, Parents};
use super::entry::{Entry, Kind, Name, Names, TextSort};
use super::index::Index;
use super::line::Line;

/// How a link of the chain is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Appearance {
    AsStored,
    /// An attachment that stands for a prompt.
    QueuedPrompt,
    /// A slash command that ran, or what it printed: nothing the model answered.
    LocalCommand,
}

/// Whether generated prompts are shown: not in a session, but in a subagent's transcript, where
/// most are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generated {
    Hidden,
    Shown,
}

/// The chain with the prompts that hang behind its end, and how each link is to be shown.
pub(super) fn arrange(
    index: &Index,
    chain: &Chain,
    generated: Generated,
) -> Vec<(usize, Appearance)> {
    let mut slots = chain.slots.clone();
    let on_chain = slots.len();
    if generated == Generated::Hidden {
        slots.extend(trailing(index, chain));
    }
    let local = local_commands(index, &slots);
    let replied = replied(index, &chain.parents, &slots, &local);
    let recorded = index.ledger.recorded(index, &slots);
    let mut uuids: HashSet<Name> = slots.iter().map(|slot| index.entries[*slot].uuid).collect();
    slots
        .iter()
        .enumerate()
        .map(|(at, slot)| {
            let entry = &index.entries[*slot];
            let taken_in = recorded.get(&at).copied().unwrap_or(replied[at] || at >= on_chain);
            let appearance = if local.contains(&at) {
                Appearance::LocalCommand
            } else if taken_in && is_new_prompt(entry, generated, &mut uuids) {
                Appearance::QueuedPrompt
            } else {
                Appearance::AsStored
            };
            (*slot, appearance)
        })
        .collect()
}

fn is_new_prompt(entry: &Entry, generated: Generated, uuids: &mut HashSet<Name>) -> bool {
    let Some(queued) = &entry.queued else {
        return false;
    };
    if !queued.showable || (queued.meta && generated == Generated::Hidden) {
        return false;
    }
    match queued.source {
        Some(source) if source != entry.uuid => uuids.insert(source),
        _ => true,
    }
}

/// For each link, whether the next thing that is either is an answer rather than a prompt.
fn replied(index: &Index, parents: &Parents, slots: &[usize], local: &HashSet<usize>) -> Vec<bool> {
    let mut replied = vec![false; slots.len()];
    let mut next_is_answer = false;
    for (at, slot) in slots.iter().enumerate().rev() {
        replied[at] = next_is_answer;
        let entry = &index.entries[*slot];
        let result =
            entry.kind == Kind::User && entry.has_tool_result && parents.of(*slot).is_some();
        let interruption = entry.text == TextSort::Interruption;
        if entry.kind == Kind::Assistant || result || interruption {
            next_is_answer = true;
        } else if entry.kind == Kind::User
            && !entry.meta
            && !entry.compact_summary
            && !local.contains(&at)
        {
            next_is_answer = false;
        }
    }
    replied
}

/// Places of slash commands and their output, which follow a caveat that says so.
fn local_commands(index: &Index, slots: &[usize]) -> HashSet<usize> {
    let mut places = HashSet::new();
    // A caveat waits for its command; output counts as long as a command is running.
    let (mut waiting, mut running) = (false, false);
    for (at, slot) in slots.iter().enumerate() {
        let entry = &index.entries[*slot];
        match (entry.kind, entry.text) {
            (Kind::Assistant, _) => (waiting, running) = (false, false),
            (Kind::User, TextSort::Caveat) if entry.meta => waiting = true,
            (Kind::User, _) if entry.meta => {}
            (Kind::User, sort) => {
                running = match sort {
                    TextSort::Command => waiting,
                    TextSort::Output => running,
                    _ => false,
                };
                waiting = false;
                if running {
                    places.insert(at);
                }
            }
            _ => {}
        }
    }
    places
}

/// Queued prompts behind the last thing said, which nothing has answered yet.
fn trailing(index: &Index, chain: &Chain) -> Vec<usize> {
    let Some(leaf) = chain.leaf else {
        return Vec::new();
    };
    let entries = &index.entries;
    if !entries.iter().any(|entry| entry.queued.is_some()) {
        return Vec::new();
    }
    let mut children: HashMap<Name, Vec<usize>> = HashMap::new();
    for (slot, entry) in entries.iter().enumerate().filter(|(_, entry)| !entry.kind.is_said()) {
        let relinked = chain.parents.of(slot);
        let stored = entry.parent.filter(|parent| Some(*parent) != relinked);
        for parent in relinked.into_iter().chain(stored) {
            children.entry(parent).or_default().push(slot);
        }
    }
    for siblings in children.values_mut() {
        siblings.sort_by(|a, b| entries[*a].timestamp.cmp(&entries[*b].timestamp));
    }
    let mut seen: HashSet<usize> = chain.slots.iter().copied().collect();
    let abandoned = abandoned(index, &seen);
    let mut found = Vec::new();
    let mut open = vec![leaf];
    while let Some(slot) = open.pop() {
        if slot != leaf {
            if !seen.insert(slot) {
                continue;
            }
            if entries[slot].queued.is_some() && !abandoned.contains(&slot) {
                found.push(slot);
            }
        }
        if let Some(siblings) = children.get(&entries[slot].uuid) {
            open.extend(siblings.iter().rev().filter(|slot| !seen.contains(slot)));
        }
    }
    found
}

/// What leads to something said on a branch that was left.
fn abandoned(index: &Index, on_chain: &HashSet<usize>) -> HashSet<usize> {
    let stored = Parents::stored(index);
    let parent = |slot: usize| stored.of(slot).and_then(|parent| index.slot(parent));
    let mut abandoned = HashSet::new();
    for (slot, entry) in index.entries.iter().enumerate() {
        if !entry.kind.is_said() || entry.sidechain || entry.team || on_chain.contains(&slot) {
            continue;
        }
        let mut current = parent(slot);
        while let Some(slot) = current {
            if on_chain.contains(&slot) || !abandoned.insert(slot) {
                break;
            }
            current = parent(slot);
        }
    }
    abandoned
}

/// What the transcript records about queued prompts that a running turn took in.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    taken_by_delivery: HashMap<Name, usize>,
    taken_by_source: HashMap<Name, usize>,
    /// The attachments of each delivery, in file order.
    deliveries: HashMap<Name, Vec<Name>>,
    delivered: HashSet<Name>,
    /// The attachment of each source as stored; `None` when two of them differ.
    sources: HashMap<Name, Option<Box<str>>>,
}

impl Ledger {
    pub(super) fn note(&mut self, line: &Line<'_>, entry: Option<&Entry>, names: &mut Names) {
        if line.is_type("queue-operation") {
            self.note_removal(line, names);
        }
        let Some(entry) = entry else { return };
        let Some(queued) = &entry.queued else { return };
        if let Some(delivery) = queued.delivery {
            if self.delivered.insert(entry.uuid) {
                self.deliveries.entry(delivery).or_default().push(entry.uuid);
            }
        } else if let (Some(source), Some(stored)) = (queued.source, line.get("attachment")) {
            let known = self.sources.entry(source).or_insert_with(|| Some(stored.raw().into()));
            if known.as_deref() != Some(stored.raw()) {
                *known = None;
            }
        }
    }

    fn note_removal(&mut self, line: &Line<'_>, names: &mut Names) {
        let is = |key, value| line.text(key).is_some_and(|own| own == value);
        if !is("operation", "remove") || !is("reason", "absorbed_mid_turn") {
            return;
        }
        if let Some(delivery) = line.non_empty("deliveryId") {
            *self.taken_by_delivery.entry(names.intern(&delivery)).or_default() += 1;
        } else if let Some(source) = line.text("commandUuid") {
            *self.taken_by_source.entry(names.intern(&source)).or_default() += 1;
        }
    }

    /// For those places where it is on record, whether the prompt there was taken in. Of several
    /// copies the last ones were.
    fn recorded(&self, index: &Index, slots: &[usize]) -> HashMap<usize, bool> {
        let mut recorded = HashMap::new();
        let mut left: HashMap<Name, usize> = self
            .taken_by_source
            .iter()
            .filter(|(source, _)| !matches!(self.sources.get(source), Some(None)))
            .map(|(source, count)| (*source, *count))
            .collect();
        for (at, slot) in slots.iter().enumerate().rev() {
            let entry = &index.entries[*slot];
            let Some(queued) = &entry.queued else {
                continue;
            };
            if let Some(delivery) = queued.delivery {
                if let Some(count) = self.taken_by_delivery.get(&delivery) {
                    let copies =
                        self.deliveries.get(&delivery).map(Vec::as_slice).unwrap_or_default();
                    let first_taken = copies.len().saturating_sub(*count);
                    recorded.insert(at, copies[first_taken..].contains(&entry.uuid));
                }
            } else if let Some(count) = queued.source.and_then(|source| left.get_mut(&source)) {
                recorded.insert(at, *count > 0);
                *count = count.saturating_sub(1);
            }
        }
        recorded
    }
}
