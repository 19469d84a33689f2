//! The simulated CLI as a whole: what all its parts share.
//!
//! Everything runs on one thread. Parts are borrowed only between two awaits.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use super::abort::Abort;
use super::asks::Asks;
use super::catalog::{self, Opening};
use super::checkpoint::Checkpoints;
use super::hooks::Hooks;
use super::launch::Launch;
use super::ledger::Ledger;
use super::mcp::McpServers;
use super::out::Out;
use super::permission::{Changed, Mode, Store, settings};
use super::prompt::{Prompt, Queue};
use super::session::{Past, Session};
use super::tasks::{AgentStats, Notice, Tasks};
use super::thread::Thread;
use super::tools::todo::Todos;

/// What `session_state_changed` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    Running,
    RequiresAction,
}

impl State {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::RequiresAction => "requires_action",
        }
    }
}

/// All that a running CLI knows.
pub(super) struct Cli {
    pub(super) launch: Launch,
    pub(super) out: Rc<Out>,
    pub(super) asks: Asks,
    pub(super) session: Session,
    pub(super) hooks: Hooks,
    pub(super) mcp: McpServers,
    pub(super) tasks: Tasks,
    pub(super) checkpoints: Checkpoints,
    pub(super) todos: RefCell<Todos>,
    pub(super) permissions: RefCell<Store>,
    pub(super) queue: RefCell<Queue>,
    pub(super) notices: RefCell<Vec<Notice>>,
    pub(super) ledger: RefCell<Ledger>,
    pub(super) agent_stats: RefCell<AgentStats>,
    /// The main conversation; taken out while a turn runs.
    pub(super) thread: RefCell<Option<Thread>>,
    pub(super) model: RefCell<String>,
    pub(super) flag_settings: RefCell<Value>,
    pub(super) title: RefCell<Option<String>>,
    pub(super) plan: RefCell<Option<String>>,
    /// The fields of the `initialize` request.
    pub(super) wishes: RefCell<Value>,
    /// Ends the turn that is running.
    pub(super) abort: RefCell<Option<Rc<Abort>>>,
    pub(super) is_busy: Cell<bool>,
    /// Servers of the host are being greeted.
    pub(super) is_connecting: Cell<bool>,
    pub(super) input_ended: Cell<bool>,
    pub(super) results: Cell<u64>,
    pub(super) last_failed: Cell<bool>,
    pub(super) big_result_due: Cell<Option<usize>>,
    pub(super) prompts_seen: Cell<u64>,
    /// The end of a stream, kept back until somebody was asked.
    pub(super) kept_back: RefCell<Vec<Value>>,
    /// Something has ended that the main loop may wait for.
    pub(super) stirred: Notify,
    pub(super) started: Instant,
    state: Cell<State>,
    frames: Cell<u64>,
}

impl Cli {
    pub(super) fn new(launch: Launch, out: Rc<Out>, session: Session, past: Past) -> Self {
        let mut ledger = Ledger::default();
        if let Some(costs) = &past.costs {
            ledger.restore(costs);
        }
        Self {
            asks: Asks::new(Rc::clone(&out)),
            hooks: Hooks::default(),
            mcp: McpServers::default(),
            tasks: Tasks::default(),
            checkpoints: Checkpoints::load(&launch, &session.transcript()),
            todos: RefCell::default(),
            permissions: RefCell::new(settings::load(&launch)),
            queue: RefCell::default(),
            notices: RefCell::default(),
            ledger: RefCell::new(ledger),
            agent_stats: RefCell::default(),
            thread: RefCell::new(Some(past.thread.or(launch.script.clone()))),
            model: RefCell::new(catalog::model_id(launch.flags.model.as_deref())),
            flag_settings: RefCell::new(json!({})),
            title: RefCell::new(past.title),
            plan: RefCell::default(),
            wishes: RefCell::new(Value::Null),
            abort: RefCell::default(),
            is_busy: Cell::new(false),
            is_connecting: Cell::new(false),
            input_ended: Cell::new(false),
            results: Cell::new(0),
            last_failed: Cell::new(false),
            big_result_due: Cell::new(launch.faults.bigline),
            prompts_seen: Cell::new(0),
            kept_back: RefCell::default(),
            stirred: Notify::new(),
            started: Instant::now(),
            state: Cell::new(State::Idle),
            frames: Cell::new(0),
            session,
            out,
            launch,
        }
    }

