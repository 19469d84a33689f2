//! A recorded conversation through the machine.
//!
//! A wire log has what the CLI wrote and what a host wrote to it, maybe another host than this one.
//! What the host wrote is read backwards: from a line to the command that would have caused it. The
//! lines that the machine itself would write are not sent anywhere; only their request ids matter,
//! since the recorded answers bear those of the recording.

use std::collections::HashMap;

use bytes::Bytes;
use jiff::Timestamp;
use pilothouse_wire::control::cli::{ElicitationAction, ElicitationResult};
use pilothouse_wire::control::{Answer, ControlResponse, HostRequest};
use pilothouse_wire::message::user::{Priority, UserFrame};
use pilothouse_wire::permission::{Allow, PermissionMode};
use pilothouse_wire::tool::user::AskUserQuestionInput;
use pilothouse_wire::{Frame, Inbound, Outbound, PermissionResult, PermissionUpdate, Raw};
use uuid::Uuid;

use crate::approval::{Approval, Decision, PlanChoice, QuestionReply, Subject, Suggestion};
use crate::command::{Command, Urgency};
use crate::effect::Effect;
use crate::event::{Exit, RunOrigin};
use crate::id::{CommandId, PromptId, RunId};
use crate::input::Input;
use crate::session::Session;

/// A session that is fed from a recording.
#[derive(Clone, Debug)]
pub struct Replay {
    session: Session,
    run: RunId,
    has_begun: bool,
    commands: u128,
    /// How the next run came to be, where that is known.
    origin: Option<RunOrigin>,
    /// From request ids of the recording to those of the machine.
    ids: HashMap<String, String>,
}

impl Replay {
    /// Feeds `session`.
    pub fn of(session: Session, run: RunId) -> Self {
        Self { session, run, has_begun: false, commands: 0, origin: None, ids: HashMap::new() }
    }

    /// The next run came to be like this. Lines do not tell a conversation that goes on from a copy.
    pub fn starts_as(&mut self, origin: RunOrigin) {
        self.origin = Some(origin);
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to be replaced by what it was written down as.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The CLI wrote a line.
    pub fn written_by_cli(&mut self, line: Bytes, at: Timestamp) -> Vec<Effect> {
        let mut effects = self.begin(None, at);
        let mut frame = Frame::decode(line);
        if let Inbound::ControlResponse(response) = &mut frame.message {
            self.rename(response);
        }
        effects.extend(self.handle(Input::Line(Box::new(frame)), at));
        effects
    }

    /// The host wrote a line.
    pub fn written_by_host(&mut self, line: &[u8], at: Timestamp) -> Vec<Effect> {
        let message = std::str::from_utf8(line)
            .ok()
            .and_then(|text| Raw::from_text(text).ok().and_then(|raw| raw.read::<Outbound>()));
        match message {
            Some(Outbound::User(prompt)) => {
                let mut effects = self.begin(None, at);
                let command = self.prompt(*prompt);
                effects.extend(self.command(command, at));
                effects
            }
            Some(Outbound::ControlRequest(request)) => {
                self.request(&request.request_id, request.request, at)
            }
            Some(Outbound::ControlResponse(response)) => self.decision(*response, at),
            _ => Vec::new(),
        }
    }

    /// The CLI has ended.
    pub fn ended(&mut self, exit: Exit, at: Timestamp) -> Vec<Effect> {
        self.has_begun = false;
        self.handle(Input::Exited { exit, stderr_tail: String::new() }, at)
    }

    fn handle(&mut self, input: Input, at: Timestamp) -> Vec<Effect> {
        let effects = self.session.handle(input, at);
        let sent = effects.iter().filter_map(|effect| match effect {
            Effect::Send { number, .. } => Some(*number),
            _ => None,
        });
        if let Some(number) = sent.max() {
            self.session.handle(Input::Written { number }, at);
        }
        effects
    }

    fn command(&mut self, command: Command, at: Timestamp) -> Vec<Effect> {
        self.commands += 1;
        let id = CommandId(Uuid::from_u128(self.commands));
        self.handle(Input::Command { id, command }, at)
    }

    /// Starts the run with the first line. A recording that does not begin with `initialize` is
    /// taken to have been initialised before.
    fn begin(&mut self, initialize: Option<&str>, at: Timestamp) -> Vec<Effect> {
        if self.has_begun {
            return Vec::new();
        }
        self.has_begun = true;
        let guess = || match self.session.cli_session() {
            Some(id) => RunOrigin::Resumed { cli_session: id.to_owned(), at: None },
            None => RunOrigin::New,
        };
        let origin = self.origin.take().unwrap_or_else(guess);
        let run = self.run;
        self.run = RunId(Uuid::from_u128(run.0.as_u128() + 1));
        let mut effects = self.handle(Input::Started { run, pid: None, origin }, at);
        let Some(id) = requested(&effects) else { return effects };
        match initialize {
            Some(recorded) => {
                self.ids.insert(recorded.to_owned(), id);
            }
            None => {
                let reply = ControlResponse::success(id, Raw::empty_object());
                let message = Inbound::ControlResponse(Box::new(reply));
                let frame = Frame { raw: Bytes::new(), message };
                effects.extend(self.handle(Input::Line(Box::new(frame)), at));
            }
        }
        effects
    }

    fn rename(&self, response: &mut ControlResponse) {
        let id = match &mut response.response {
            Answer::Success(success) => &mut success.request_id,
            Answer::Error(failure) => &mut failure.request_id,
            Answer::Unknown(_) => return,
        };
        if let Some(own) = self.ids.get(id) {
            own.clone_into(id);
        }
    }

    fn prompt(&mut self, frame: UserFrame) -> Command {
        self.commands += 1;
        let own = || PromptId(Uuid::from_u128(self.commands));
        let prompt = frame.uuid.as_deref().and_then(PromptId::parse).unwrap_or_else(own);
        let urgency = match frame.priority {
            Some(Priority::Now) => Urgency::Now,
            Some(Priority::Later) => Urgency::Later,
            _ => Urgency::Next,
        };
        let content = frame.message.content;
        Command::Prompt { prompt, content, attachments: Vec::new(), urgency }
    }

    fn request(&mut self, recorded: &str, request: HostRequest, at: Timestamp) -> Vec<Effect> {
        if matches!(request, HostRequest::Initialize(_)) && !self.has_begun {
            return self.begin(Some(recorded), at);
        }
        let mut effects = self.begin(None, at);
        let command = match request {
            HostRequest::Interrupt(request) => {
                Command::Interrupt { cancel_queued: request.cancel_queued == Some(true) }
            }
            HostRequest::SetPermissionMode(request) => Command::SetMode { mode: request.mode },
            HostRequest::SetModel(request) => {
                Command::SetModel { model: request.model.into_option() }
            }
            HostRequest::SetMaxThinkingTokens(request) => {
                Command::SetThinking { max_tokens: request.max_thinking_tokens.into_option() }
            }
            HostRequest::CancelAsyncMessage(request) => {
                match PromptId::parse(&request.message_uuid) {
                    Some(prompt) => Command::CancelPrompt { prompt },
                    None => Command::Request(Box::new(request.into())),
                }
            }
            other => Command::Request(Box::new(other)),
        };
        let caused = self.command(command, at);
        if let Some(id) = requested(&caused) {
            self.ids.insert(recorded.to_owned(), id);
        }
        effects.extend(caused);
        effects
    }

    fn decision(&mut self, response: ControlResponse, at: Timestamp) -> Vec<Effect> {
        let Answer::Success(success) = response.response else { return Vec::new() };
        let open = self.session.approval_named(&success.request_id);
        let (Some(open), Some(payload)) = (open, success.response) else { return Vec::new() };
        let Some(decision) = decision(&open, &payload) else { return Vec::new() };
        let approval = open.approval;
        self.command(Command::Decide { approval, decision, name: None, identity: None }, at)
    }
}

/// The id of the request that was made.
fn requested(effects: &[Effect]) -> Option<String> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send { line, .. } => {
            let raw = Raw::from_text(String::from_utf8_lossy(line)).ok()?;
            match raw.read()? {
                Outbound::ControlRequest(request) => Some(request.request_id),
                _ => None,
            }
        }
        _ => None,
    })
}

