//! What a few inputs have brought about: stored together, then shown, then carried out.

use std::sync::Arc;
use std::time::Instant;

use pilothouse_session::{Delta, Effect, Event};

use crate::hub::{Shown, What};
use crate::store::StoredEvent;

/// What is to be done, in this order: store, show, act.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// To be stored.
    pub(super) events: Vec<Event>,
    /// To be shown: pieces, and the places of events among them.
    shown: Vec<(Instant, Piece)>,
    /// The machine's state is to be stored as well.
    pub(super) has_checkpoint: bool,
    /// To be carried out when the rest is stored.
    pub(super) acts: Vec<Effect>,
}

#[derive(Debug)]
enum Piece {
    Event(u64),
    Delta(Delta),
}

impl Batch {
    pub(super) fn add(&mut self, effects: Vec<Effect>, read_at: Instant) {
        for effect in effects {
            match effect {
                Effect::Append(event) => {
                    self.shown.push((read_at, Piece::Event(event.seq)));
                    self.events.push(*event);
                }
                Effect::Stream(delta) => {
                    // Pieces that were read together need not be told apart.
                    if let Some((_, Piece::Delta(last))) = self.shown.last_mut()
                        && last.extend(&delta)
                    {
                        continue;
                    }
                    self.shown.push((read_at, Piece::Delta(delta)));
                }
                Effect::Checkpoint => self.has_checkpoint = true,
                act => self.acts.push(act),
            }
        }
    }

    pub(super) fn must_be_stored(&self) -> bool {
        self.has_checkpoint || !self.events.is_empty()
    }

    /// What can be shown, now that these events are stored. Those that were stored before, by a
    /// daemon that died, are not among them: whoever watches has read them from the store.
    pub(super) fn take_shown(&mut self, stored: Vec<StoredEvent>) -> Vec<Shown> {
        let mut stored = stored.into_iter().peekable();
        let mut show = |(read_at, piece)| {
            let what = match piece {
                Piece::Delta(delta) => What::Delta(Arc::new(delta)),
                Piece::Event(seq) => What::Event(stored.next_if(|event| event.seq == seq)?),
            };
            Some(Shown { read_at, what })
        };
        std::mem::take(&mut self.shown).into_iter().filter_map(&mut show).collect()
    }
}
