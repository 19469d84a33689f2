//! A stage on which tests play the CLI, the clients and the clock, and on which the laws that hold
//! in every play are always watched.

#![allow(dead_code, reason = "each test uses its part of the stage")]
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

pub(crate) mod cli;
pub(crate) mod laws;
pub(crate) mod play;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use pilothouse_session::approval::Decision;
use pilothouse_session::command::Urgency;
use pilothouse_session::effect::Launch;
use pilothouse_session::event::{Exit, RunOrigin};
use pilothouse_session::id::{ApprovalId, CommandId, PromptId, RunId, SessionId};
use pilothouse_session::input::Transcript;
use pilothouse_session::session::Setup;
use pilothouse_session::{Command, Effect, Event, Input, Refusal, Session};
use pilothouse_wire::Frame;
use serde_json::Value;
use uuid::Uuid;

use laws::Laws;

/// What a client is told: the CLI's answer, or why not. `None` while it waits.
pub(crate) type Told = Option<Result<Value, Refusal>>;

/// A session with everything around it played.
pub(crate) struct Stage {
    pub(crate) session: Session,
    pub(crate) setup: Setup,
    pub(crate) events: Vec<Event>,
    /// What was written to the CLI, of all runs.
    pub(crate) sent: Vec<Value>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) stops: usize,
    /// The prompts that were looked for last.
    pub(crate) looked_for: Vec<PromptId>,
    /// All that was handed in, and when.
    pub(crate) inputs: Vec<(Input, Timestamp)>,
    replies: Vec<(CommandId, Result<Value, Refusal>)>,
    now: Timestamp,
    runs: u128,
    commands: u128,
    messages: u128,
    mark: usize,
    laws: Laws,
}

impl Stage {
    /// A session in which nothing has happened.
    pub(crate) fn dark(setup: Setup) -> Self {
        Self {
            session: Session::new(SessionId(Uuid::from_u128(1)), setup.clone()),
            setup,
            events: Vec::new(),
            sent: Vec::new(),
            launches: Vec::new(),
            stops: 0,
            looked_for: Vec::new(),
            inputs: Vec::new(),
            replies: Vec::new(),
            now: "2026-01-01T00:00:00Z".parse().expect("a time"),
            runs: 0,
            commands: 0,
            messages: 0,
            mark: 0,
            laws: Laws::default(),
        }
    }

    /// A session with a run that waits for the first prompt.
    pub(crate) fn ready() -> Self {
        Self::ready_with(Setup::default())
    }

    pub(crate) fn ready_with(setup: Setup) -> Self {
        let mut stage = Self::dark(setup);
        stage.start_command();
        stage.started();
        stage.introduces();
        stage
    }

    /// A session in which a turn works on prompt 1.
    pub(crate) fn working() -> Self {
        Self::working_with(Setup::default())
    }

    pub(crate) fn working_with(setup: Setup) -> Self {
        let mut stage = Self::ready_with(setup);
        stage.prompt(1, "Do it.");
        stage.init("default");
        stage
    }

    /// Hands something in, one second later.
    pub(crate) fn feed(&mut self, input: Input) -> Vec<Effect> {
        self.now += SignedDuration::from_secs(1);
        self.inputs.push((input.clone(), self.now));
        self.laws.before(&input);
        let effects = self.session.handle(input.clone(), self.now);
        self.laws.after(&input, &effects, &self.session);
        self.take(&effects);
        effects
    }

    /// The state, written down and read back.
    pub(crate) fn restore(&mut self) {
        let text = serde_json::to_string(&self.session).expect("a state that can be written");
        let session: Session = serde_json::from_str(&text).expect("a state that can be read");
        let again = serde_json::to_string(&session).expect("a state that can be written");
        assert_eq!(text, again, "a state reads as it was written");
        self.session = session.within(self.setup.clone());
    }

