//! `system` messages about tasks: subagents, background shells, monitors, workflows.
//!
//! A task can end through `task_updated` alone or `task_notification` alone; both are terminal.

use crate::raw::{Num, Raw};

object! {
    /// A task began.
    #[derive(Default)]
    pub struct TaskStarted {
        /// The task; for a subagent, also its agent id.
        task_id: String,
        /// One run of it.
        run_id: Option<String>,
        /// The call that started it.
        tool_use_id: Option<String>,
        /// In a few words.
        description: Option<String>,
        /// Kind of subagent.
        subagent_type: Option<String>,
        /// Runs in the background.
        is_backgrounded: Option<bool>,
        /// How deep it is nested.
        spawn_depth: Option<u64>,
        /// `local_agent`, `local_bash`, `local_workflow` …
        task_type: Option<String>,
        /// What it was told.
        prompt: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// The task that started it.
        parent_task_id: Option<String>,
        /// The workflow.
        workflow_name: Option<String>,
        /// Not activity: leave it out of the transcript.
        skip_transcript: Option<bool>,
        /// Not activity.
        ambient: Option<bool>,
    }
}

object! {
    /// A task goes on.
    #[derive(Default)]
    pub struct TaskProgress {
        /// The task.
        task_id: String,
        /// One run of it.
        run_id: Option<String>,
        /// The call that started it.
        tool_use_id: Option<String>,
        /// In a few words.
        description: Option<String>,
        /// Kind of subagent.
        subagent_type: Option<String>,
        /// What it has used.
        usage: Option<TaskUsage>,
        /// The tool it used last.
        last_tool_name: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Where it stands.
        summary: Option<String>,
    }
}

object! {
    /// What a task has used.
    #[derive(Default)]
    pub struct TaskUsage {
        /// Tokens.
        total_tokens: Option<u64>,
        /// Tool calls.
        tool_uses: Option<u64>,
        /// Milliseconds.
        duration_ms: Option<Num>,
    }
}

words! {
    /// How a task stands.
    pub enum TaskStatus {
        Pending = "pending",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Killed = "killed",
        Stopped = "stopped",
        Paused = "paused",
    }
}

object! {
    /// A task changed.
    #[derive(Default)]
    pub struct TaskUpdated {
        /// The task.
        task_id: String,
        /// One run of it.
        run_id: Option<String>,
        /// What changed, to be merged.
        patch: Option<TaskPatch>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

object! {
    /// What changed in a task.
    #[derive(Default)]
    pub struct TaskPatch {
        /// How it stands.
        status: Option<TaskStatus>,
        /// When it ended, Unix milliseconds.
        end_time: Option<Num>,
        /// Runs in the background.
        is_backgrounded: Option<bool>,
        /// In a few words.
        description: Option<String>,
        /// How long it was paused.
        total_paused_ms: Option<Num>,
        /// What went wrong.
        error: Option<String>,
    }
}

object! {
    /// A task ended.
    #[derive(Default)]
    pub struct TaskNotification {
        /// The task.
        task_id: String,
        /// One run of it.
        run_id: Option<String>,
        /// The call that started it.
        tool_use_id: Option<String>,
        /// `completed`, `failed`, `stopped`.
        status: Option<TaskStatus>,
        /// Where its output is.
        output_file: Option<String>,
        /// What it came to.
        summary: Option<String>,
        /// What it has used.
        usage: Option<TaskUsage>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// `worker_restart`.
        reason: Option<String>,
        /// What it points to.
        resource_links: Vec<Raw>,
        /// Not activity: leave it out of the transcript.
        skip_transcript: Option<bool>,
        /// Not activity.
        ambient: Option<bool>,
    }
}

object! {
    /// All tasks that are alive: this list replaces the old.
    #[derive(Default)]
    pub struct BackgroundTasksChanged {
        /// The tasks.
        tasks: Vec<BackgroundTask>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

object! {
    /// A task that is alive.
    #[derive(Default)]
    pub struct BackgroundTask {
        /// The task.
        task_id: String,
        /// One run of it.
        run_id: Option<String>,
        /// `local_agent`, `local_bash`, `local_workflow` …
        task_type: Option<String>,
        /// Kind of subagent.
        subagent_type: Option<String>,
        /// In a few words.
        description: Option<String>,
        /// The task that started it.
        parent_task_id: Option<String>,
        /// Not activity.
        ambient: Option<bool>,
    }
}
