//! What parallel tool calls leave off the chain, put back.
//!
//! A response with several tool calls is stored as one line for each block, chained one behind
//! the other, and each result follows the line of its own call. The next turn goes on from one
//! result only, so that walking up from there misses the other results, and the calls after the
//! one that was answered last. All of them are put behind the last line of their response that
//! is on the chain: first calls, then results, each in the order of their timestamps.

use std::collections::{HashMap, HashSet};

use super::chain::Parents;
use super::entry::{Entry, Kind, Name};
use super::index::Index;

/// The chain with everything that belongs to its responses.
pub(super) fn with_siblings(index: &Index, parents: &Parents, chain: Vec<usize>) -> Vec<usize> {
    // The last line of each response on the chain, responses in the order of the chain.
    let mut responses: Vec<Name> = Vec::new();
    let mut anchors: HashMap<Name, usize> = HashMap::new();
    for slot in &chain {
        if let Some(response) = index.entries[*slot].response
            && anchors.insert(response, *slot).is_none()
        {
            responses.push(response);
        }
    }
    if responses.is_empty() {
        return chain;
    }
    let family = Family::of(index, parents);
    let mut on_chain: HashSet<usize> = chain.iter().copied().collect();
    let answered: HashSet<Name> =
        chain.iter().flat_map(|slot| &index.entries[*slot].answers).copied().collect();
    let mut inserts: HashMap<usize, Vec<usize>> = HashMap::new();
    for response in responses {
        let missing = family.missing(index, parents, response, &on_chain, &answered);
        on_chain.extend(&missing);
        if let Some(anchor) = anchors.get(&response)
            && !missing.is_empty()
        {
            inserts.insert(*anchor, missing);
        }
    }
    let mut whole = Vec::with_capacity(on_chain.len());
    for slot in chain {
        whole.push(slot);
        whole.extend(inserts.remove(&slot).unwrap_or_default());
    }
    whole
}

/// Which lines belong together, over the whole transcript.
struct Family {
    members: HashMap<Name, Vec<usize>>,
    /// Which line made a call; `None` when two responses claim it.
    callers: HashMap<Name, Option<usize>>,
    /// The results that may belong to an assistant line.
    results: HashMap<usize, Vec<usize>>,
}

impl Family {
    fn of(index: &Index, parents: &Parents) -> Self {
        let entries = &index.entries;
        let mut family =
            Self { members: HashMap::new(), callers: HashMap::new(), results: HashMap::new() };
        for (slot, entry) in entries.iter().enumerate() {
            let Some(response) = entry.response else {
                continue;
            };
            family.members.entry(response).or_default().push(slot);
            for call in &entry.calls {
                let claim = family.callers.entry(*call).or_insert(Some(slot));
                *claim = claim
                    .filter(|caller| entries[*caller].response == Some(response))
                    .map(|_| slot);
            }
        }
        for (slot, entry) in entries.iter().enumerate() {
            let Some(parent) = parents.of(slot) else {
                continue;
            };
            if entry.kind != Kind::User || !entry.has_tool_result {
                continue;
            }
            let mut claimed_by: Vec<usize> = Vec::new();
            let mut claim = |owner: usize| {
                if !claimed_by.contains(&owner) {
                    claimed_by.push(owner);
                    family.results.entry(owner).or_default().push(slot);
                }
            };
            if let Some(parent) = index.slot(parent) {
                claim(parent);
            }
            let same_writer = |owner: &usize| entry.same_writer(&entries[*owner]);
            let source = entry.source_assistant.and_then(|uuid| index.slot(uuid));
            if let Some(source) = source.filter(same_writer) {
                claim(source);
            }
            for call in &entry.answers {
                if let Some(caller) = family.callers.get(call).copied().flatten()
                    && same_writer(&caller)
                {
                    claim(caller);
                }
            }
        }
        family
    }

    /// The lines of one response, and the results of its calls, that are not on the chain.
    fn missing(
        &self,
        index: &Index,
        parents: &Parents,
        response: Name,
        on_chain: &HashSet<usize>,
        answered: &HashSet<Name>,
    ) -> Vec<usize> {
        let entries = &index.entries;
        let members = self.members.get(&response).map(Vec::as_slice).unwrap_or_default();
        let mut siblings: Vec<usize> =
            members.iter().copied().filter(|slot| !on_chain.contains(slot)).collect();
        let member_set: HashSet<usize> = members.iter().copied().collect();
        let is_member = |slot: usize| member_set.contains(&slot);
        let follows_member = |slot: usize| {
            parents.of(slot).and_then(|parent| index.slot(parent)).is_some_and(is_member)
        };
        let mut collected = HashSet::new();
        let (mut results, mut strays): (Vec<usize>, Vec<usize>) = members
            .iter()
            .flat_map(|member| self.results.get(member).into_iter().flatten().copied())
            .filter(|result| !on_chain.contains(result) && collected.insert(*result))
            .partition(|result| follows_member(*result));
        // A result that hangs elsewhere counts only where a call would stay unanswered.
        strays.sort_unstable();
        let mut done: HashSet<Name> =
            results.iter().flat_map(|slot| &entries[*slot].answers).copied().collect();
        for stray in strays {
            let answers = &entries[stray].answers;
            let open = answers.iter().any(|call| {
                !answered.contains(call)
                    && !done.contains(call)
                    && self.callers.get(call).copied().flatten().is_some_and(is_member)
            });
            if open {
                done.extend(answers);
                results.push(stray);
            }
        }
        let by_time = |slot: &usize| -> &str { timestamp(&entries[*slot]) };
        siblings.sort_by(|a, b| by_time(a).cmp(by_time(b)));
        results.sort_by(|a, b| by_time(a).cmp(by_time(b)));
        siblings.extend(results);
        siblings
    }
}

fn timestamp(entry: &Entry) -> &str {
    &entry.timestamp
}