    fn take(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Append(event) => self.events.push((**event).clone()),
                Effect::Send { line, .. } => {
                    self.sent.push(serde_json::from_slice(line).expect("a line of JSON"));
                }
                Effect::Start(launch) => self.launches.push(launch.clone()),
                Effect::Stop => self.stops += 1,
                Effect::Look { prompts, .. } => self.looked_for = prompts.clone(),
                Effect::Reply { command, result } => {
                    let result = result.clone().map(|raw| raw.to_value());
                    self.replies.push((*command, result));
                }
                _ => {}
            }
        }
    }

    /// The CLI writes a line.
    pub(crate) fn line(&mut self, line: &Value) -> Vec<Effect> {
        let frame = Frame::decode(Bytes::from(line.to_string()));
        self.feed(Input::Line(Box::new(frame)))
    }

    /// A client asks for something.
    pub(crate) fn command(&mut self, command: Command) -> Told {
        self.commands += 1;
        let id = CommandId(Uuid::from_u128(self.commands));
        self.feed(Input::Command { id, command });
        self.reply_to(self.commands)
    }

    /// What the sender of the `number`th command was told.
    pub(crate) fn reply_to(&self, number: u128) -> Told {
        let id = CommandId(Uuid::from_u128(number));
        let mut replies = self.replies.iter().filter(|(command, _)| *command == id);
        let reply = replies.next().map(|(_, result)| result.clone());
        assert!(replies.next().is_none(), "a command is replied to once");
        reply
    }

    /// What the sender of the last command was told by now.
    pub(crate) fn last_reply(&self) -> Told {
        self.reply_to(self.commands)
    }

    pub(crate) fn prompt(&mut self, number: u128, text: &str) -> Told {
        self.prompt_with(number, text, Urgency::Next)
    }

    pub(crate) fn prompt_with(&mut self, number: u128, text: &str, urgency: Urgency) -> Told {
        let prompt = prompt_id(number);
        let content = text.into();
        self.command(Command::Prompt { prompt, content, attachments: Vec::new(), urgency })
    }

    pub(crate) fn decide(&mut self, approval: u64, decision: Decision) -> Told {
        let approval = ApprovalId(approval);
        let (name, identity) = (Some("Ada".to_owned()), None);
        self.command(Command::Decide { approval, decision, name, identity })
    }

    pub(crate) fn start_command(&mut self) -> Told {
        self.command(Command::Start(pilothouse_session::command::From::End))
    }

    /// The run that was asked for is there.
    pub(crate) fn started(&mut self) -> Vec<Effect> {
        self.runs += 1;
        let origin = self.launches.last().map_or(RunOrigin::New, |launch| launch.origin.clone());
        let run = RunId(Uuid::from_u128(self.runs));
        self.feed(Input::Started { run, pid: Some(7), origin })
    }

    /// All that was sent has reached the CLI.
    pub(crate) fn written(&mut self) {
        let number = self.laws.sent_in_run();
        self.feed(Input::Written { number });
    }

    pub(crate) fn exit(&mut self, code: i32, stderr: &str) -> Vec<Effect> {
        let exit = Exit { code: Some(code), signal: None };
        self.feed(Input::Exited { exit, stderr_tail: stderr.to_owned() })
    }

    pub(crate) fn killed(&mut self) -> Vec<Effect> {
        let exit = Exit { code: None, signal: Some(9) };
        self.feed(Input::Exited { exit, stderr_tail: String::new() })
    }

    /// With the holder everybody died who knew how the CLI has ended.
    pub(crate) fn holder_killed(&mut self) -> Vec<Effect> {
        self.feed(Input::Exited { exit: Exit::default(), stderr_tail: String::new() })
    }

    pub(crate) fn machine_stopped(&mut self) -> Vec<Effect> {
        self.feed(Input::MachineStopped);
        self.holder_killed()
    }

    /// The run that died had written down all that it was told.
    pub(crate) fn all_is_found(&mut self) {
        let prompts = std::mem::take(&mut self.looked_for);
        assert!(!prompts.is_empty(), "something is looked for");
        self.looked(Transcript::Holds(prompts));
    }

    pub(crate) fn looked(&mut self, transcript: Transcript) -> Vec<Effect> {
        self.feed(Input::Looked(transcript))
    }

    /// All events of a kind, as JSON.
    pub(crate) fn told(&self, kind: &str) -> Vec<Value> {
        of_kind(&self.events, kind)
    }

    /// The last event of a kind.
    pub(crate) fn last(&self, kind: &str) -> Value {
        self.told(kind).pop().unwrap_or_else(|| panic!("no {kind} in {:?}", kinds(&self.events)))
    }

    /// The kinds of the events since the last time this was asked.
    pub(crate) fn news(&mut self) -> Vec<String> {
        let news = kinds(&self.events[self.mark..]);
        self.mark = self.events.len();
        news
    }

    /// What the CLI was answered to a request.
    pub(crate) fn answer_to(&self, request: &str) -> Option<Value> {
        let mut answers = self.sent.iter().filter(|line| {
            line["type"] == "control_response" && line["response"]["request_id"] == request
        });
        answers.next().map(|line| line["response"].clone())
    }

    /// What the CLI was answered to a request, if it was a success.
    pub(crate) fn granted(&self, request: &str) -> Value {
        let answer = self.answer_to(request).unwrap_or_else(|| panic!("{request} has no answer"));
        assert_eq!(answer["subtype"], "success", "{answer}");
        answer["response"].clone()
    }

    /// The last request of the host's: its id and what it asks.
    pub(crate) fn requested(&self) -> (String, Value) {
        let is_request = |line: &&Value| line["type"] == "control_request";
        let line = self.sent.iter().rev().find(is_request).expect("a request of the host's");
        (line["request_id"].as_str().expect("an id").to_owned(), line["request"].clone())
    }

    /// The texts of the prompts that were written to the CLI.
    pub(crate) fn said(&self) -> Vec<String> {
        let prompts = self.sent.iter().filter(|line| line["type"] == "user");
        prompts.map(|line| text_of(&line["message"]["content"])).collect()
    }

    /// What became of a prompt, in order.
    pub(crate) fn fate(&self, prompt: u128) -> Vec<String> {
        let id = prompt_id(prompt).to_string();
        let mine = self.told("prompt_updated").into_iter().filter(|event| event["prompt"] == *id);
        mine.map(|event| event["state"]["kind"].as_str().expect("a state").to_owned()).collect()
    }
}

pub(crate) fn prompt_id(number: u128) -> PromptId {
    PromptId(Uuid::from_u128(0xF00D_0000 + number))
}

pub(crate) fn of_kind(events: &[Event], kind: &str) -> Vec<Value> {
    let events = events.iter().map(|event| serde_json::to_value(event).expect("an event"));
    events.filter(|event| event["type"] == kind).collect()
}

pub(crate) fn kinds(events: &[Event]) -> Vec<String> {
    let kind = |event: &Event| {
        let event = serde_json::to_value(event).expect("an event");
        event["type"].as_str().expect("a type").to_owned()
    };
    events.iter().map(kind).collect()
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        blocks => blocks[0]["text"].as_str().expect("a text").to_owned(),
    }
}
