//! What holds in every play, whatever is played.

use std::collections::{BTreeMap, BTreeSet};

use pilothouse_session::event::{Body, PromptState, Status};
use pilothouse_session::id::{PromptId, TurnId};
use pilothouse_session::input::Transcript;
use pilothouse_session::{Effect, Event, Input, Session};
use pilothouse_wire::Inbound;
use serde_json::Value;

/// What was seen so far.
#[derive(Default)]
pub(crate) struct Laws {
    seq: u64,
    has_run: bool,
    /// Lines that were sent in this run.
    sent: u64,
    /// Requests of this run that may still be answered.
    open: BTreeSet<String>,
    answered: BTreeSet<String>,
    withdrawn: BTreeSet<String>,
    /// Prompts that were sent in this run.
    said: BTreeSet<String>,
    taken_up: BTreeSet<PromptId>,
    turns: BTreeMap<TurnId, bool>,
}

impl Laws {
    pub(crate) fn sent_in_run(&self) -> u64 {
        self.sent
    }

    pub(crate) fn before(&mut self, input: &Input) {
        match input {
            Input::Started { .. } => {
                self.has_run = true;
                self.sent = 0;
                self.open.clear();
                self.answered.clear();
                self.withdrawn.clear();
                self.said.clear();
            }
            Input::Line(frame) => match &frame.message {
                Inbound::ControlRequest(request) if self.has_run => {
                    self.open.insert(request.request_id.clone());
                }
                Inbound::ControlResponse(response) => {
                    // Requests that were open before a run was initialised anew.
                    let text = serde_json::to_value(&**response).expect("a response");
                    let pending = &text["response"]["pending_permission_requests"];
                    for request in pending.as_array().into_iter().flatten() {
                        let id = request["request_id"].as_str().expect("an id");
                        self.open.insert(id.to_owned());
                    }
                }
                Inbound::ControlCancel(cancel) => {
                    self.withdrawn.insert(cancel.request_id.clone());
                }
                _ => {}
            },
            Input::Exited { .. } => self.has_run = false,
            // What the CLI has not written down it must be told again.
            Input::Looked(Transcript::Holds(known)) => {
                self.taken_up.retain(|prompt| known.contains(prompt));
            }
            Input::Looked(Transcript::Missing) => self.taken_up.clear(),
            _ => {}
        }
    }

    pub(crate) fn after(&mut self, input: &Input, effects: &[Effect], session: &Session) {
        self.order(input, effects);
        for effect in effects {
            match effect {
                Effect::Append(event) => self.event(event),
                Effect::Send { number, line } => self.line(*number, line),
                _ => {}
            }
        }
        assert_eq!(session.seq(), self.seq, "events are numbered without gaps");
        let waits = !session.approvals().is_empty();
        let says_so = session.status() == Status::AwaitingApproval;
        assert_eq!(waits, says_so, "the status tells whether something is open");
        if matches!(input, Input::Exited { .. }) {
            assert!(!waits, "nothing is open when the run has ended");
            assert!(self.turns.values().all(|settled| *settled), "every turn has settled");
        }
    }

    /// First what is stored, then the checkpoint, then what cannot be taken back.
    fn order(&self, input: &Input, effects: &[Effect]) {
        let rank = |effect: &Effect| match effect {
            Effect::Append(_) | Effect::Stream(_) => 0,
            Effect::Checkpoint => 1,
            _ => 2,
        };
        assert!(effects.is_sorted_by_key(rank), "{effects:?}");
        let is_line = matches!(input, Input::Line(_) | Input::Written { .. });
        let checkpoints = effects.iter().filter(|effect| **effect == Effect::Checkpoint).count();
        // Also lines for which the policy was asked have one.
        assert!(checkpoints <= 1 && (is_line || checkpoints == 1), "{effects:?}");
    }

    fn event(&mut self, event: &Event) {
        self.seq += 1;
        assert_eq!(event.seq, self.seq, "events are numbered without gaps");
        match (&event.body, event.turn) {
            (Body::TurnStarted { .. }, Some(turn)) => {
                assert!(self.turns.values().all(|settled| *settled), "one turn at a time");
                assert!(self.turns.insert(turn, false).is_none(), "a turn starts once");
            }
            (Body::Complete { .. }, Some(turn)) => {
                assert_eq!(self.turns.insert(turn, true), Some(false), "a turn settles once");
            }
            (Body::TurnStarted { .. } | Body::Complete { .. }, None) => panic!("{event:?}"),
            (Body::PromptUpdated { prompt, state: PromptState::TakenUp { .. } }, _) => {
                self.taken_up.insert(*prompt);
            }
            _ => {}
        }
        // Events are read back by clients in any language, so they must survive it.
        let text = serde_json::to_string(event).expect("an event");
        assert_eq!(serde_json::from_str::<Event>(&text).expect(&text), *event);
    }

    fn line(&mut self, number: u64, line: &[u8]) {
        self.sent += 1;
        assert_eq!(number, self.sent, "lines of a run are numbered without gaps");
        assert!(self.has_run, "nothing is written where nobody reads");
        let line: Value = serde_json::from_slice(line).expect("a line of JSON");
        match line["type"].as_str().expect("a type") {
            "control_response" => {
                let id = line["response"]["request_id"].as_str().expect("an id").to_owned();
                assert!(self.open.contains(&id), "{id} was asked in this run");
                assert!(!self.withdrawn.contains(&id), "{id} was withdrawn");
                assert!(self.answered.insert(id), "a request is answered once");
            }
            "user" => {
                let id = line["uuid"].as_str().expect("a prompt has an id").to_owned();
                let prompt = PromptId::parse(&id).expect("an id");
                assert!(!self.taken_up.contains(&prompt), "{id} was heard already");
                assert!(self.said.insert(id), "a prompt is sent once in a run");
            }
            _ => {}
        }
    }
}
