//! The smaller top-level messages.

use crate::field::Nullable;
use crate::raw::{Num, Raw};

object! {
    /// A tool is still running.
    #[derive(Default)]
    pub struct ToolProgress {
        /// The call.
        tool_use_id: Option<String>,
        /// The tool.
        tool_name: Option<String>,
        /// The call that started the subagent this belongs to.
        parent_tool_use_id: Nullable<String>,
        /// Seconds.
        elapsed_time_seconds: Option<Num>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// Kind of subagent.
        subagent_type: Option<String>,
        /// The subagent tries an API call again.
        subagent_retry: Option<Raw>,
        /// The task.
        task_id: Option<String>,
        /// Nothing new, only alive.
        heartbeat: Option<bool>,
    }
}

object! {
    /// The preceding tool calls in one line.
    #[derive(Default)]
    pub struct ToolUseSummary {
        /// The line.
        summary: Option<String>,
        /// The calls.
        preceding_tool_use_ids: Vec<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

object! {
    /// The plan's limits have changed.
    #[derive(Default)]
    pub struct RateLimitEvent {
        /// The limits.
        rate_limit_info: RateLimitInfo,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// The plan's limits.
    #[derive(Default)]
    pub struct RateLimitInfo {
        /// `allowed`, `allowed_warning`, `rejected`.
        status: Option<String>,
        /// Unix seconds.
        resets_at as "resetsAt": Option<Num>,
        /// `five_hour`, `seven_day` …
        rate_limit_type as "rateLimitType": Option<String>,
        /// Between 0 and 1.
        utilization: Option<Num>,
        /// As `status`, beyond the plan.
        overage_status as "overageStatus": Option<String>,
        /// Unix seconds.
        overage_resets_at as "overageResetsAt": Option<Num>,
        /// Why there is nothing beyond the plan.
        overage_disabled_reason as "overageDisabledReason": Option<String>,
        /// Beyond the plan now.
        is_using_overage as "isUsingOverage": Option<bool>,
        /// The threshold that was passed.
        surpassed_threshold as "surpassedThreshold": Option<Num>,
        /// `service`, `channel`, `group_pool`.
        limit_scope as "limitScope": Option<String>,
        /// `credits_required`.
        error_code as "errorCode": Option<String>,
    }
}

object! {
    /// A login goes on.
    #[derive(Default)]
    pub struct AuthStatus {
        /// Whether it still does.
        is_authenticating as "isAuthenticating": Option<bool>,
        /// What to show.
        output: Vec<String>,
        /// What went wrong.
        error: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// What the user may want to say next.
    #[derive(Default)]
    pub struct PromptSuggestion {
        /// The prompt.
        suggestion: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

object! {
    /// The transcript was discarded; another begins.
    #[derive(Default)]
    pub struct ConversationReset {
        /// The new session.
        new_conversation_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// `clear`, `plan_mode_exit`, `fresh_session`, `onboarding`.
        trigger: Option<String>,
        /// The prompt that did it.
        user_message_uuid: Option<String>,
        /// When.
        timestamp: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

words! {
    /// What has become of a prompt. One of the last four ends it.
    pub enum CommandState {
        Queued = "queued",
        Started = "started",
        Completed = "completed",
        Cancelled = "cancelled",
        Discarded = "discarded",
        Refused = "refused",
    }
}

object! {
    /// What has become of a prompt.
    #[derive(Default)]
    pub struct CommandLifecycle {
        /// The uuid on the prompt.
        command_uuid: Option<String>,
        /// Its fate.
        state: Option<CommandState>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// `loop_wakeup`, `schedule_wakeup`.
        wakeup_source: Option<String>,
        /// When it is due.
        scheduled_for: Option<Raw>,
        /// It overtook others.
        ran_ahead: Option<Raw>,
    }
}

object! {
    /// The goal of `/goal`.
    #[derive(Default)]
    pub struct ActiveGoal {
        /// The goal, or none.
        value: Nullable<Raw>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// Alive.
    #[derive(Default)]
    pub struct KeepAlive {
        /// How far the start has come.
        startup_mark: Option<String>,
    }
}

object! {
    /// What the CLI has just written to its transcript.
    #[derive(Default)]
    pub struct TranscriptMirror {
        /// The transcript.
        file_path as "filePath": Option<String>,
        /// The lines.
        entries: Vec<Raw>,
    }
}

object! {
    /// State of automatic compaction; undocumented.
    #[derive(Default)]
    pub struct AutocompactState {
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// An error envelope of the API.
    #[derive(Default)]
    pub struct ErrorFrame {
        /// The error.
        error: Option<Raw>,
    }
}
