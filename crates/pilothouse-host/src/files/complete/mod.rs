//! Names for `@`, found by a few of their letters.
//!
//! Each directory has an index of its own, whatever number of sessions work in it. It is made by a
//! thread of its own when it is first asked for, and made anew, behind the answer, when it is asked
//! for and old. Indexes that nobody asks for go.

mod index;
mod rank;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Roots;
use index::Index;

/// The most names in one answer.
const MOST: usize = 200;

/// How much is kept, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompletionLimits {
    /// Names in one index.
    pub entries: usize,
    /// Bytes of names in one index.
    pub bytes: usize,
    /// Directories that have an index.
    pub indexes: usize,
    /// How long making an index may take.
    pub building: Duration,
    /// How old an index may be before it is made anew.
    pub fresh: Duration,
    /// How long a first answer waits for the index.
    pub patience: Duration,
}

impl Default for CompletionLimits {
    fn default() -> Self {
        Self {
            entries: 200_000,
            bytes: 24 << 20,
            indexes: 16,
            building: Duration::from_secs(20),
            fresh: Duration::from_secs(10),
            patience: Duration::from_secs(2),
        }
    }
}

/// Names that fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Completion {
    /// The best first.
    pub items: Vec<Candidate>,
    /// The directories are still being looked through; ask again.
    pub pending: bool,
    /// Some directory has more files than are looked at.
    pub truncated: bool,
}

/// A name that fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// What to write after `@`: relative to the working directory, absolute in other directories. A
    /// directory ends in `/`.
    pub path: String,
    /// It is a directory.
    pub directory: bool,
    /// Where the letters of the query stand in `path`: bytes of UTF-8, rising.
    pub positions: Vec<usize>,
    /// The greater the better; to be compared within one answer only.
    pub score: u32,
}

/// The indexes of all directories that sessions work in. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Completions {
    limits: CompletionLimits,
    slots: Arc<Mutex<HashMap<PathBuf, Arc<Slot>>>>,
}

/// The index of a directory, or the place for it.
#[derive(Debug)]
struct Slot {
    state: Mutex<State>,
    made: Condvar,
}

#[derive(Debug)]
struct State {
    index: Option<(Arc<Index>, Instant)>,
    is_building: bool,
    /// It was asked for anew while it was being made.
    is_outdated: bool,
    used: Instant,
}

impl Completions {
    /// No index yet.
    pub fn new(limits: CompletionLimits) -> Self {
        Self { limits, slots: Arc::default() }
    }

    /// The names that fit `query` best, at most `limit`. Without a query: what is in the working
    /// directory itself.
    ///
    /// Names that begin with a dot are found only by a query in which one begins with a dot.
    pub fn complete(&self, roots: &Roots, query: &str, limit: usize) -> Completion {
        let limit = limit.min(MOST);
        let query = rank::Query::of(query, roots);
        let mut answer = Completion::default();
        let until = Instant::now() + self.limits.patience;
        for (number, root) in roots.dirs().enumerate() {
            let slot = self.slot(root);
            let Some(index) = self.current(&slot, root, until) else {
                answer.pending = true;
                continue;
            };
            answer.truncated |= index.is_truncated();
            let shown_in = (number > 0).then_some(root);
            answer.items.extend(rank::best(&index, &query, shown_in, limit));
        }
        rank::sort(&mut answer.items);
        answer.items.truncate(limit);
        answer
    }

    /// The files have changed, as after a turn: the next answers come from a new index.
    pub fn outdated(&self, roots: &Roots) {
        for root in roots.dirs() {
            let slot = lock(&self.slots).get(root).cloned();
            if let Some(slot) = slot {
                let mut state = lock(&slot.state);
                state.is_outdated = state.is_building;
                if let Some((_, made)) = &mut state.index {
                    *made = made.checked_sub(self.limits.fresh).unwrap_or(*made);
                }
            }
        }
    }

    /// Makes the indexes of these directories anew and waits until they are there.
    pub fn warm(&self, roots: &Roots) {
        for root in roots.dirs() {
            let slot = self.slot(root);
            let mut state = lock(&slot.state);
            state.is_outdated = state.is_building;
            if !state.is_building {
                state.is_building = self.build(&slot, root);
            }
            while state.is_building {
                state = slot.made.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn slot(&self, root: &Path) -> Arc<Slot> {
        let mut slots = lock(&self.slots);
        if let Some(slot) = slots.get(root) {
            lock(&slot.state).used = Instant::now();
            return Arc::clone(slot);
        }
        while slots.len() >= self.limits.indexes.max(1) {
            let oldest = slots.iter().min_by_key(|(_, slot)| lock(&slot.state).used);
            let Some(oldest) = oldest.map(|(root, _)| root.clone()) else { break };
            slots.remove(&oldest);
        }
        let state =
            State { index: None, is_building: false, is_outdated: false, used: Instant::now() };
        let slot = Arc::new(Slot { state: Mutex::new(state), made: Condvar::new() });
        slots.insert(root.to_owned(), Arc::clone(&slot));
        slot
    }

    /// The index that is there, also an old one; the first one is waited for.
    fn current(&self, slot: &Arc<Slot>, root: &Path, until: Instant) -> Option<Arc<Index>> {
        let mut state = lock(&slot.state);
        let is_fresh = |made: &Instant| made.elapsed() < self.limits.fresh;
        let is_good = state.index.as_ref().is_some_and(|(_, made)| is_fresh(made));
        if !is_good && !state.is_building {
            state.is_building = self.build(slot, root);
        }
        while state.index.is_none() && state.is_building {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = slot.made.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.index.as_ref().map(|(index, _)| Arc::clone(index))
    }

    /// Makes the index in a thread; false where there is no thread to be had. Whoever calls it holds
    /// the slot's lock.
    fn build(&self, slot: &Arc<Slot>, root: &Path) -> bool {
        let (slot, root, limits) = (Arc::clone(slot), root.to_owned(), self.limits);
        let thread = std::thread::Builder::new().name("completions".to_owned());
        let started = thread.spawn(move || {
            let mut building = Building { slot: &slot, is_done: false };
            while !building.is_done {
                let index = Arc::new(Index::of(&root, &limits));
                let mut state = lock(&slot.state);
                state.index = Some((index, Instant::now()));
                building.is_done = !std::mem::take(&mut state.is_outdated);
                state.is_building = !building.is_done;
            }
        });
        started.is_ok()
    }
}

/// The thread that makes an index. When it ends, however it ends, nobody waits for it any more.
struct Building<'a> {
    slot: &'a Slot,
    is_done: bool,
}

impl Drop for Building<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            lock(&self.slot.state).is_building = false;
        }
        self.slot.made.notify_all();
    }
}

/// What is behind it is whole after every statement, so that a panic elsewhere has spoilt nothing.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
