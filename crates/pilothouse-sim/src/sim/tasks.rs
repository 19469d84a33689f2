//! Background work: subagents and shells, their frames, and the news of their end.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use super::abort::{Abort, Cause};
use super::cli::Cli;
use super::clock;

/// What kind of work it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Agent { subagent_type: String, prompt: String, depth: u32 },
    Shell,
}

/// A piece of work that can be stopped and sent to the background.
#[derive(Debug)]
pub(super) struct Task {
    pub(super) id: String,
    pub(super) run_id: String,
    pub(super) tool_use_id: String,
    pub(super) description: String,
    pub(super) kind: Kind,
    pub(super) is_background: Cell<bool>,
    pub(super) is_over: Cell<bool>,
    pub(super) abort: Rc<Abort>,
    /// Told when the host wants it in the background.
    pub(super) send_back: Notify,
    pub(super) output: PathBuf,
}

/// Word that a task has ended; the session takes it up in a turn of its own.
#[derive(Debug, Clone)]
pub(super) struct Notice {
    pub(super) run_id: String,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Completed,
    Failed,
    Stopped,
}

impl End {
    fn status(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Stopped => "stopped",
        }
    }

    fn patch(self) -> &'static str {
        match self {
            Self::Stopped => "killed",
            other => other.status(),
        }
    }
}

/// The tasks that are alive.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    live: RefCell<Vec<Rc<Task>>>,
    /// Where the output of shells is, also of those that have ended.
    outputs: RefCell<BTreeMap<String, PathBuf>>,
}

impl Tasks {
    pub(super) fn find(&self, id: &str) -> Option<Rc<Task>> {
        self.live.borrow().iter().find(|task| task.id == id).cloned()
    }

    pub(super) fn all(&self) -> Vec<Rc<Task>> {
        self.live.borrow().clone()
    }

    /// Whether subagents work in the background: the session is not idle as long as they do.
    pub(super) fn has_agents(&self) -> bool {
        let live = self.live.borrow();
        live.iter().any(|task| task.is_background.get() && task.kind != Kind::Shell)
    }

    pub(super) fn output(&self, id: &str) -> Option<PathBuf> {
        self.outputs.borrow().get(id).cloned()
    }

    fn in_background(&self) -> Value {
        let live = self.live.borrow();
        let background = live.iter().filter(|task| task.is_background.get());
        background
            .map(|task| {
                let mut entry = json!({
                    "task_id": task.id,
                    "run_id": task.run_id,
                    "task_type": task.kind.name(),
                    "description": task.description,
                });
                if let Kind::Agent { subagent_type, .. } = &task.kind {
                    entry["subagent_type"] = json!(subagent_type);
                }
                entry
            })
            .collect()
    }
}

impl Kind {
    fn name(&self) -> &'static str {
        match self {
            Self::Agent { .. } => "local_agent",
            Self::Shell => "local_bash",
        }
    }
}

/// An id like those the CLI makes: a letter for the kind, then chance.
pub(super) fn fresh_id(kind: char) -> String {
    let chance = Uuid::new_v4().simple().to_string();
    let length = if kind == 'a' { 16 } else { 8 };
    format!("{kind}{}", &chance[..length])
}

/// Sortable by time, unique by chance.
pub(super) fn fresh_run_id() -> String {
    let chance = Uuid::new_v4().simple().to_string();
    format!("{:011x}-{}", clock::millis(), &chance[..8])
}

