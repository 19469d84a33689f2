//! Prompts: from the moment they are stored to the moment they are answered.
//!
//! A prompt is written to the CLI once; again only where a run has died and is known not to have
//! written it down. Which turn works on it the CLI says in one of four ways, by
//! its version: `command_lifecycle`, an echo, the uuids on the first frame of an answer, or not at
//! all; then it is the one that has waited longest.

use std::collections::BTreeMap;

use pilothouse_wire::message::other::{CommandLifecycle, CommandState};
use pilothouse_wire::message::user::{Origin, Priority, UserFrame};
use pilothouse_wire::{Content, Outbound};
use serde::{Deserialize, Serialize};

use super::{Scope, Session};
use crate::command::Urgency;
use crate::effect::Effect;
use crate::event::{Attachment, Body, MessageOrigin, PromptState};
use crate::id::{PromptId, TurnId};
use crate::policy::RealPaths;

/// The prompts that are not past.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Prompts {
    last: u64,
    /// In the order in which they came.
    waiting: BTreeMap<u64, Prompt>,
    /// Those that a run had heard when it died, until it is known what it has written down.
    aside: BTreeMap<u64, Prompt>,
    /// The last ones that are past, so that none is taken twice.
    past: std::collections::VecDeque<PromptId>,
}

/// How many past prompts are remembered.
const PAST: usize = 1024;

/// How many wait at most. All of them are part of the state, which is stored again and again.
const MOST_WAITING: usize = 100;

/// How many bytes they may have together.
const MOST_BYTES: usize = 64 << 20;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Prompt {
    id: PromptId,
    state: PromptState,
    /// Kept until it is past: it may have to be said again.
    said: Said,
    urgency: Urgency,
    is_own: bool,
    /// Where the files lead that it mentions, as they were resolved when it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    real: Option<RealPaths>,
}

/// What is said, and what goes along with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Said {
    pub(super) content: Content,
    pub(super) attachments: Vec<Attachment>,
}

impl From<Content> for Said {
    fn from(content: Content) -> Self {
        let attachments = content.blocks().iter().filter_map(Attachment::of).collect();
        Self { content, attachments }
    }
}

impl Said {
    /// In bytes, as it is in the state.
    fn size(&self) -> usize {
        struct Count(usize);
        impl std::io::Write for Count {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0 += bytes.len();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut count = Count(0);
        let _never_fails = serde_json::to_writer(&mut count, self);
        count.0
    }
}

impl Prompts {
    /// Whether it is known, waiting or past.
    pub(super) fn is_old(&self, id: PromptId) -> bool {
        let aside = || self.aside.values().any(|prompt| prompt.id == id);
        self.knows(id) || self.past.contains(&id) || aside()
    }

    /// Whether there is room for one more. For a single one there always is: how large that may be
    /// is not decided here.
    pub(super) fn have_room_for(&self, said: &Said) -> bool {
        let others = || self.waiting.values().chain(self.aside.values());
        let bytes = || others().map(|prompt| prompt.said.size()).sum::<usize>() + said.size();
        self.waiting.len() < MOST_WAITING && (others().next().is_none() || bytes() <= MOST_BYTES)
    }

    pub(super) fn knows(&self, id: PromptId) -> bool {
        self.waiting.values().any(|prompt| prompt.id == id)
    }

    pub(super) fn any_sent(&self) -> bool {
        self.first_sent().is_some()
    }

    /// Whether any has not been taken up.
    pub(super) fn any_unheard(&self) -> bool {
        let unheard =
            |state: &PromptState| matches!(state, PromptState::Queued | PromptState::Sent);
        self.waiting.values().any(|prompt| unheard(&prompt.state))
    }

    pub(super) fn first_sent(&self) -> Option<PromptId> {
        let sent = |prompt: &&Prompt| prompt.state == PromptState::Sent;
        self.waiting.values().find(sent).map(|prompt| prompt.id)
    }

    pub(super) fn of_turn(&self, turn: Option<TurnId>) -> Vec<PromptId> {
        let here = |prompt: &&Prompt| match prompt.state {
            PromptState::TakenUp { turn: its } => Some(its) == turn,
            _ => false,
        };
        let all = self.waiting.values().chain(self.aside.values());
        all.filter(here).map(|prompt| prompt.id).collect()
    }

