//! The machine: inputs in, effects out.
//!
//! # Staying exact
//!
//! What the CLI writes is in a log and can be read again; what clients ask for is not. So for every
//! input that is not a line of the CLI the machine asks for a [checkpoint](Effect::Checkpoint): its
//! state is stored in one transaction with the events of that input, and only then is anything
//! written to the CLI, started, or told to the client. After a crash
//!
//! 1. the state is read back, as of the last checkpoint;
//! 2. what may not have been done is [done again](Session::outstanding): lines bear the same numbers,
//!    and are written once;
//! 3. the lines of the [run](Session::run) after the [ones that were handed in](Session::lines) are
//!    handed in again, and give the same events with the same numbers; those that are stored already
//!    are dropped.
//!
//! Where these lines are gone, the stored events are handed in instead, and the run is over: see
//! [`Input::Lost`].
//!
//! The surroundings ([`Setup`]) are not part of the state, and a policy can be another one after a
//! crash. So a line for which it was asked asks for a checkpoint too: what it said then holds, and
//! such a line is not handed in again.
//!
//! # Where things are
//!
//! `lines` tells lines apart, `streaming`, `transcript` and `calls` make items of them, `turn` begins
//! and settles turns, `prompts` is the queue, `asking` answers the CLI's requests, `policing` asks the
//! policy, `commands` answers the clients', `run` starts and initialises processes, `ending` says what their end means, `lost` makes
//! do with stored events, `system` hears the rest.

mod asking;
mod calls;
mod commands;
mod ending;
mod hooks;
pub mod import;
mod lines;
mod lost;
mod meter;
mod policing;
mod prompts;
mod run;
mod streaming;
mod system;
mod transcript;
mod turn;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use pilothouse_wire::control::initialize::Initialize;
use pilothouse_wire::permission::PermissionMode;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::approval::{Approval, Table};
use crate::effect::Effect;
use crate::event::{
    Body, ConversationReason, Event, NoticeKind, OpenItem, RunOrigin, Status, Task, Thinking,
};
use crate::id::{ItemId, PromptId, RunId, SessionId, TurnId};
use crate::input::Input;
use crate::policy::{Place, PolicySet, RealPaths};
use crate::tool::TodoList;

use calls::OpenCall;
use hooks::Hooks;
use meter::Meter;
use prompts::Prompts;
use run::{Requests, Run};
use streaming::Thread;
use turn::Turns;

/// How many messages are remembered by the CLI's ids, so that they can be taken back.
const SPOKEN: usize = 512;

/// One session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Session {
    id: SessionId,
    seq: u64,
    last_item: u64,
    status: Status,
    /// The status while there is no run.
    rest: Status,
    cli_session: Option<String>,
    /// Why the next conversation will not be the one before.
    changing: Option<ConversationReason>,
    /// How its first conversation begins, where it does not begin with nothing.
    beginning: Option<RunOrigin>,
    run: Option<Run>,
    /// The number of the last run that was asked for.
    runs: u64,
    /// Numbers of runs that this session did not ask for, and whose names are taken: those of a
    /// history that a restored backup has undone.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    passed_over: BTreeSet<u64>,
    requests: Requests,
    turns: Turns,
    threads: BTreeMap<String, Thread>,
    calls: BTreeMap<String, OpenCall>,
    approvals: Table,
    hooks: Hooks,
    /// Calls that were allowed, may have effects, and have not been seen yet.
    let_through: BTreeSet<String>,
    prompts: Prompts,
    tasks: BTreeMap<String, Task>,
    /// The calls that the last tasks came from, and where these stand: what a task does late still
    /// belongs there.
    starters: VecDeque<(String, Scope)>,
    todos: BTreeMap<String, TodoList>,
    meter: Meter,
    mode: Option<PermissionMode>,
    model: Option<String>,
    thinking: Thinking,
    /// The last message that is known to be whole.
    committed: Option<String>,
    /// The one that will be when the turn has settled.
    uncommitted: Option<String>,
    spoken: VecDeque<(String, ItemId)>,
    /// A plan that is carried out as soon as the run has ended.
    carry_out: Option<String>,
    /// How often the session has gone on by itself since a turn last settled.
    attempts: u32,
    #[serde(skip)]
    setup: Setup,
    #[serde(skip)]
    now: Timestamp,
    /// Where the paths of the current input lead; `None` where the host has not looked.
    #[serde(skip)]
    real: Option<RealPaths>,
    #[serde(skip)]
    effects: Vec<Effect>,
}

