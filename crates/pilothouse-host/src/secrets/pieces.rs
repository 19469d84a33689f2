//! Redacts text that comes in pieces.
//!
//! A secret may lie across two pieces. Text that could be the beginning of one is held back until
//! the next piece shows whether it is; the event that ends the item has the whole text in any case.
//! Offsets count the text as it is shown.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use pilothouse_session::Delta;
use pilothouse_session::event::OpenItem;
use pilothouse_session::id::ItemId;

use super::Secrets;
use super::known::{Known, replace};

/// Items that are written at the same time. Older ones have ended.
const MOST_ITEMS: usize = 256;

/// The open items of a session.
#[derive(Debug, Default)]
pub(crate) struct Pieces(BTreeMap<ItemId, Piecewise>);

#[derive(Debug)]
struct Piecewise {
    /// As of the item's beginning: shown text never changes.
    known: Arc<Known>,
    /// Bytes of the item that were shown before any value was registered.
    before: usize,
    /// Bytes of the item that came so far.
    came: usize,
    /// Bytes that were shown so far.
    shown: usize,
    held: String,
}

impl Piecewise {
    fn new(known: Arc<Known>, before: usize) -> Self {
        Self { known, before, came: before, shown: before, held: String::new() }
    }

    /// Takes the next text; returns what can be shown of it and what was held back.
    fn push(&mut self, text: &str) -> String {
        self.came += text.len();
        self.held.push_str(text);
        let (cut, spans) = self.known.settled(&self.held);
        let out = replace(&self.held[..cut], &spans).into_owned();
        self.held.drain(..cut);
        self.shown += out.len();
        out
    }
}

impl Pieces {
    /// Begins with items that are half-written already.
    pub(crate) fn of(items: &[OpenItem], secrets: &Secrets) -> Self {
        let mut pieces = Self::default();
        let known = secrets.known();
        if !known.is_empty() {
            for item in items {
                let mut state = Piecewise::new(Arc::clone(&known), 0);
                state.push(&item.text);
                pieces.0.insert(item.item, state);
            }
        }
        pieces
    }

    /// A delta as it may be shown; none where all of it is held back.
    pub(crate) fn delta(&mut self, delta: Delta, secrets: &Secrets) -> Option<Delta> {
        if delta.offset == 0 {
            self.0.remove(&delta.item);
            while self.0.len() >= MOST_ITEMS {
                self.0.pop_first();
            }
        }
        let state = match self.0.entry(delta.item) {
            Entry::Occupied(place) => place.into_mut(),
            Entry::Vacant(place) => {
                let known = secrets.known();
                if known.is_empty() {
                    return Some(delta);
                }
                place.insert(Piecewise::new(known, delta.offset))
            }
        };
        // Lines that are read again bring text that came before.
        let again = state.came.saturating_sub(delta.offset);
        let text = delta.text.get(again..).filter(|text| !text.is_empty())?;
        let offset = state.shown;
        let text = state.push(text);
        (!text.is_empty()).then_some(Delta { offset, text, ..delta })
    }

    /// Open items with the text that was shown of them.
    pub(crate) fn open_items(&self, mut items: Vec<OpenItem>) -> Vec<OpenItem> {
        for item in &mut items {
            let Some(state) = self.0.get(&item.item) else { continue };
            let Some((before, text)) = item.text.split_at_checked(state.before) else { continue };
            let mut again = Piecewise::new(Arc::clone(&state.known), 0);
            item.text = format!("{before}{}", again.push(text));
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_session::event::DeltaKind;

    use super::*;

    fn secrets(values: &[&str]) -> Secrets {
        let secrets = Secrets::default();
        values.iter().for_each(|value| secrets.register(value).unwrap());
        secrets
    }

    fn delta(offset: usize, text: &str) -> Delta {
        Delta { item: ItemId(1), kind: DeltaKind::MessageChunk, offset, text: text.to_owned() }
    }

    fn open(text: &str) -> OpenItem {
        OpenItem {
            item: ItemId(1),
            kind: DeltaKind::MessageChunk,
            turn: None,
            parent_tool_call_id: None,
            tool_name: None,
            text: text.to_owned(),
        }
    }

    #[test]
    fn holds_back_the_beginning_of_a_secret() {
        let secrets = secrets(&["hunter2hunter2"]);
        let mut pieces = Pieces::default();
        let mut put = |offset, text| {
            pieces.delta(delta(offset, text), &secrets).map(|it| (it.offset, it.text))
        };
        assert_eq!(put(0, "it is hun"), Some((0, "it is ".to_owned())));
        assert_eq!(put(9, "ter2"), None);
        assert_eq!(put(13, "hunter2 and hunt"), Some((6, "[redacted] and ".to_owned())));
        assert_eq!(put(29, "ing"), Some((21, "hunting".to_owned())));
        // Read again after the loop began anew.
        assert_eq!(put(29, "ing."), Some((28, ".".to_owned())));
        let items = pieces.open_items(vec![open("it is hunter2hunter2 and hunting.")]);
        assert_eq!(items[0].text, "it is [redacted] and hunting.");
    }

    #[test]
    fn keeps_offsets_of_an_item_that_began_before_a_secret_was_known() {
        let secrets = secrets(&[]);
        let mut pieces = Pieces::default();
        assert_eq!(pieces.delta(delta(0, "hun"), &secrets), Some(delta(0, "hun")));
        secrets.register("hunter2hunter2").unwrap();
        assert_eq!(
            pieces.delta(delta(3, " x hunter2hunter2."), &secrets),
            Some(delta(3, " x [redacted]."))
        );
        assert_eq!(
            pieces.open_items(vec![open("hun x hunter2hunter2.")])[0].text,
            "hun x [redacted]."
        );
    }

    proptest::proptest! {
        /// However the text is cut, what is shown is the redacted text but for its held-back end.
        #[test]
        fn pieces_are_a_beginning_of_the_whole(
            values in proptest::collection::vec("[ab]{8,10}", 0..4),
            pieces in proptest::collection::vec("[abcä]{0,9}", 0..9),
        ) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let secrets = secrets(&values);
            let mut shown = String::new();
            let (mut states, mut whole) = (Pieces::default(), String::new());
            for piece in &pieces {
                if let Some(delta) = states.delta(delta(whole.len(), piece), &secrets) {
                    proptest::prop_assert_eq!(delta.offset, shown.len());
                    shown.push_str(&delta.text);
                }
                whole.push_str(piece);
                let open = states.open_items(vec![open(&whole)]);
                proptest::prop_assert_eq!(&open[0].text, &shown);
            }
            whole.push_str("..........");
            let redacted = secrets.known().redact(&whole).into_owned();
            proptest::prop_assert!(redacted.starts_with(&shown), "{shown} of {redacted}");
        }
    }
}
