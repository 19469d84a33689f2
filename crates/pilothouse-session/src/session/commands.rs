//! Commands of clients: refused at once, done at once, or asked of the CLI.

use pilothouse_wire::control::session::{
    CancelAsyncMessage, CancelReply, Interrupt, InterruptReply,
};
use pilothouse_wire::control::settings::{
    ApplyFlagSettings, ModelReply, PermissionModeReply, SetMaxThinkingTokens, SetModel,
    SetPermissionMode,
};
use pilothouse_wire::control::{Answer, ControlResponse, HostRequest, read_reply};
use pilothouse_wire::permission::PermissionMode;
use pilothouse_wire::{Nullable, Raw};
use serde::{Deserialize, Serialize};

use super::prompts::Said;
use super::{Scope, Session};
use crate::approval::Decider;
use crate::command::{Command, From, Refusal, Urgency};
use crate::effect::Effect;
use crate::event::{Body, ConversationReason, MessageOrigin, PromptState, Thinking};
use crate::id::{CommandId, PromptId};

/// What a request of the host's was for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Pending {
    Initialize,
    /// Of a run that was initialised before.
    Reinitialize(CommandId),
    Interrupt(CommandId),
    /// Before a run is ended: at the end of its input alone the CLI would finish the turn.
    Stopping,
    Mode(CommandId, PermissionMode),
    Model(CommandId, Option<String>),
    Thinking(CommandId, Thinking),
    CancelPrompt(CommandId, PromptId),
    /// With what it says, since the CLI tells of the cancelling first.
    SendNow(CommandId, PromptId, Said),
    Other(CommandId),
}

impl Pending {
    pub(super) fn command(&self) -> Option<CommandId> {
        match self {
            Self::Initialize | Self::Stopping => None,
            Self::Reinitialize(command)
            | Self::Interrupt(command)
            | Self::Mode(command, _)
            | Self::Model(command, _)
            | Self::Thinking(command, _)
            | Self::CancelPrompt(command, _)
            | Self::SendNow(command, _, _)
            | Self::Other(command) => Some(*command),
        }
    }
}

/// Whether a command is done, or waits for the CLI.
enum Progress {
    Done,
    Asked,
}

/// A setting that every run gets.
enum Setting {
    Mode(PermissionMode),
    Model(Option<String>),
    Thinking(Thinking),
}

impl Session {
    pub(super) fn command(&mut self, id: CommandId, command: Command) {
        match self.obey(id, command) {
            Ok(Progress::Asked) => {}
            Ok(Progress::Done) => self.reply(id, Ok(Raw::empty_object())),
            Err(refusal) => self.reply(id, Err(refusal)),
        }
    }

    fn reply(&mut self, command: CommandId, result: Result<Raw, Refusal>) {
        self.effects.push(Effect::Reply { command, result });
    }

    fn obey(&mut self, id: CommandId, command: Command) -> Result<Progress, Refusal> {
        match command {
            Command::Prompt { prompt, content, attachments, urgency } => {
                let said = match attachments.is_empty() {
                    true => Said::from(content),
                    false => Said { content, attachments },
                };
                self.prompt(prompt, said, urgency).map(|()| Progress::Done)
            }
            Command::CancelPrompt { prompt } => self.cancel_prompt(id, prompt),
            Command::SendNow { prompt } => self.send_now(id, prompt),
            Command::Interrupt { cancel_queued } => self.interrupt(id, cancel_queued),
            Command::Decide { approval, decision, name, identity } => {
                let by = Decider::Client { name, identity };
                self.decide(approval, decision, by).map(|()| Progress::Done)
            }
            Command::SetMode { mode } => {
                let request = SetPermissionMode { mode: mode.clone(), extra: Default::default() };
                self.set(request.into(), Pending::Mode(id, mode.clone()), Setting::Mode(mode))
            }
            Command::SetModel { model } => {
                let request = SetModel { model: model.clone().into(), ..SetModel::default() };
                self.set(request.into(), Pending::Model(id, model.clone()), Setting::Model(model))
            }
            Command::SetThinking { max_tokens } => {
                let max_thinking_tokens = Nullable::from(max_tokens);
                let request = SetMaxThinkingTokens { max_thinking_tokens, ..Default::default() };
                let thinking = Thinking { max_tokens, ..self.thinking.clone() };
                self.set_thinking(id, request.into(), thinking)
            }
            Command::SetEffort { effort } => {
                let settings = Raw::from(serde_json::json!({ "effortLevel": effort }));
                let request = ApplyFlagSettings { settings, extra: Default::default() };
                let thinking = Thinking { effort: Some(effort), ..self.thinking.clone() };
                self.set_thinking(id, request.into(), thinking)
            }
            Command::Start(from) => self.start(from).map(|()| Progress::Done),
            Command::Stop => self.stop().map(|()| Progress::Done),
            Command::Request(request) => {
                let again = matches!(*request, HostRequest::Initialize(_));
                let pending = if again { Pending::Reinitialize(id) } else { Pending::Other(id) };
                self.ask(*request, pending)
            }
        }
    }

