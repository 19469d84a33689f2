//! The last things a session showed, and places in them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use pilothouse_session::Delta;
use tokio::sync::watch;

use crate::store::StoredEvent;

/// How much a tail holds, so that a watcher that is a little late need not read the store.
const MOST_ENTRIES: usize = 4096;
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// How many entries a tail has room for when it is empty.
const FEW: usize = 64;

/// Where the next entry would stand when none will come any more.
const OVER: u64 = u64::MAX;

/// Something that was shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// When the line that it came from was read.
    pub(crate) read_at: Instant,
    pub(crate) what: What,
}

/// An event that is stored, or a piece of an open item.
#[derive(Clone, Debug)]
pub(crate) enum What {
    Event(StoredEvent),
    Delta(Arc<Delta>),
}

impl What {
    fn weight(&self) -> usize {
        match self {
            Self::Event(event) => event.json.len(),
            Self::Delta(delta) => delta.text.len(),
        }
    }
}

/// What a session showed last. Holds nothing that everybody who watches has seen.
#[derive(Debug)]
pub(crate) struct Tail {
    entries: Mutex<Entries>,
    /// Where the next entry will stand.
    end: watch::Sender<u64>,
    /// Where the last event stands, and one more. Pieces alone wake nobody who rests.
    events_end: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Entries {
    /// Where the first entry stands.
    first: u64,
    shown: VecDeque<Shown>,
    bytes: usize,
    /// How many stand where, of those who watch.
    places: BTreeMap<u64, usize>,
}

impl Entries {
    fn end(&self) -> u64 {
        self.first + self.shown.len() as u64
    }

    fn push(&mut self, entry: Shown) {
        self.bytes += entry.what.weight();
        self.shown.push_back(entry);
        while self.shown.len() > MOST_ENTRIES || self.bytes > MOST_BYTES {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.shown.pop_front() {
            self.bytes -= oldest.what.weight();
            self.first += 1;
        }
    }

    fn enter(&mut self, place: u64) {
        *self.places.entry(place).or_default() += 1;
    }

    fn leave(&mut self, place: u64) {
        if let Entry::Occupied(mut there) = self.places.entry(place) {
            *there.get_mut() -= 1;
            if *there.get() == 0 {
                there.remove();
            }
        }
    }

    /// Lets go of what everybody has seen.
    fn tidy(&mut self) {
        let needed = self.places.first_key_value().map_or(u64::MAX, |(place, _)| *place);
        while self.first < needed && !self.shown.is_empty() {
            self.drop_oldest();
        }
        // After a burst, not for every few entries.
        if self.shown.is_empty() && self.shown.capacity() > FEW {
            self.shown.shrink_to(FEW);
        }
    }
}

impl Tail {
    pub(crate) fn new() -> Self {
        let (end, events_end) = (watch::Sender::new(0), watch::Sender::new(0));
        Self { entries: Mutex::default(), end, events_end }
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows something to everyone who watches.
    pub(crate) fn publish(&self, shown: impl IntoIterator<Item = Shown>) {
        let mut entries = self.entries();
        let mut events_end = None;
        for entry in shown {
            let is_event = matches!(entry.what, What::Event(_));
            entries.push(entry);
            if is_event {
                events_end = Some(entries.end());
            }
        }
        if entries.places.is_empty() {
            // The positions go on: who comes later must not take this place for an earlier one.
            entries.tidy();
        }
        let end = entries.end();
        drop(entries);
        self.end.send_if_modified(|known| *known != OVER && std::mem::replace(known, end) != end);
        if let Some(end) = events_end {
            self.events_end.send_replace(end);
        }
    }

    /// Nothing will be shown any more: everyone who watches is told.
    pub(crate) fn close(&self) {
        self.events_end.send_replace(OVER);
        self.end.send_replace(OVER);
    }

    /// Where the next entry will stand.
    pub(crate) fn end(&self) -> u64 {
        self.entries().end()
    }

    /// How many watch.
    pub(crate) fn watchers(&self) -> usize {
        self.entries().places.values().sum()
    }

    /// Watches from now on.
    pub(crate) fn watch(self: &Arc<Self>) -> Cursor {
        let (changes, events) = (self.end.subscribe(), self.events_end.subscribe());
        let mut entries = self.entries();
        let position = entries.end();
        entries.enter(position);
        drop(entries);
        Cursor { position, tail: Arc::clone(self), changes, events }
    }
}

/// A watcher's place in a tail.
#[derive(Debug)]
pub(crate) struct Cursor {
    tail: Arc<Tail>,
    position: u64,
    changes: watch::Receiver<u64>,
    events: watch::Receiver<u64>,
}

/// What came next is not there any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lagged;

impl Cursor {
    /// Goes to a place.
    pub(crate) fn move_to(&mut self, position: u64) {
        let tail = Arc::clone(&self.tail);
        self.stand(&mut tail.entries(), position);
    }

    /// Everything before this place has been seen.
    fn stand(&mut self, entries: &mut Entries, position: u64) {
        if position == self.position {
            return;
        }
        entries.leave(self.position);
        entries.enter(position);
        entries.tidy();
        self.position = position;
    }

    /// Goes to the end.
    pub(crate) fn move_to_end(&mut self) {
        let end = self.tail.end();
        self.move_to(end);
    }

    /// Up to `most` of what was shown since.
    pub(crate) fn take(&mut self, most: usize) -> Result<Vec<Shown>, Lagged> {
        let tail = Arc::clone(&self.tail);
        let mut entries = tail.entries();
        let Some(skip) = self.position.checked_sub(entries.first) else { return Err(Lagged) };
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        let taken: Vec<_> = entries.shown.iter().skip(skip).take(most).cloned().collect();
        let position = self.position + taken.len() as u64;
        self.stand(&mut entries, position);
        Ok(taken)
    }

