//! Runs: starting, initialising and writing to the process that serves a session.

use std::collections::{BTreeMap, VecDeque};

use pilothouse_wire::Outbound;
use pilothouse_wire::codec::encode_line;
use pilothouse_wire::control::initialize::InitializeReply;
use pilothouse_wire::control::{Answer, HostControlRequest, HostRequest, Success, read_reply};
use pilothouse_wire::message::SlashCommand;
use pilothouse_wire::permission::McpServerRef;
use serde::{Deserialize, Serialize};

use super::commands::Pending;
use super::hooks;
use super::{Scope, Session};
use crate::effect::{Effect, Launch};
use crate::event::{
    AccountSummary, Body, CommandOffer, ConversationReason, ModelOffer, NoticeKind, NoticeLevel,
    RunOrigin,
};
use crate::id::RunId;

/// The process that serves the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Run {
    pub(super) phase: Phase,
    /// Lines of the CLI that were handed in.
    pub(super) lines: u64,
    /// Lines that were sent to it.
    sent: u64,
    /// Those of them that may not have reached it.
    unwritten: VecDeque<(u64, String)>,
    /// It was asked to end.
    pub(super) is_stopping: bool,
    /// The machine has stopped under it. Not kept: it ends with the next input.
    #[serde(skip)]
    pub(super) is_of_the_past: bool,
    /// Somebody has spoken since; another run follows.
    pub(super) is_missed: bool,
    /// It has worked on something.
    pub(super) has_worked: bool,
    /// Whether it says that more is to come. Older CLIs do not say.
    pub(super) is_busy: Option<bool>,
    /// It tells what becomes of each prompt.
    pub(super) tells_lifecycle: bool,
    /// The CLI's version. Older ones do not say when they are initialised.
    #[serde(default)]
    pub(super) version: Option<String>,
    /// The MCP servers that it has, once it has said.
    #[serde(default)]
    pub(super) servers: Option<Vec<McpServerRef>>,
    /// The directory that its main thread works in.
    #[serde(default)]
    pub(super) cwd: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Phase {
    /// Put off until it is known what the run before it has written down.
    Looking(Cut),
    /// Asked for.
    Launching(Launch),
    /// There, and being initialised.
    Initialising(RunId),
    /// Ready to be spoken to.
    Ready(RunId),
}

/// A turn that was cut off, and its prompts, which are set aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cut {
    pub(super) cli_session: String,
    /// It has begun without a prompt, and is to be gone on with.
    pub(super) is_autonomous: bool,
}

impl Run {
    pub(super) fn in_phase(phase: Phase) -> Self {
        Self {
            phase,
            lines: 0,
            sent: 0,
            unwritten: VecDeque::new(),
            is_stopping: false,
            is_of_the_past: false,
            is_missed: false,
            has_worked: false,
            is_busy: None,
            tells_lifecycle: false,
            version: None,
            servers: None,
            cwd: None,
        }
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.phase, Phase::Ready(_))
    }

    pub(super) fn has_started(&self) -> bool {
        self.id().is_some()
    }

    pub(super) fn id(&self) -> Option<RunId> {
        match self.phase {
            Phase::Looking(_) | Phase::Launching(_) => None,
            Phase::Initialising(id) | Phase::Ready(id) => Some(id),
        }
    }
}

/// The host's requests that wait for an answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Requests {
    last: u64,
    pub(super) waiting: BTreeMap<String, Pending>,
}

impl Session {
    /// Asks for a run.
    pub(super) fn launch(&mut self, origin: RunOrigin) {
        self.runs += 1;
        let launch = Launch {
            run: RunId(self.own_id(self.runs)),
            origin,
            mode: self.mode.clone(),
            model: self.model.clone(),
            thinking: self.thinking.clone(),
        };
        self.run = Some(Run::in_phase(Phase::Launching(launch.clone())));
        self.effects.push(Effect::Start(launch));
    }

    /// Where a new run goes on.
    pub(super) fn conversation(&self, at: Option<String>) -> RunOrigin {
        let is_left =
            matches!(self.changing, Some(ConversationReason::Plan | ConversationReason::Cleared));
        match &self.cli_session {
            Some(id) if !is_left => RunOrigin::Resumed { cli_session: id.clone(), at },
            Some(_) => RunOrigin::New,
            None => self.beginning.clone().unwrap_or(RunOrigin::New),
        }
    }

    /// The next conversation knows nothing of this one, which stays in the CLI's history.
    pub(super) fn leave_conversation(&mut self, reason: ConversationReason) {
        // Where nothing was said there is nothing to be left.
        self.changing = self.cli_session.as_ref().map(|_| reason);
        self.committed = None;
        self.uncommitted = None;
        self.beginning = None;
        self.meter.empty();
        self.todos.clear();
    }

    pub(super) fn run_started(&mut self, run: RunId, pid: Option<u32>, origin: RunOrigin) {
        match &mut self.run {
            Some(known) if known.has_started() => return,
            Some(launched) => launched.phase = Phase::Initialising(run),
            None => self.run = Some(Run::in_phase(Phase::Initialising(run))),
        }
        let reason = match origin {
            RunOrigin::New => Some(ConversationReason::Started),
            RunOrigin::Resumed { .. } => None,
            RunOrigin::Forked { .. } => Some(ConversationReason::Forked),
        };
        self.changing = self.changing.or(reason);
        self.tell(Body::RunStarted { run, pid, origin });
        let mut initialize = self.setup.initialize.clone();
        hooks::register(&self.setup, &mut initialize);
        self.request(initialize.into(), Pending::Initialize);
        if self.run.as_ref().is_some_and(|run| run.is_stopping) {
            // It was not there yet when it was told to end.
            self.effects.push(Effect::Stop);
        }
    }