    /// Asks the CLI.
    fn ask(&mut self, request: HostRequest, pending: Pending) -> Result<Progress, Refusal> {
        let run = self.run.as_ref().ok_or(Refusal::NotRunning)?;
        if !run.is_ready() || run.is_stopping {
            return Err(Refusal::NotReady);
        }
        self.request(request, pending);
        Ok(Progress::Asked)
    }

    /// Asks the CLI, or notes the wish for the next run where there is none.
    fn set(
        &mut self,
        request: HostRequest,
        pending: Pending,
        setting: Setting,
    ) -> Result<Progress, Refusal> {
        if self.run.is_some() {
            return self.ask(request, pending);
        }
        self.setting_is(setting);
        Ok(Progress::Done)
    }

    fn set_thinking(
        &mut self,
        id: CommandId,
        request: HostRequest,
        thinking: Thinking,
    ) -> Result<Progress, Refusal> {
        let pending = Pending::Thinking(id, thinking.clone());
        self.set(request, pending, Setting::Thinking(thinking))
    }

    fn setting_is(&mut self, setting: Setting) {
        match setting {
            Setting::Mode(mode) => self.mode_is(mode),
            Setting::Model(Some(model)) => self.model_is(model),
            // Which one that is the CLI tells with the next turn.
            Setting::Model(None) => self.model = None,
            Setting::Thinking(thinking) => {
                if self.thinking != thinking {
                    self.thinking = thinking.clone();
                    self.tell(Body::ThinkingChanged { thinking });
                }
            }
        }
    }

    fn prompt(&mut self, id: PromptId, said: Said, urgency: Urgency) -> Result<(), Refusal> {
        if self.prompts.is_old(id) {
            return Ok(());
        }
        if !self.prompts.have_room_for(&said) {
            return Err(Refusal::TooManyPrompts);
        }
        if let Some(refusal) = self.denied_mention(&said.content.text(), self.real.as_ref()) {
            return Err(refusal);
        }
        if urgency == Urgency::Now && !self.approvals.is_empty() {
            return Err(Refusal::ApprovalOpen);
        }
        match &mut self.run {
            None => self.launch(self.conversation(None)),
            Some(run) => run.is_missed |= run.is_stopping,
        }
        self.enqueue(id, said, urgency, MessageOrigin::User);
        Ok(())
    }

    fn start(&mut self, from: From) -> Result<(), Refusal> {
        if self.run.is_some() {
            return Err(Refusal::AlreadyRunning);
        }
        let at = match from {
            From::End => None,
            From::Message { uuid } => {
                self.committed = Some(uuid.clone());
                Some(uuid)
            }
            From::Scratch => {
                self.leave_conversation(ConversationReason::Cleared);
                None
            }
        };
        self.launch(self.conversation(at));
        Ok(())
    }

    fn stop(&mut self) -> Result<(), Refusal> {
        let run = self.run.as_mut().ok_or(Refusal::NotRunning)?;
        run.is_missed = false;
        self.carry_out = None;
        self.stop_run();
        Ok(())
    }

    fn cancel_prompt(&mut self, id: CommandId, prompt: PromptId) -> Result<Progress, Refusal> {
        match self.prompts.state(prompt) {
            Some(PromptState::Queued) => {
                self.prompt_is(Scope::default(), prompt, PromptState::Cancelled);
                Ok(Progress::Done)
            }
            Some(PromptState::Sent) => {
                self.ask(take_back(prompt), Pending::CancelPrompt(id, prompt))
            }
            _ => Err(Refusal::PromptNotWaiting { prompt }),
        }
    }

    fn send_now(&mut self, id: CommandId, prompt: PromptId) -> Result<Progress, Refusal> {
        if !self.approvals.is_empty() {
            return Err(Refusal::ApprovalOpen);
        }
        match self.prompts.state(prompt) {
            Some(PromptState::Queued) => {
                self.hurry(prompt);
                Ok(Progress::Done)
            }
            // It is taken back first, so that it cannot run twice.
            Some(PromptState::Sent) => {
                let said = self.prompts.said(prompt);
                self.ask(take_back(prompt), Pending::SendNow(id, prompt, said))
            }
            _ => Err(Refusal::PromptNotWaiting { prompt }),
        }
    }