    /// Waits until there is more than there was here; false when nothing will come any more.
    pub(crate) async fn wait(&mut self) -> bool {
        let position = self.position;
        // The tail, and with it the sender, is ours as well.
        let end = self.changes.wait_for(|end| *end > position).await;
        end.is_ok_and(|end| *end != OVER)
    }

    /// Waits until there is an event that was not there, however many pieces come meanwhile.
    pub(crate) async fn wait_for_event(&mut self) {
        let position = self.position;
        let _ = self.events.wait_for(|end| *end > position).await;
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        let mut entries = self.tail.entries();
        entries.leave(self.position);
        entries.tidy();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn event(seq: u64, size: usize) -> Shown {
        let json = Bytes::from(vec![b'x'; size]);
        Shown { read_at: Instant::now(), what: What::Event(StoredEvent { seq, json }) }
    }

    fn seqs(shown: &[Shown]) -> Vec<u64> {
        let seq = |shown: &Shown| match &shown.what {
            What::Event(event) => event.seq,
            What::Delta(_) => 0,
        };
        shown.iter().map(seq).collect()
    }

    #[test]
    fn a_watcher_gets_what_comes_after_it_came() {
        let tail = Arc::new(Tail::new());
        tail.publish([event(1, 1)]);
        let mut cursor = tail.watch();
        assert_eq!(seqs(&cursor.take(10).unwrap()), [0u64; 0]);
        tail.publish([event(2, 1), event(3, 1), event(4, 1)]);
        assert_eq!(seqs(&cursor.take(2).unwrap()), [2, 3]);
        assert_eq!(seqs(&cursor.take(2).unwrap()), [4]);
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let tail = Arc::new(Tail::new());
        tail.publish((1..=9).map(|seq| event(seq, 1)));
        assert_eq!(tail.entries().shown.len(), 0);
        assert_eq!(tail.end(), 9);
        drop(tail.watch());
        tail.publish([event(10, 1)]);
        assert_eq!(tail.entries().shown.len(), 0);
        assert_eq!(tail.end(), 10);
    }

    #[test]
    fn what_everybody_has_seen_is_not_kept() {
        let tail = Arc::new(Tail::new());
        let (mut fast, mut slow) = (tail.watch(), tail.watch());
        tail.publish((1..=9).map(|seq| event(seq, 1)));
        fast.take(usize::MAX).unwrap();
        assert_eq!(tail.entries().shown.len(), 9);
        assert_eq!(seqs(&slow.take(4).unwrap()), [1, 2, 3, 4]);
        assert_eq!(tail.entries().shown.len(), 5);
        assert_eq!(tail.entries().bytes, 5);
        drop(slow);
        assert_eq!(tail.entries().shown.len(), 0);
        tail.publish([event(10, 1)]);
        assert_eq!(seqs(&fast.take(1).unwrap()), [10]);
    }

    #[test]
    fn who_is_too_slow_is_told_and_holds_up_nobody() {
        let tail = Arc::new(Tail::new());
        let (mut slow, mut fast) = (tail.watch(), tail.watch());
        let mut got = 0;
        for seq in 1..=3 * MOST_ENTRIES as u64 {
            tail.publish([event(seq, 1)]);
            got += fast.take(usize::MAX).unwrap().len();
        }
        assert_eq!(got, 3 * MOST_ENTRIES);
        assert!(matches!(slow.take(1), Err(Lagged)));
        assert_eq!(tail.entries().shown.len(), MOST_ENTRIES);
    }

    #[test]
    fn long_entries_are_few() {
        let tail = Arc::new(Tail::new());
        let _watcher = tail.watch();
        for seq in 1..=10 {
            tail.publish([event(seq, MOST_BYTES / 4)]);
        }
        assert_eq!(tail.entries().shown.len(), 4);
    }

    #[tokio::test]
    async fn who_rests_is_woken_by_events_alone() {
        let tail = Arc::new(Tail::new());
        let mut cursor = tail.watch();
        let piece = Delta {
            item: pilothouse_session::id::ItemId(1),
            kind: pilothouse_session::event::DeltaKind::MessageChunk,
            offset: 0,
            text: "a".to_owned(),
        };
        let what = What::Delta(Arc::new(piece));
        tail.publish([Shown { read_at: Instant::now(), what }]);
        {
            let mut rest = std::pin::pin!(cursor.wait_for_event());
            assert!(futures_util::poll!(rest.as_mut()).is_pending());
            tail.publish([event(1, 1)]);
            assert!(futures_util::poll!(rest.as_mut()).is_ready());
        }
        assert_eq!(cursor.take(10).unwrap().len(), 2);
    }

    #[tokio::test]
    async fn waiting_ends_with_the_next_entry() {
        let tail = Arc::new(Tail::new());
        let mut cursor = tail.watch();
        let other = Arc::clone(&tail);
        let told = tokio::spawn(async move {
            assert!(cursor.wait().await);
            cursor.take(1).unwrap().len()
        });
        other.publish([event(1, 1)]);
        assert_eq!(told.await.unwrap(), 1);
    }

    #[tokio::test]
    async fn who_waits_is_told_that_nothing_comes_any_more() {
        let tail = Arc::new(Tail::new());
        let mut cursor = tail.watch();
        tail.close();
        tail.publish([event(1, 1)]);
        assert!(!cursor.wait().await);
        assert!(!tail.watch().wait().await);
    }
}