/// What the machine is told about its surroundings; not part of its state.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// What every run is initialised with. Hooks that the machine needs are added.
    pub initialize: Initialize,
    /// Who answers before people are asked.
    pub policy: Option<Arc<PolicySet>>,
    /// Where the session works.
    pub place: Place,
    /// Ask about every call that no rule allows, also those that the CLI would not ask about.
    pub see_every_call: bool,
    /// Keep files as they were before a tool changes them, where its result does not tell.
    pub baselines: bool,
    /// Ask the host before the CLI may end a turn.
    pub ask_before_stop: bool,
    /// How often a session whose run died in mid-turn goes on by itself.
    pub resume_attempts: u32,
}

/// To which turn and subagent something belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Scope {
    pub(crate) turn: Option<TurnId>,
    pub(crate) parent: Option<String>,
}

impl Session {
    /// A session in which nothing has happened.
    pub fn new(id: SessionId, setup: Setup) -> Self {
        Self {
            id,
            seq: 0,
            last_item: 0,
            status: Status::Dormant,
            rest: Status::Dormant,
            cli_session: None,
            changing: None,
            beginning: None,
            run: None,
            runs: 0,
            passed_over: BTreeSet::new(),
            requests: Requests::default(),
            turns: Turns::default(),
            threads: BTreeMap::new(),
            calls: BTreeMap::new(),
            approvals: Table::default(),
            hooks: Hooks::default(),
            let_through: BTreeSet::new(),
            prompts: Prompts::default(),
            tasks: BTreeMap::new(),
            starters: VecDeque::new(),
            todos: BTreeMap::new(),
            meter: Meter::default(),
            mode: None,
            model: None,
            thinking: Thinking::default(),
            committed: None,
            uncommitted: None,
            spoken: VecDeque::new(),
            carry_out: None,
            attempts: 0,
            setup,
            now: Timestamp::UNIX_EPOCH,
            real: None,
            effects: Vec::new(),
        }
    }

    /// The same session with other surroundings: after its state was read back, or when a policy
    /// has changed.
    #[must_use]
    pub fn within(mut self, setup: Setup) -> Self {
        self.surround(setup);
        self
    }

    /// Gives it other surroundings.
    pub fn surround(&mut self, setup: Setup) {
        self.setup = setup;
    }

    /// The session goes on a conversation that the CLI knows.
    #[must_use]
    pub fn of_conversation(mut self, cli_session: impl Into<String>) -> Self {
        let cli_session = cli_session.into();
        self.cli_session = Some(cli_session.clone());
        self.beginning = Some(RunOrigin::Resumed { cli_session, at: None });
        self
    }

    /// The session goes on a copy of a conversation, up to and including the message `at` where one
    /// is named.
    #[must_use]
    pub fn copy_of(mut self, cli_session: impl Into<String>, at: Option<String>) -> Self {
        self.beginning = Some(RunOrigin::Forked { cli_session: cli_session.into(), at });
        self
    }

    /// Takes what happened, together with where the paths in it lead that
    /// [`paths_named`](Session::paths_named) has listed. A path that is missing counts as one that
    /// cannot be resolved.
    pub fn handle_resolved(
        &mut self,
        input: Input,
        real: RealPaths,
        now: Timestamp,
    ) -> Vec<Effect> {
        self.real = Some(real);
        let effects = self.handle(input, now);
        self.real = None;
        effects
    }

    /// Takes what happened, gives what is to be done. Paths stand for themselves: for a host that
    /// follows no links.
    pub fn handle(&mut self, input: Input, now: Timestamp) -> Vec<Effect> {
        self.now = now;
        let is_line = matches!(input, Input::Line(_) | Input::Written { .. });
        match input {
            // Where there is no process nothing can be its line.
            Input::Line(_) if !self.run.as_ref().is_some_and(Run::has_started) => {}
            Input::Line(frame) => self.line(frame),
            Input::Command { id, command } => self.command(id, command),
            Input::Started { run, pid, origin } => self.run_started(run, pid, origin),
            Input::Written { number } => self.written(number),
            Input::MachineStopped => self.machine_stopped(),
            Input::Exited { exit, stderr_tail } => self.run_exited(exit, stderr_tail),
            Input::Lost { events, why } => self.run_lost(events, why),
            Input::Silent { seconds } => self.silent(seconds),
            Input::Worked { request, result } => self.worked(&request, result),
            Input::Looked(transcript) => self.looked(&transcript),
            Input::Notice { level, text } => {
                self.notice(level, NoticeKind::Surroundings, text);
            }
        }
        self.show_status();
        let mut effects = std::mem::take(&mut self.effects);
        let is_asked_for = effects.contains(&Effect::Checkpoint);
        effects.retain(|effect| *effect != Effect::Checkpoint);
        if !is_line || is_asked_for {
            effects.push(Effect::Checkpoint);
        }
        // Stable: of each kind, what came first stays first.
        effects.sort_by_key(Effect::rank);
        effects
    }

    /// The session.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// The number of the last event.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Its state.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The CLI's id of the conversation.
    pub fn cli_session(&self) -> Option<&str> {
        self.cli_session.as_deref()
    }