    fn find(&mut self, id: PromptId) -> Option<&mut Prompt> {
        self.waiting.values_mut().find(|prompt| prompt.id == id)
    }

    pub(super) fn state(&self, id: PromptId) -> Option<&PromptState> {
        self.waiting.values().find(|prompt| prompt.id == id).map(|prompt| &prompt.state)
    }

    fn is_own(&self, id: PromptId) -> bool {
        self.waiting.values().any(|prompt| prompt.id == id && prompt.is_own)
    }

    /// What it says, while it is not past.
    pub(super) fn said(&self, id: PromptId) -> Said {
        let prompt = self.waiting.values().find(|prompt| prompt.id == id);
        prompt.map(|prompt| prompt.said.clone()).unwrap_or_default()
    }

    /// Sets aside what the CLI has heard: what was sent, and what this turn works on.
    pub(super) fn set_aside(&mut self, turn: Option<TurnId>) {
        let was_heard = |prompt: &Prompt| match prompt.state {
            PromptState::Sent => true,
            PromptState::TakenUp { turn: its } => Some(its) == turn,
            _ => false,
        };
        self.aside.extend(self.waiting.extract_if(.., |_, prompt| was_heard(prompt)));
    }

    pub(super) fn aside(&self) -> Vec<PromptId> {
        self.aside.values().map(|prompt| prompt.id).collect()
    }

    /// What was told of it already.
    pub(super) fn shown(&mut self, id: PromptId, state: PromptState) {
        if state.is_past() {
            self.forget(id);
        } else if let Some(prompt) = self.find(id) {
            prompt.state = state;
        }
    }

    /// Puts back what was set aside; gives what it is, and whether a turn worked on it.
    pub(super) fn put_back(&mut self) -> Vec<(PromptId, bool)> {
        let back = std::mem::take(&mut self.aside);
        let is_taken_up = |prompt: &Prompt| matches!(prompt.state, PromptState::TakenUp { .. });
        let names = back.values().map(|prompt| (prompt.id, is_taken_up(prompt))).collect();
        self.waiting.extend(back);
        names
    }

    fn with_state(&self, state: &PromptState) -> Vec<PromptId> {
        let such = self.waiting.values().filter(|prompt| prompt.state == *state);
        such.map(|prompt| prompt.id).collect()
    }

    fn forget(&mut self, id: PromptId) {
        self.waiting.retain(|_, prompt| prompt.id != id);
        self.past.push_back(id);
        if self.past.len() > PAST {
            self.past.pop_front();
        }
    }
}

impl Session {
    /// Takes a prompt in, and sends it if the CLI can hear it.
    pub(super) fn enqueue(
        &mut self,
        id: PromptId,
        said: Said,
        urgency: Urgency,
        origin: MessageOrigin,
    ) {
        let item = self.next_item();
        let (text, attachments) = (said.content.text(), said.attachments.clone());
        let is_own = origin == MessageOrigin::Host;
        let scope = Scope::default();
        let body = Body::UserMessage { prompt: Some(id), item, text, attachments, origin };
        self.tell_in(scope.clone(), body);
        self.prompts.last += 1;
        let state = PromptState::Queued;
        let real = self.real.clone().filter(|real| !real.is_empty());
        let prompt = Prompt { id, state: state.clone(), said, urgency, is_own, real };
        self.prompts.waiting.insert(self.prompts.last, prompt);
        self.tell_in(scope, Body::PromptUpdated { prompt: id, state });
        self.send_queued();
    }

    /// Sends what waits, as soon as there is a CLI to hear it.
    pub(super) fn send_queued(&mut self) {
        let can_hear = self.run.as_ref().is_some_and(|run| run.is_ready() && !run.is_stopping);
        if !can_hear || self.carry_out.is_some() {
            return;
        }
        // What the host has to say goes on with what came before, or is the plan for all the rest.
        let mut queued = self.prompts.with_state(&PromptState::Queued);
        queued.sort_by_key(|id| !self.prompts.is_own(*id));
        for id in queued {
            self.send_prompt(id);
        }
    }