impl Cli {
    /// Registers a task and tells of it.
    pub(super) fn task_started(&self, task: &Rc<Task>) {
        self.tasks.live.borrow_mut().push(Rc::clone(task));
        if task.kind == Kind::Shell {
            let mut outputs = self.tasks.outputs.borrow_mut();
            outputs.insert(task.id.clone(), task.output.clone());
        }
        if task.is_background.get() {
            self.background_changed();
        }
        let mut frame = json!({
            "type": "system",
            "subtype": "task_started",
            "task_id": task.id,
            "run_id": task.run_id,
            "tool_use_id": task.tool_use_id,
            "description": task.description,
            "is_backgrounded": task.is_background.get(),
            "task_type": task.kind.name(),
        });
        if let Kind::Agent { subagent_type, prompt, depth } = &task.kind {
            frame["subagent_type"] = json!(subagent_type);
            frame["prompt"] = json!(prompt);
            frame["spawn_depth"] = json!(depth);
        }
        self.emit(frame);
    }

    /// The task goes on in the background.
    pub(super) fn task_sent_back(&self, task: &Task) {
        task.is_background.set(true);
        self.background_changed();
        self.task_updated(task, json!({"is_backgrounded": true}));
    }

    /// The task is over. `usage` is told for those that have one.
    pub(super) fn task_ended(&self, task: &Task, end: End, summary: &str, usage: Option<Value>) {
        if task.is_over.replace(true) {
            return;
        }
        self.tasks.live.borrow_mut().retain(|known| known.id != task.id);
        let is_agent = task.kind != Kind::Shell;
        // A shell in the foreground has only its notification.
        if is_agent || task.is_background.get() {
            let patch = json!({"status": end.patch(), "end_time": clock::millis()});
            self.task_updated(task, patch);
        }
        let mut frame = json!({
            "type": "system",
            "subtype": "task_notification",
            "task_id": task.id,
            "run_id": task.run_id,
            "tool_use_id": task.tool_use_id,
            "status": end.status(),
            "output_file": task.output,
            "summary": summary,
        });
        if let Some(usage) = usage {
            frame["usage"] = usage;
        }
        self.emit(frame);
        if task.is_background.get() {
            self.background_changed();
        }
        self.stirred.notify_one();
    }

    /// Stops a task: its end is told at once, the work itself ends when it next looks.
    pub(super) fn stop_task(&self, task: &Task) {
        self.task_ended(task, End::Stopped, &task.description, None);
        task.abort.set(Cause::Stopped);
    }

    fn task_updated(&self, task: &Task, patch: Value) {
        self.emit(json!({
            "type": "system",
            "subtype": "task_updated",
            "task_id": task.id,
            "run_id": task.run_id,
            "patch": patch,
        }));
    }

    pub(super) fn background_changed(&self) {
        let tasks = self.tasks.in_background();
        self.emit(json!({"type": "system", "subtype": "background_tasks_changed", "tasks": tasks}));
    }

    /// Where the output of a task is written.
    pub(super) fn task_output(&self, id: &str) -> PathBuf {
        let user = format!("claude-{}", super::system::user());
        let project = super::session::key(&self.launch.cwd);
        let session = self.session.id();
        let directory = self.launch.temp.join(user).join(project).join(session).join("tasks");
        directory.join(format!("{id}.output"))
    }
}

/// Subagents of a session, as results count them.
#[derive(Debug, Default)]
pub(super) struct AgentStats {
    pub(super) background: u64,
    pub(super) foreground: u64,
    pub(super) unset: u64,
    pub(super) in_background: u64,
    pub(super) nested: u64,
    pub(super) deepest: u32,
    pub(super) completed: u64,
    pub(super) killed: u64,
    pub(super) by_type: BTreeMap<String, u64>,
}

impl AgentStats {
    pub(super) fn told(&self) -> Value {
        json!({
            "spawned": self.background + self.foreground + self.unset,
            "requested": {
                "background": self.background, "foreground": self.foreground, "unset": self.unset,
            },
            "started_in_background": self.in_background,
            "max_depth": self.deepest,
            "spawned_by_subagents": self.nested,
            "completed": self.completed,
            "failed": 0,
            "killed": {"parent": 0, "user": self.killed, "system": 0},
            "refused": {"depth_limit": 0, "concurrency_limit": 0, "budget": 0},
            "by_type": self.by_type,
        })
    }
}