    /// The run that serves it, once it has started.
    pub fn run(&self) -> Option<RunId> {
        self.run.as_ref().and_then(Run::id)
    }

    /// How many lines of this run were handed in.
    pub fn lines(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.lines)
    }

    /// What waits for an answer.
    pub fn approvals(&self) -> Vec<Approval> {
        self.approvals.approvals().collect()
    }

    /// The open request that the CLI calls `request_id`.
    pub(crate) fn approval_named(&self, request_id: &str) -> Option<Approval> {
        let id = self.approvals.named(request_id)?;
        self.approvals.approvals().find(|approval| approval.approval == id)
    }

    /// The items that have begun and not ended.
    pub fn open_items(&self) -> Vec<OpenItem> {
        self.threads.iter().flat_map(|(parent, thread)| thread.open_items(parent)).collect()
    }

    /// The tasks that go on.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.values()
    }

    fn next_item(&mut self) -> ItemId {
        self.last_item += 1;
        ItemId(self.last_item)
    }

    /// The main thread of the current turn.
    fn here(&self) -> Scope {
        self.within_thread(None)
    }

    /// The thread of the subagent that the call `parent` started. It belongs to the turn of that call,
    /// which may have settled.
    fn within_thread(&self, parent: Option<&str>) -> Scope {
        let turn = match parent.and_then(|call| self.scope_of(call)) {
            Some(scope) => scope.turn,
            None => self.turns.current(),
        };
        Scope { turn, parent: parent.map(str::to_owned) }
    }

    /// Where a call stands that is open, or that a task came from.
    fn scope_of(&self, call: &str) -> Option<&Scope> {
        let open = self.calls.get(call).map(|call| &call.scope);
        let past = || self.starters.iter().find(|(id, _)| id == call).map(|(_, scope)| scope);
        open.or_else(past)
    }

    /// Appends an event about the main thread.
    fn tell(&mut self, body: Body) {
        let scope = self.here();
        self.tell_in(scope, body);
    }

    fn tell_in(&mut self, scope: Scope, body: Body) {
        self.seq += 1;
        let event = Event {
            session: self.id,
            seq: self.seq,
            at: self.now,
            turn: scope.turn,
            parent_tool_call_id: scope.parent,
            // Where lines are kept is not the machine's to know.
            wire: None,
            body,
        };
        self.effects.push(Effect::Append(Box::new(event)));
    }

    /// The state follows from everything else; it is told when it has changed.
    fn show_status(&mut self) {
        let status = self.current_status();
        if status != self.status {
            self.status = status;
            self.tell(Body::SessionStatus { status });
        }
    }

    fn current_status(&self) -> Status {
        let Some(run) = &self.run else { return self.rest };
        if !self.approvals.is_empty() {
            Status::AwaitingApproval
        } else if !run.is_ready() {
            Status::Starting
        } else if self.turns.current().is_some() || self.prompts.any_sent() {
            Status::Running
        } else if !run.has_worked {
            Status::Ready
        } else if self.owes_something() {
            Status::Settled
        } else {
            Status::Idle
        }
    }

    /// Whether more will come without a prompt. CLIs that tell their state know best.
    fn owes_something(&self) -> bool {
        match self.run.as_ref().and_then(|run| run.is_busy) {
            Some(busy) => busy,
            None => self.tasks.values().any(Task::is_awaited),
        }
    }

    /// A prompt of the host's own: the same one for the same state.
    fn own_prompt_id(&self) -> PromptId {
        PromptId(self.own_id(self.seq))
    }

    /// Whether this session has asked for the run, however it ended.
    pub fn has_asked_for(&self, run: RunId) -> bool {
        let mut own = (1..=self.runs).filter(|number| !self.passed_over.contains(number));
        own.any(|number| self.own_id(number) == run.0)
    }

    /// Passes over names of runs that are taken, although this session did not ask for them. Only for
    /// a session without a run, and before a command, which is stored with the state after it: lines
    /// that are read again have to lead to the same names.
    pub fn pass_over(&mut self, is_taken: impl Fn(RunId) -> bool) {
        while is_taken(RunId(self.own_id(self.runs + 1))) {
            self.runs += 1;
            self.passed_over.insert(self.runs);
        }
    }

    /// The runs that were passed over.
    pub fn passed_over(&self) -> impl Iterator<Item = RunId> {
        self.passed_over.iter().map(|number| RunId(self.own_id(*number)))
    }

    /// The session's `number`th name for something.
    fn own_id(&self, number: u64) -> Uuid {
        let mut bytes = *self.id.0.as_bytes();
        for (byte, number) in bytes[8..].iter_mut().zip(number.to_be_bytes()) {
            *byte ^= number.rotate_left(3) ^ 0x5a;
        }
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }
}
