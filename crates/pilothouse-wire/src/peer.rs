//! Which request is whose: correlation of control requests, both ways, without I/O.
//!
//! The host's requests wait here for their answers, each with whatever the caller attached to it.
//! The CLI's requests are noted until they are answered or withdrawn, so that each is handled once
//! and answered at most once. When the stream ends, everything that waits is handed back.

use std::collections::{HashMap, HashSet};

use crate::control::{Answer, ControlResponse};

/// Both sides' open requests. `T` is what a caller attaches to a request of its own.
#[derive(Debug)]
pub struct Peer<T> {
    next: u64,
    ours: HashMap<String, T>,
    theirs: HashSet<String>,
    ended: bool,
}

/// The stream has ended: no request can be made any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended;

/// What an answer was for.
#[derive(Clone, Debug, PartialEq)]
pub enum Match<T> {
    /// The request with this attached.
    Request(T, Answer),
    /// A request that is not open: never made, already answered, or withdrawn.
    Nothing(Answer),
}

/// What to do with a request of the CLI's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Handle it.
    New,
    /// It is being handled: a repeated `initialize` brings open requests again.
    Duplicate,
}

impl<T> Default for Peer<T> {
    fn default() -> Self {
        Self { next: 1, ours: HashMap::new(), theirs: HashSet::new(), ended: false }
    }
}

impl<T> Peer<T> {
    /// Nothing open.
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens a request of the host's and gives its id.
    pub fn open(&mut self, attached: T) -> Result<String, Ended> {
        if self.ended {
            return Err(Ended);
        }
        let id = format!("ph-{}", self.next);
        self.next += 1;
        self.ours.insert(id.clone(), attached);
        Ok(id)
    }

    /// Takes an answer of the CLI's.
    pub fn answered(&mut self, response: ControlResponse) -> Match<T> {
        let answer = response.response;
        match answer.request_id().and_then(|id| self.ours.remove(&*id)) {
            Some(attached) => Match::Request(attached, answer),
            None => Match::Nothing(answer),
        }
    }

    /// Gives up a request of the host's. An answer that still comes is for nothing.
    pub fn forget(&mut self, id: &str) -> Option<T> {
        self.ours.remove(id)
    }

    /// Whether a request of the host's waits for its answer.
    pub fn is_waiting(&self) -> bool {
        !self.ours.is_empty()
    }

    /// Notes a request of the CLI's.
    pub fn arrived(&mut self, id: &str) -> Arrival {
        if self.theirs.insert(id.to_owned()) { Arrival::New } else { Arrival::Duplicate }
    }

    /// Closes a request of the CLI's, because it is answered or withdrawn. False if it was not
    /// open: then there is nothing to send.
    pub fn close(&mut self, id: &str) -> bool {
        self.theirs.remove(id)
    }

    /// The CLI's open requests.
    pub fn open_requests(&self) -> impl Iterator<Item = &str> {
        self.theirs.iter().map(String::as_str)
    }

    /// The stream has ended: gives back what was attached to the host's open requests.
    pub fn end(&mut self) -> Vec<T> {
        self.ended = true;
        self.theirs.clear();
        self.ours.drain().map(|(_, attached)| attached).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raw::Raw;

    fn success(id: &str) -> ControlResponse {
        ControlResponse::success(id, Raw::empty_object())
    }

    #[test]
    fn answers_find_their_requests_in_any_order() {
        let mut peer = Peer::new();
        let first = peer.open("first").unwrap();
        let second = peer.open("second").unwrap();
        assert!(matches!(peer.answered(success(&second)), Match::Request("second", _)));
        assert!(matches!(peer.answered(success(&first)), Match::Request("first", _)));
    }

    #[test]
    fn an_answer_counts_once_and_only_for_an_open_request() {
        let mut peer = Peer::new();
        let id = peer.open(()).unwrap();
        assert!(matches!(peer.answered(success("other")), Match::Nothing(_)));
        assert!(matches!(peer.answered(success(&id)), Match::Request((), _)));
        assert!(matches!(peer.answered(success(&id)), Match::Nothing(_)));
        let id = peer.open(()).unwrap();
        assert_eq!(peer.forget(&id), Some(()));
        assert!(matches!(peer.answered(success(&id)), Match::Nothing(_)));
    }

    #[test]
    fn a_request_of_the_cli_is_handled_once_and_answered_at_most_once() {
        let mut peer = Peer::<()>::new();
        assert_eq!(peer.arrived("a"), Arrival::New);
        assert_eq!(peer.arrived("a"), Arrival::Duplicate);
        assert!(peer.close("a"));
        assert!(!peer.close("a"));
        assert_eq!(peer.arrived("a"), Arrival::New);
    }

    #[test]
    fn the_end_fails_everything_and_lets_nothing_new_begin() {
        let mut peer = Peer::new();
        peer.open(1).unwrap();
        peer.open(2).unwrap();
        peer.arrived("a");
        let mut waiting = peer.end();
        waiting.sort_unstable();
        assert_eq!(waiting, [1, 2]);
        assert_eq!(peer.open(3), Err(Ended));
        assert!(!peer.close("a"));
        assert_eq!(peer.end(), Vec::<i32>::new());
    }
}
