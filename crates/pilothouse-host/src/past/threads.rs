//! Weaves the transcripts of subagents into that of their session.
//!
//! Each subagent has a file of its own. What it said belongs after the call that started it, before
//! that call's result unless it runs in the background, and otherwise when it was said.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;
use pilothouse_client::history::SessionMessage;
use pilothouse_session::session::import::Kept;

use super::message::{self, Reading};

/// A message with its time.
pub(super) struct Stamped {
    pub(super) at: Timestamp,
    pub(super) kept: Kept,
}

/// A conversation, woven.
#[derive(Default)]
pub(super) struct Threads {
    /// By the call that starts them.
    to_come: HashMap<String, VecDeque<Stamped>>,
    begun: Vec<(String, VecDeque<Stamped>)>,
    now: Timestamp,
    woven: Vec<Stamped>,
}

impl Threads {
    /// A subagent that the call started.
    pub(super) fn subagent(&mut self, call: String, said: Vec<Stamped>) {
        self.to_come.entry(call).or_default().extend(said);
    }

    /// The next message of the session itself. Gives what is next in the whole.
    pub(super) fn main(&mut self, said: Stamped) -> Vec<Stamped> {
        while let Some(earliest) = self.earliest(Some(said.at)) {
            self.take(earliest);
        }
        self.take(said);
        std::mem::take(&mut self.woven)
    }

    /// What subagents said after the session's last message.
    pub(super) fn rest(&mut self) -> Vec<Stamped> {
        while let Some(earliest) = self.earliest(None) {
            self.take(earliest);
        }
        std::mem::take(&mut self.woven)
    }

    /// The earliest of what subagents say next, not after `until`.
    fn earliest(&mut self, until: Option<Timestamp>) -> Option<Stamped> {
        self.begun.retain(|(_, said)| !said.is_empty());
        let first = |(_, said): &&mut (String, VecDeque<Stamped>)| said.front().map(|said| said.at);
        let thread = self.begun.iter_mut().min_by_key(first)?;
        let next = thread.1.front()?.at;
        (until.is_none_or(|until| next <= until)).then(|| thread.1.pop_front()).flatten()
    }

    fn take(&mut self, mut said: Stamped) {
        let (made, ended) = message::calls(&said.kept);
        let goes_on = message::agent_of(&said.kept).is_some_and(|(_, goes_on)| goes_on);
        for call in ended.iter().filter(|_| !goes_on) {
            self.drain(call);
        }
        // Clocks of several files: what comes later is not told as earlier.
        said.at = said.at.max(self.now);
        self.now = said.at;
        self.woven.push(said);
        for call in made {
            if let Some(said) = self.to_come.remove(&call) {
                self.begun.push((call, said));
            }
        }
    }

    /// Everything that is left of the subagent of a call.
    fn drain(&mut self, call: &str) {
        while let Some(at) = self.begun.iter().position(|(name, _)| name == call) {
            let (_, said) = self.begun.swap_remove(at);
            for said in said {
                self.take(said);
            }
        }
    }
}

/// Messages as the machine can take them in; the number of those that cannot be read. What has no
/// time of its own was said with what came before.
pub(super) fn stamped(
    messages: &[SessionMessage],
    mut latest: Timestamp,
    mut each: impl FnMut(Stamped),
) -> u64 {
    let mut damaged = 0;
    for message in messages {
        let own = message.timestamp.as_deref().and_then(|text| text.parse().ok());
        latest = own.unwrap_or(latest);
        match message::read(message) {
            Reading::Kept(kept) => each(Stamped { at: latest, kept }),
            Reading::Nothing => {}
            Reading::Damaged => damaged += 1,
        }
    }
    damaged
}
