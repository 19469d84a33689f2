//! Time and place: `CronCreate`, `CronDelete`, `CronList`, `ScheduleWakeup`, `RemoteTrigger`,
//! `ReadNotifications`, `EnterWorktree`, `ExitWorktree`.

use crate::raw::{Num, Raw};

object! {
    /// Input of `CronCreate`.
    #[derive(Default)]
    pub struct CronCreateInput {
        /// When, as a cron expression.
        cron: String,
        /// What to say then.
        prompt: Option<String>,
        /// Whether again and again.
        recurring: Option<bool>,
        /// Whether it outlives the session.
        durable: Option<bool>,
    }
}

object! {
    /// A scheduled prompt: output of `CronCreate`, entry of `CronList`.
    #[derive(Default)]
    pub struct CronJob {
        /// Names the job.
        id: String,
        /// When, as a cron expression.
        cron: Option<String>,
        /// When, in words.
        human_schedule as "humanSchedule": Option<String>,
        /// What to say then.
        prompt: Option<String>,
        /// Whether again and again.
        recurring: Option<bool>,
        /// Whether it outlives the session.
        durable: Option<bool>,
        /// The next time, in milliseconds since 1970.
        next_fire_at as "nextFireAt": Option<Num>,
    }
}

object! {
    /// Input of `CronDelete`.
    #[derive(Default)]
    pub struct CronDeleteInput {
        /// The job.
        id: String,
    }
}

object! {
    /// Output of `CronDelete`.
    #[derive(Default)]
    pub struct CronDeleteOutput {
        /// The job.
        id: String,
        /// Whether a loop ended with it.
        ended_loop_wakeup as "endedLoopWakeup": Option<bool>,
    }
}

object! {
    /// Input of `CronList`: nothing.
    #[derive(Default)]
    pub struct CronListInput {}
}

object! {
    /// Output of `CronList`.
    #[derive(Default)]
    pub struct CronListOutput {
        /// The jobs.
        jobs: Vec<CronJob>,
    }
}

object! {
    /// Input of `ScheduleWakeup`.
    #[derive(Default)]
    pub struct ScheduleWakeupInput {
        /// In how many seconds.
        delay_seconds as "delaySeconds": Option<Num>,
        /// Why.
        reason: Option<String>,
        /// What to say then.
        prompt: Option<String>,
        /// Whether to wake up no more.
        stop: Option<bool>,
        /// Whether nothing is to happen.
        noop: Option<bool>,
    }
}

object! {
    /// Output of `ScheduleWakeup`.
    #[derive(Default)]
    pub struct ScheduleWakeupOutput {
        /// When, in milliseconds since 1970.
        scheduled_for as "scheduledFor": Option<Num>,
        /// In how many seconds, within the limits.
        clamped_delay_seconds as "clampedDelaySeconds": Option<Num>,
        /// Whether the limits mattered.
        was_clamped as "wasClamped": Option<bool>,
        /// Whether there will be no more.
        stopped: Option<bool>,
        /// How many were dropped.
        cancelled_wakeups as "cancelledWakeups": Option<u64>,
    }
}

object! {
    /// Input of `RemoteTrigger`.
    #[derive(Default)]
    pub struct RemoteTriggerInput {
        /// `list`, `get`, `create`, `update`, `run` …
        action: String,
        /// The trigger.
        trigger_id: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Where to go on in a list.
        cursor: Option<String>,
        /// What to send.
        body: Option<Raw>,
    }
}

object! {
    /// Output of `RemoteTrigger`.
    #[derive(Default)]
    pub struct RemoteTriggerOutput {
        /// HTTP status.
        status: Option<u64>,
        /// The answer, as JSON text.
        json: Option<String>,
        /// The answer in words.
        summary: Option<String>,
    }
}

object! {
    /// Input of `ReadNotifications`: nothing.
    #[derive(Default)]
    pub struct ReadNotificationsInput {}
}

object! {
    /// Output of `ReadNotifications`.
    #[derive(Default)]
    pub struct ReadNotificationsOutput {
        /// The notifications.
        notifications: Vec<QueuedNotification>,
        /// How many are left.
        remaining: Option<u64>,
        /// When.
        read_at: Option<String>,
    }
}

object! {
    /// A notification that waited.
    #[derive(Default)]
    pub struct QueuedNotification {
        /// Names it.
        notification_id: Option<String>,
        /// Where it is from.
        origin: Option<String>,
        /// Since when it waited.
        queued_at: Option<String>,
        /// What it says.
        content: Option<String>,
        /// When it came.
        arrived_at: Option<String>,
    }
}

object! {
    /// Input of `EnterWorktree`: a new one by name, or one that exists by path.
    #[derive(Default)]
    pub struct EnterWorktreeInput {
        /// What to call it.
        name: Option<String>,
        /// Where it is.
        path: Option<String>,
    }
}

object! {
    /// Output of `EnterWorktree`.
    #[derive(Default)]
    pub struct EnterWorktreeOutput {
        /// Where it is.
        worktree_path as "worktreePath": String,
        /// Its branch.
        worktree_branch as "worktreeBranch": Option<String>,
        /// What the model is told.
        message: Option<String>,
    }
}

object! {
    /// Input of `ExitWorktree`.
    #[derive(Default)]
    pub struct ExitWorktreeInput {
        /// What becomes of it.
        action: Option<WorktreeExit>,
        /// Whether changes may be lost.
        discard_changes: Option<bool>,
    }
}

words! {
    /// What becomes of a worktree.
    pub enum WorktreeExit {
        Keep = "keep",
        Remove = "remove",
    }
}

object! {
    /// Output of `ExitWorktree`.
    #[derive(Default)]
    pub struct ExitWorktreeOutput {
        /// What became of it.
        action: Option<WorktreeExit>,
        /// Where the session is again.
        original_cwd as "originalCwd": Option<String>,
        /// Where the worktree is, or was.
        worktree_path as "worktreePath": String,
        /// Its branch.
        worktree_branch as "worktreeBranch": Option<String>,
        /// Its tmux session.
        tmux_session_name as "tmuxSessionName": Option<String>,
        /// How many changed files were lost.
        discarded_files as "discardedFiles": Option<u64>,
        /// How many commits were lost.
        discarded_commits as "discardedCommits": Option<u64>,
        /// What the model is told.
        message: Option<String>,
        /// The directory that is worked in again.
        restored_cwd as "restoredCwd": Option<String>,
        /// The directory from before is gone.
        original_cwd_missing as "originalCwdMissing": Option<bool>,
    }
}
