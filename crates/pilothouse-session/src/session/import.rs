//! A conversation that the CLI has kept, as the events that it would have been here.
//!
//! What the CLI keeps is less than what it wrote when it ran: the messages are there, but no pieces of
//! them, no results of turns, no questions and no costs. Turns are told apart by their prompts, and a
//! turn whose last word is not the model's was lost. No run appears; the [`Session`] that comes out
//! rests, knows the conversation, and numbers on from there.
//!
//! Model and mode of old are not taken over: the model may be gone, and what somebody once allowed
//! was not allowed here.

use std::collections::BTreeMap;

use jiff::Timestamp;
use pilothouse_wire::message::{AssistantFrame, UserFrame};
use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::{Block, Content};

use super::meter::tokens;
use super::{Scope, Session, Setup};
use crate::command::Urgency;
use crate::effect::Effect;
use crate::event::{
    Body, Completion, Event, MessageOrigin, NoticeKind, NoticeLevel, Outcome, Tokens,
};
use crate::id::{PromptId, SessionId};

/// Why a prompt without an answer is past.
const UNANSWERED: &str = "the conversation was left before it was answered";

/// A thing that the CLI has kept of a conversation.
#[derive(Clone, Debug)]
pub enum Kept {
    /// Somebody has said something.
    Prompt {
        /// The CLI's id of the message.
        uuid: Option<String>,
        /// What.
        content: Content,
        /// When.
        moment: Moment,
    },
    /// Something in the user's place: results of tools, or what the CLI says.
    User(Box<UserFrame>),
    /// Blocks of an answer.
    Assistant(Box<AssistantFrame>),
    /// Somebody has stopped the turn. This is what the model reads about it.
    Interrupted(Box<UserFrame>),
    /// What came before was summarised.
    Compacted {
        /// `manual` or `auto`.
        trigger: Option<String>,
        /// Tokens before.
        before: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
    },
    /// The conversation has a title.
    Titled(String),
}

/// When a prompt was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It began a turn.
    Between,
    /// The turn that went on took it in.
    Within,
}

/// Takes a conversation in, message by message.
#[derive(Clone, Debug)]
pub struct Import {
    session: Session,
    /// The model that spoke last.
    model: Option<String>,
    turn: Tally,
}

/// What the open turn has come to so far.
#[derive(Clone, Debug, Default)]
struct Tally {
    began: Option<Timestamp>,
    latest: Option<Timestamp>,
    /// By the id of the answer: each of its blocks has the same numbers.
    tokens: BTreeMap<String, Tokens>,
    last: Last,
    /// The error of the API that nothing has come after.
    trouble: Option<(String, String)>,
}

/// The last word of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    /// The model was to speak next.
    #[default]
    Waiting,
    Answered,
    Stopped,
}

impl Import {
    /// A new session of ours for the conversation that the CLI calls `cli_session`, and that began
    /// at `began`.
    pub fn new(id: SessionId, setup: Setup, cli_session: &str, began: Timestamp) -> Self {
        let mut session = Session::new(id, setup);
        session.now = began;
        // So that entering plan mode is nothing new, and is not taken over.
        session.mode = Some(PermissionMode::Plan);
        session.conversation_is(cli_session);
        Self { session, model: None, turn: Tally::default() }
    }

    /// Takes the next thing, which was kept at `at`; gives the events that it is.
    pub fn take(&mut self, kept: Kept, at: Timestamp) -> Vec<Event> {
        self.session.now = at;
        match kept {
            Kept::Prompt { uuid, content, moment } => self.prompt(uuid, content, moment),
            Kept::User(frame) => self.user(*frame),
            Kept::Assistant(frame) => self.assistant(*frame),
            Kept::Interrupted(frame) => self.interrupted(*frame),
            Kept::Compacted { trigger, before, after } => {
                self.session.tell(Body::Compacted { trigger, before, after });
                self.session.meter.shrank(after);
                self.session.show_context();
            }
            Kept::Titled(title) => {
                self.session.tell_in(Scope::default(), Body::Renamed { title });
            }
        }
        self.turn.latest = Some(at);
        self.told()
    }

    /// That was all. Gives the session, which rests, and the last events.
    pub fn finish(mut self) -> (Session, Vec<Event>) {
        self.settle();
        self.session.close_calls(|_| true, "the conversation was left");
        self.session.mode = None;
        let events = self.told();
        (self.session, events)
    }