    /// Sends a prompt, unless the policy has come to forbid what it mentions.
    fn send_prompt(&mut self, id: PromptId) {
        let Some(prompt) = self.prompts.find(id) else { return };
        let (text, real) = (prompt.said.content.text(), prompt.real.clone());
        if text.contains('@') && self.setup.policy.is_some() {
            // What was decided holds: see `consult`.
            self.effects.push(Effect::Checkpoint);
            if let Some(refusal) = self.denied_mention(&text, real.as_ref()) {
                let reason = refusal.to_string();
                return self.prompt_is(Scope::default(), id, PromptState::Failed { reason });
            }
        }
        let Some(prompt) = self.prompts.find(id) else { return };
        let content = prompt.said.content.clone();
        let mut frame = UserFrame::prompt(id.to_string(), content);
        frame.priority = match prompt.urgency {
            Urgency::Next => None,
            // It would withdraw what is open.
            Urgency::Now if !self.approvals.is_empty() => None,
            Urgency::Now => Some(Priority::Now),
            Urgency::Later => Some(Priority::Later),
        };
        if prompt.is_own {
            let kind = Some("auto-continuation".to_owned());
            frame.origin = Some(Box::new(Origin { kind, ..Origin::default() }));
        }
        if frame.priority == Some(Priority::Now) {
            self.turns.stopping();
        }
        self.send(&Outbound::User(Box::new(frame)));
        self.prompt_is(Scope::default(), id, PromptState::Sent);
    }

    /// Notes and tells what has become of a prompt.
    pub(super) fn prompt_is(&mut self, scope: Scope, id: PromptId, state: PromptState) {
        let Some(prompt) = self.prompts.find(id) else { return };
        if prompt.state == state {
            return;
        }
        prompt.state = state.clone();
        if state.is_past() {
            self.prompts.forget(id);
        }
        self.tell_in(scope, Body::PromptUpdated { prompt: id, state });
    }

    /// The current turn works on it; if there is none, one begins.
    pub(super) fn take_up(&mut self, id: PromptId) {
        let waits = matches!(self.prompts.state(id), Some(PromptState::Queued | PromptState::Sent));
        if !waits {
            return;
        }
        self.begin_turn(false);
        if let Some(turn) = self.turns.current() {
            self.prompt_is(self.here(), id, PromptState::TakenUp { turn });
        }
    }

    /// Whether the CLI tells what becomes of each prompt.
    pub(super) fn knows_lifecycle(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.tells_lifecycle)
    }

    pub(super) fn lifecycle(&mut self, frame: &CommandLifecycle) {
        if let Some(run) = &mut self.run {
            run.tells_lifecycle = true;
        }
        let id = frame.command_uuid.as_deref().and_then(PromptId::parse);
        let (Some(id), Some(state)) = (id, &frame.state) else { return };
        match state {
            CommandState::Started => self.take_up(id),
            CommandState::Cancelled | CommandState::Discarded => {
                self.prompt_is(Scope::default(), id, PromptState::Cancelled);
            }
            CommandState::Refused => {
                let reason = "the CLI refused it".to_owned();
                self.prompt_is(Scope::default(), id, PromptState::Failed { reason });
            }
            // A prompt is answered when its turn has settled.
            CommandState::Completed | CommandState::Queued | CommandState::Other(_) => {}
        }
    }

    /// What the CLI never took up waits again.
    pub(super) fn unsend(&mut self) {
        for id in self.prompts.with_state(&PromptState::Sent) {
            self.prompt_is(Scope::default(), id, PromptState::Queued);
        }
    }

    /// It is heard at once when there is a CLI to hear it.
    pub(super) fn hurry(&mut self, id: PromptId) {
        if let Some(prompt) = self.prompts.find(id) {
            prompt.urgency = Urgency::Now;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(mib: usize) -> Said {
        Content::from("x".repeat(mib << 20)).into()
    }

    /// Heard by a run or not, until it is past it is part of the state.
    #[test]
    fn only_so_much_can_wait() {
        let mut prompts = Prompts::default();
        assert!(prompts.have_room_for(&said(70)), "one always fits");
        let id = PromptId(uuid::Uuid::from_u128(1));
        let (state, urgency) = (PromptState::Sent, Urgency::Next);
        let prompt = Prompt { id, state, said: said(60), urgency, is_own: false, real: None };
        prompts.waiting.insert(1, prompt);
        assert!(prompts.have_room_for(&said(3)));
        assert!(!prompts.have_room_for(&said(4)));
        prompts.set_aside(None);
        assert!(prompts.waiting.is_empty());
        assert!(!prompts.have_room_for(&said(4)));
        prompts.put_back();
        prompts.forget(id);
        assert!(prompts.have_room_for(&said(4)));
    }
}