    /// Sends a frame, with an id and the session's; returns its id.
    pub(super) fn emit(&self, mut frame: Value) -> String {
        if frame["uuid"].is_null() {
            frame["uuid"] = json!(Uuid::new_v4().to_string());
        }
        if frame["session_id"].is_null() {
            frame["session_id"] = json!(self.session.id());
        }
        if self.launch.faults.unknown_types {
            self.estrange(&mut frame);
        }
        let uuid = frame["uuid"].as_str().unwrap_or_default().to_owned();
        self.out.send(frame);
        uuid
    }

    /// Sends what was kept back.
    pub(super) fn catch_up(&self) {
        let kept = std::mem::take(&mut *self.kept_back.borrow_mut());
        for frame in kept {
            self.emit(frame);
        }
    }

    /// Adds what no reader can know yet.
    fn estrange(&self, frame: &mut Value) {
        let count = self.frames.get();
        self.frames.set(count + 1);
        frame["field_of_tomorrow"] = json!({"count": count, "list": [null, 1.5, "x"]});
        if frame["type"] == "assistant"
            && let Some(blocks) = frame["message"]["content"].as_array_mut()
        {
            blocks.push(json!({"type": "block_of_tomorrow", "payload": {"n": count}}));
        }
        let mut alien = match count % 3 {
            0 => json!({"type": "type_of_tomorrow", "payload": [1, 2]}),
            1 => json!({"type": "system", "subtype": "subtype_of_tomorrow"}),
            _ => json!({
                "type": "stream_event",
                "event": {"type": "event_of_tomorrow"},
                "parent_tool_use_id": null,
            }),
        };
        alien["uuid"] = json!(Uuid::new_v4().to_string());
        alien["session_id"] = json!(self.session.id());
        self.out.send(alien);
    }

    pub(super) fn state(&self) -> State {
        self.state.get()
    }

    /// Tells of a change of state, if it is one.
    pub(super) fn set_state(&self, state: State) {
        if self.state.replace(state) != state {
            self.announce_state();
        }
    }

    pub(super) fn announce_state(&self) {
        let name = self.state.get().name();
        if let Some(frame) = catalog::state_frame(self.launch.state_events, name) {
            self.emit(frame);
        }
    }

    /// What became of a prompt.
    pub(super) fn lifecycle(&self, prompt: &Prompt, state: &str) {
        if prompt.is_stamped {
            self.emit(json!({
                "type": "command_lifecycle", "command_uuid": prompt.uuid, "state": state,
            }));
        }
    }

    /// `system/init` for a turn that answers `prompts`.
    pub(super) fn announce_turn(&self, prompts: &[String]) {
        let transcript = self.session.transcript();
        let project = transcript.path().parent().map(|path| path.display().to_string());
        let frame = catalog::init(&Opening {
            launch: &self.launch,
            model: &self.model.borrow(),
            mode: self.permissions.borrow().mode.name(),
            mcp_servers: self.mcp.listed(),
            mcp_tools: self.mcp.tool_names(),
            prompts,
            project: project.unwrap_or_default(),
        });
        self.emit(frame);
    }

    pub(super) fn announce_mode(&self) {
        let mode = self.permissions.borrow().mode.name();
        self.emit(json!({
            "type": "system", "subtype": "status", "status": null, "permissionMode": mode,
        }));
    }

    pub(super) fn set_mode(&self, mode: Mode) {
        let before = self.permissions.borrow().mode;
        self.permissions.borrow_mut().set_mode(mode);
        if before != mode {
            self.announce_mode();
        }
    }

    /// Applies permission updates, and keeps those that belong in a file.
    pub(super) fn update_permissions(&self, updates: &Value) {
        for update in updates.as_array().into_iter().flatten() {
            let changed = self.permissions.borrow_mut().update(update);
            match changed {
                Changed::Mode => self.announce_mode(),
                Changed::Kept(source) => {
                    let store = self.permissions.borrow();
                    if let Err(fault) = settings::save(&self.launch, &store, source) {
                        super::complain(&format!("cannot write settings: {fault}"));
                    }
                }
                Changed::Nothing => {}
            }
        }
    }

    pub(super) fn effort(&self) -> String {
        let settings = self.flag_settings.borrow();
        settings["effortLevel"].as_str().unwrap_or("medium").to_owned()
    }

    /// Whether something asked for at `initialize` is on.
    pub(super) fn wishes(&self, field: &str) -> bool {
        self.wishes.borrow()[field] == true
    }

    /// Whether nothing is left to do.
    pub(super) fn is_at_rest(&self) -> bool {
        !self.is_busy.get() && !self.is_connecting.get() && !self.tasks.has_agents()
    }
}