    /// The model that spoke last.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    fn prompt(&mut self, uuid: Option<String>, content: Content, moment: Moment) {
        if moment == Moment::Between {
            self.settle();
        }
        let prompt = uuid.as_deref().and_then(PromptId::parse);
        let prompt = prompt.filter(|prompt| !self.session.prompts.is_old(*prompt));
        // A name that is no UUID, or used twice, cannot be gone back to by any client.
        let prompt = prompt.unwrap_or_else(|| self.session.own_prompt_id());
        self.session.enqueue(prompt, content.into(), Urgency::Next, MessageOrigin::User);
        self.session.take_up(prompt);
        self.session.committed = uuid.or(self.session.committed.take());
        self.begun();
        self.turn.last = Last::Waiting;
    }

    fn user(&mut self, frame: UserFrame) {
        let is_main = frame.parent_tool_use_id.get().is_none();
        let has_results = frame
            .message
            .content
            .blocks()
            .iter()
            .any(|block| matches!(block, Block::ToolResult(_)));
        if is_main && !has_results && self.turn.last != Last::Waiting {
            // Between turns the CLI speaks for nobody's turn.
            self.settle();
        }
        self.session.user(frame);
        if is_main {
            // The output of a command of the CLI's own is all the answer there is.
            let is_message = |event: &Event| matches!(event.body, Body::Message { .. });
            let said = self.session.effects.last();
            let is_answer = matches!(said, Some(Effect::Append(event)) if is_message(event));
            self.turn.last = if is_answer { Last::Answered } else { Last::Waiting };
        }
    }

    fn interrupted(&mut self, frame: UserFrame) {
        if self.session.turns.current().is_none() {
            let text = frame.message.content.text();
            return self.session.notice(NoticeLevel::Info, NoticeKind::Informational, text);
        }
        self.session.turns.stopping();
        self.session.user(frame);
        self.turn.last = Last::Stopped;
    }

    fn assistant(&mut self, mut frame: AssistantFrame) {
        if frame.parent_tool_use_id.get().is_some() {
            return self.session.assistant(frame);
        }
        // They name prompts of the host that wrote them.
        frame.user_message_uuids.clear();
        let message = &frame.message;
        let model = message.model.as_deref().filter(|model| *model != "<synthetic>");
        if let (Some(_), Some(usage)) = (model, &message.usage) {
            let key = message.id.clone().unwrap_or_default();
            self.turn.tokens.insert(key, tokens(usage));
        }
        if let Some(model) = model.filter(|model| self.model.as_deref() != Some(*model)) {
            self.model = Some(model.to_owned());
            self.session.tell(Body::ModelChanged { model: model.to_owned() });
        }
        self.turn.trouble = frame.error.as_ref().map(|error| {
            let texts = message.content.iter().filter_map(Block::as_text);
            (error.as_str().to_owned(), texts.collect())
        });
        let calls = message.content.iter().any(|block| matches!(block, Block::ToolUse(_)));
        self.turn.last = if calls { Last::Waiting } else { Last::Answered };
        frame.error = None;
        if self.turn.trouble.is_some() {
            // Told as what the turn failed with, or not at all where it was overcome.
            self.session.working();
        } else {
            self.session.assistant(frame);
        }
        self.begun();
    }

    fn begun(&mut self) {
        self.turn.began = self.turn.began.or(Some(self.session.now));
    }

    /// The turn that is open, if one is, has come to its end when the last thing was said.
    fn settle(&mut self) {
        let tally = std::mem::take(&mut self.turn);
        if self.session.turns.current().is_none() {
            return;
        }
        let now = self.session.now;
        self.session.now = tally.latest.unwrap_or(now);
        let outcome = tally.outcome();
        self.session.end_open_work(match outcome {
            Outcome::Interrupted => "interrupted",
            _ => "no result",
        });
        if outcome == Outcome::Lost {
            self.session.lose_turn(UNANSWERED);
        } else {
            self.session.commit();
            self.session.show_context();
            if let Some((code, message)) = tally.trouble.clone() {
                self.session.tell(Body::Error { message, code: Some(code) });
            }
            self.session.settle(tally.completion(outcome), "");
        }
        self.session.now = now;
    }

    /// The events since the last time. Nothing else has effects on what is past.
    fn told(&mut self) -> Vec<Event> {
        let effects = std::mem::take(&mut self.session.effects).into_iter();
        let events = effects.filter_map(|effect| match effect {
            Effect::Append(event) => Some(*event),
            _ => None,
        });
        events.collect()
    }
}

impl Tally {
    fn outcome(&self) -> Outcome {
        match self.last {
            Last::Stopped => Outcome::Interrupted,
            _ if self.trouble.is_some() => Outcome::Failed,
            Last::Waiting => Outcome::Lost,
            Last::Answered => Outcome::Done,
        }
    }

    fn completion(self, outcome: Outcome) -> Completion {
        let mut sum = Tokens::default();
        for tokens in self.tokens.values() {
            sum.input = sum.input.saturating_add(tokens.input);
            sum.output = sum.output.saturating_add(tokens.output);
            sum.cache_creation = sum.cache_creation.saturating_add(tokens.cache_creation);
            sum.cache_read = sum.cache_read.saturating_add(tokens.cache_read);
        }
        let took = self.began.zip(self.latest).map(|(from, to)| to.duration_since(from));
        Completion {
            outcome,
            prompts: Vec::new(),
            total_cost_usd: None,
            tokens: sum,
            models: BTreeMap::new(),
            duration_ms: took.filter(|took| took.is_positive()).map(|took| took.as_millis_f64()),
            duration_api_ms: None,
            num_turns: None,
            last_message_uuid: None,
            reason: None,
            structured_output: None,
            denied_tool_call_ids: Vec::new(),
            queued_turns: None,
        }
    }
}
