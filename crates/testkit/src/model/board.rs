//! What the server's connections and the test share: requests seen, holds reached and released,
//! failures already given.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use super::recorded::Recorded;
use crate::script::Script;

#[derive(Debug)]
pub(super) struct Board {
    pub(super) fallback: Option<Script>,
    pub(super) requests: watch::Sender<Vec<Recorded>>,
    pub(super) holds: watch::Sender<Holds>,
    failures: Mutex<HashMap<FailureKey, u32>>,
}

#[derive(Debug, Default)]
pub(super) struct Holds {
    pub(super) reached: HashSet<String>,
    pub(super) released: HashSet<String>,
    pub(super) abandoned: HashSet<String>,
}

/// Which failure of which reply of which script.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FailureKey {
    pub(super) script: String,
    pub(super) reply: usize,
    pub(super) emission: usize,
}

impl Board {
    pub(super) fn new(fallback: Option<Script>) -> Self {
        Self {
            fallback,
            requests: watch::Sender::new(Vec::new()),
            holds: watch::Sender::new(Holds::default()),
            failures: Mutex::default(),
        }
    }

    pub(super) fn record(&self, request: Recorded) {
        self.requests.send_modify(|requests| requests.push(request));
    }

    /// Whether a failure that is to happen `times` is still due; each call counts.
    pub(super) fn is_due(&self, key: FailureKey, times: u32) -> bool {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let given = failures.entry(key).or_insert(0);
        let due = *given < times;
        *given = given.saturating_add(1);
        due
    }

    /// Waits at a hold. Dropping the future before it is done means that the client has hung up.
    pub(super) async fn hold(&self, name: &str) {
        let mut holds = self.holds.subscribe();
        self.holds.send_modify(|holds| {
            holds.reached.insert(name.to_owned());
        });
        let mut visit = Visit { board: self, name, over: false };
        // The sender lives in `self`: this cannot fail.
        let _ = holds.wait_for(|holds| holds.released.contains(name)).await.map(drop);
        visit.over = true;
    }
}

struct Visit<'a> {
    board: &'a Board,
    name: &'a str,
    over: bool,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.board.holds.send_modify(|holds| {
                holds.abandoned.insert(self.name.to_owned());
            });
        }
    }
}