    /// The CLI has introduced itself.
    pub(super) fn initialised(&mut self, answer: Answer) {
        if let Some(run) = &mut self.run
            && let Phase::Initialising(id) = run.phase
        {
            run.phase = Phase::Ready(id);
        }
        match answer {
            Answer::Success(success) => self.introduced(&success),
            Answer::Error(failure) => {
                self.notice(NoticeLevel::Error, NoticeKind::Session, failure.error);
            }
            Answer::Unknown(_) => {}
        }
        self.send_queued();
    }

    fn introduced(&mut self, success: &Success) {
        let reply: InitializeReply = read_reply(success.response.as_ref()).unwrap_or_default();
        let models = reply.models.into_iter().map(|model| ModelOffer {
            value: model.value,
            name: model.display_name.unwrap_or_default(),
            description: model.description.unwrap_or_default(),
            efforts: model.supported_effort_levels.unwrap_or_default(),
        });
        let account = reply.account.map(|account| AccountSummary {
            email: account.email,
            organization: account.organization,
            subscription: account.subscription_type,
            key_source: account.api_key_source,
        });
        let version = reply.claude_code_version;
        if let Some(run) = &mut self.run {
            run.version.clone_from(&version);
        }
        self.tell(Body::RunReady { version, models: models.collect(), account });
        self.offer(reply.commands);
        if let Some(mode) = reply.current_permission_mode {
            self.mode_is(mode);
        }
        self.still_open(success);
    }

    /// Requests that the CLI made before, and that nobody has answered. Those that are in the table
    /// already are not taken in twice.
    pub(super) fn still_open(&mut self, success: &Success) {
        let pending = [
            &success.pending_permission_requests,
            &success.pending_elicitation_requests,
            &success.pending_user_dialog_requests,
        ];
        for request in pending.into_iter().flatten().flatten() {
            self.asked(request.clone(), b"");
        }
    }

    pub(super) fn offer(&mut self, commands: Vec<SlashCommand>) {
        let commands = commands.into_iter().map(|command| CommandOffer {
            name: command.name,
            description: command.description.unwrap_or_default(),
            argument_hint: command.argument_hint.unwrap_or_default(),
        });
        self.tell(Body::AvailableCommands { commands: commands.collect() });
    }

    /// Writes a line to the CLI.
    pub(super) fn send(&mut self, message: &Outbound) {
        let Some(run) = &mut self.run else { return };
        // Encoding fails only for maps with keys that are no text; messages have none.
        let Ok(line) = encode_line(message) else { return };
        run.sent += 1;
        run.unwritten.push_back((run.sent, String::from_utf8_lossy(&line).into_owned()));
        self.effects.push(Effect::Send { number: run.sent, line });
    }

    /// Sends a request of the host's.
    pub(super) fn request(&mut self, request: HostRequest, pending: Pending) {
        self.requests.last += 1;
        let request_id = format!("ph-{}", self.requests.last);
        self.requests.waiting.insert(request_id.clone(), pending);
        let extra = Default::default();
        self.send(&Outbound::ControlRequest(Box::new(HostControlRequest {
            request_id,
            request,
            extra,
        })));
    }

    pub(super) fn written(&mut self, number: u64) {
        if let Some(run) = &mut self.run {
            run.unwritten.retain(|(unwritten, _)| *unwritten > number);
        }
    }

    /// What was asked for and may not have been done: for whoever takes over a session. A run is
    /// to be started unless one is there already; lines that were written already, by their
    /// numbers, are not written again; stopping twice does no harm.
    pub fn outstanding(&self) -> Vec<Effect> {
        let Some(run) = &self.run else { return Vec::new() };
        let start = match &run.phase {
            Phase::Looking(cut) => Some(self.look_for(cut)),
            Phase::Launching(launch) => Some(Effect::Start(launch.clone())),
            Phase::Initialising(_) | Phase::Ready(_) => None,
        };
        let lines = run.unwritten.iter().map(|(number, line)| Effect::Send {
            number: *number,
            line: line.clone().into_bytes(),
        });
        let stop = run.is_stopping.then_some(Effect::Stop);
        start.into_iter().chain(lines).chain(self.hooks.work()).chain(stop).collect()
    }

    /// The CLI's id of the conversation, as a frame has it.
    pub(super) fn conversation_is(&mut self, id: &str) {
        if id.is_empty() {
            return;
        }
        if self.cli_session.as_deref() == Some(id) {
            self.changing = None;
            return;
        }
        let previous = self.cli_session.replace(id.to_owned());
        let reason = match (self.changing.take(), &previous) {
            (Some(reason), _) => reason,
            (None, None) => ConversationReason::Started,
            (None, Some(_)) => ConversationReason::Resumed,
        };
        let cli_session = id.to_owned();
        let scope = Scope { turn: self.turns.current(), parent: None };
        self.tell_in(scope, Body::ConversationChanged { cli_session, previous, reason });
    }
}