    fn interrupt(&mut self, id: CommandId, cancel_queued: bool) -> Result<Progress, Refusal> {
        if self.turns.current().is_none() && !self.prompts.any_sent() {
            return Err(Refusal::NothingToInterrupt);
        }
        let cancel_queued = cancel_queued.then_some(true);
        let request = Interrupt { cancel_queued, ..Interrupt::default() };
        let progress = self.ask(request.into(), Pending::Interrupt(id))?;
        self.turns.stopping();
        Ok(progress)
    }

    /// Whether an interrupt is on its way: it also ends a turn whose first line had not come yet.
    pub(super) fn is_interrupting(&self) -> bool {
        let mut pending = self.requests.waiting.values();
        pending.any(|pending| matches!(pending, Pending::Interrupt(_) | Pending::Stopping))
    }

    /// Cuts the turn off of a run that is to end.
    pub(super) fn cut_short(&mut self) {
        let is_ready = self.run.as_ref().is_some_and(|run| run.is_ready() && !run.is_stopping);
        let is_working = self.turns.current().is_some() || self.prompts.any_sent();
        if is_ready && is_working {
            self.request(Interrupt::default().into(), Pending::Stopping);
            self.turns.stopping();
        }
    }

    /// The CLI answers a request of the host's.
    pub(super) fn replied(&mut self, response: ControlResponse) {
        let answer = response.response;
        let pending = answer.request_id().and_then(|id| self.requests.waiting.remove(&*id));
        let Some(pending) = pending else { return };
        let Some(command) = pending.command() else {
            if matches!(pending, Pending::Initialize) {
                self.initialised(answer);
            }
            return;
        };
        let result = match answer {
            Answer::Success(success) => {
                if matches!(pending, Pending::Reinitialize(_)) {
                    self.still_open(&success);
                }
                self.granted(pending, success.response.unwrap_or_else(Raw::empty_object))
            }
            Answer::Error(failure) => {
                Err(Refusal::Cli { message: failure.error, code: failure.error_code })
            }
            Answer::Unknown(unknown) => {
                Err(Refusal::Cli { message: unknown.raw.get().to_owned(), code: None })
            }
        };
        self.reply(command, result);
    }

    /// What follows from the CLI's yes, and what the client is told.
    fn granted(&mut self, pending: Pending, payload: Raw) -> Result<Raw, Refusal> {
        match pending {
            Pending::Initialize
            | Pending::Stopping
            | Pending::Reinitialize(_)
            | Pending::Other(_) => {}
            Pending::Interrupt(_) => {
                let reply: InterruptReply = read_reply(Some(&payload)).unwrap_or_default();
                let cancelled = reply.cancelled.unwrap_or_default();
                for prompt in cancelled.iter().filter_map(|id| PromptId::parse(id)) {
                    self.prompt_is(Scope::default(), prompt, PromptState::Cancelled);
                }
            }
            Pending::Mode(_, mode) => {
                let reply: PermissionModeReply = read_reply(Some(&payload)).unwrap_or_default();
                self.setting_is(Setting::Mode(reply.mode.unwrap_or(mode)));
            }
            Pending::Model(_, model) => {
                let reply: ModelReply = read_reply(Some(&payload)).unwrap_or_default();
                self.setting_is(Setting::Model(reply.model.into_option().or(model)));
            }
            Pending::Thinking(_, thinking) => self.setting_is(Setting::Thinking(thinking)),
            Pending::CancelPrompt(_, prompt) => self.taken_back(prompt, &payload)?,
            Pending::SendNow(_, prompt, said) => {
                self.taken_back(prompt, &payload)?;
                let again = self.own_prompt_id();
                self.enqueue(again, said, Urgency::Now, MessageOrigin::User);
                return Ok(Raw::from(serde_json::json!({ "prompt": again })));
            }
        }
        Ok(payload)
    }

    /// Whether the CLI has given a prompt back.
    fn taken_back(&mut self, prompt: PromptId, payload: &Raw) -> Result<(), Refusal> {
        let reply: CancelReply = read_reply(Some(payload)).unwrap_or_default();
        if reply.cancelled != Some(true) {
            return Err(Refusal::PromptNotWaiting { prompt });
        }
        self.prompt_is(Scope::default(), prompt, PromptState::Cancelled);
        Ok(())
    }

    pub(super) fn mode_is(&mut self, mode: PermissionMode) {
        if self.mode.as_ref() != Some(&mode) {
            let name = mode.as_str().to_owned();
            self.mode = Some(mode);
            self.tell(Body::ModeChanged { mode: name });
        }
    }

    pub(super) fn model_is(&mut self, model: String) {
        if self.model.as_ref() != Some(&model) {
            self.model = Some(model.clone());
            self.tell(Body::ModelChanged { model });
        }
    }
}

fn take_back(prompt: PromptId) -> HostRequest {
    CancelAsyncMessage { message_uuid: prompt.to_string(), ..Default::default() }.into()
}