/// What somebody decided who wrote `payload`.
fn decision(open: &Approval, payload: &Raw) -> Option<Decision> {
    if matches!(open.subject, Subject::Elicitation { .. }) {
        let result: ElicitationResult = payload.read()?;
        return Some(match result.action {
            ElicitationAction::Accept => {
                Decision::Form { content: result.content.map(|raw| raw.to_value()) }
            }
            _ => Decision::Deny { message: None, stop: false },
        });
    }
    match payload.read()? {
        PermissionResult::Allow(allow) => Some(yes(open, allow)),
        PermissionResult::Deny(deny) => {
            let (message, stop) = (Some(deny.message), deny.interrupt == Some(true));
            Some(Decision::Deny { message, stop })
        }
        PermissionResult::Unknown(_) => None,
    }
}

fn yes(open: &Approval, allow: Allow) -> Decision {
    let updates = allow.updated_permissions.unwrap_or_default();
    match &open.subject {
        Subject::Question { .. } => {
            let input: AskUserQuestionInput = allow.updated_input.read().unwrap_or_default();
            let answers =
                input.answers.unwrap_or_default().into_iter().map(|(question, answer)| {
                    QuestionReply { question, answers: vec![answer], notes: None }
                });
            Decision::Answers { answers: answers.collect(), response: input.response }
        }
        Subject::Plan { .. } => match plan_choice(&updates) {
            Some(choice) => Decision::Plan { choice, plan: None, feedback: None },
            None => Decision::Allow { input: None, updates: Vec::new() },
        },
        Subject::Tool { input, .. } => {
            let edited = allow.updated_input.to_value();
            let input = (edited != *input).then_some(edited);
            let updates = updates.into_iter().map(Suggestion).collect();
            Decision::Allow { input, updates }
        }
        _ => Decision::Allow { input: None, updates: Vec::new() },
    }
}

fn plan_choice(updates: &[PermissionUpdate]) -> Option<PlanChoice> {
    updates.iter().find_map(|update| match update {
        PermissionUpdate::SetMode(set) if set.mode == PermissionMode::AcceptEdits => {
            Some(PlanChoice::AcceptEdits)
        }
        PermissionUpdate::SetMode(_) => Some(PlanChoice::ApproveByHand),
        _ => None,
    })
}
