//! `system` messages that tell something and change nothing in the conversation.

use crate::field::Nullable;
use crate::raw::{Num, Raw};

object! {
    /// Output of a slash command, to show as the assistant's.
    #[derive(Default)]
    pub struct LocalCommandOutput {
        /// The text.
        content: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// Something to show, such as what a hook said.
    #[derive(Default)]
    pub struct Informational {
        /// The text.
        content: Option<String>,
        /// `info`, `notice`, `suggestion`, `warning`.
        level: Option<String>,
        /// Whether the turn stops here.
        prevent_continuation: Option<bool>,
        /// What became of a prompt that was held back.
        prompt_submit_outcome: Option<PromptSubmitOutcome>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// The call it is about.
        tool_use_id: Option<String>,
        /// Groups notices.
        tag: Option<String>,
    }
}

object! {
    /// What became of a prompt that was held back.
    #[derive(Default)]
    pub struct PromptSubmitOutcome {
        /// Such as `blocked_by_hook`.
        kind: Option<String>,
        /// Whether it is still in the transcript.
        prompt_kept: Option<bool>,
        /// Why.
        reason: Option<String>,
    }
}

object! {
    /// Something to show for a moment.
    #[derive(Default)]
    pub struct Notification {
        /// Replaces an earlier one with the same key.
        key: Option<String>,
        /// The text.
        text: Option<String>,
        /// `low`, `medium`, `high`, `immediate`.
        priority: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// Colour.
        color: Option<String>,
        /// How long to show it.
        timeout_ms: Option<Num>,
    }
}

object! {
    /// Memories that were brought in.
    #[derive(Default)]
    pub struct MemoryRecall {
        /// `select`, `synthesize`.
        mode: Option<String>,
        /// The memories.
        memories: Vec<Memory>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// The model refused and another answers.
    #[derive(Default)]
    pub struct ModelRefusalFallback {
        /// `refusal`.
        trigger: Option<String>,
        /// `retry`.
        direction: Option<String>,
        /// Absent or `session`: the session's model has changed.
        scope: Option<String>,
        /// The model that refused.
        original_model: Option<String>,
        /// The model that answers.
        fallback_model: Option<String>,
        /// The API's name for the request.
        request_id: Nullable<String>,
        /// Why.
        api_refusal_category: Nullable<String>,
        /// Why, in words.
        api_refusal_explanation: Nullable<String>,
        /// Messages to take back.
        retracted_message_uuids: Option<Vec<String>>,
        /// The prompt.
        refused_user_message_uuid: Option<String>,
        /// The text.
        content: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// The model refused.
    #[derive(Default)]
    pub struct ModelRefusalNoFallback {
        /// The model.
        original_model: Option<String>,
        /// The API's name for the request.
        request_id: Nullable<String>,
        /// Why.
        api_refusal_category: Nullable<String>,
        /// Why, in words.
        api_refusal_explanation: Nullable<String>,
        /// The prompt.
        refused_user_message_uuid: Option<String>,
        /// The text.
        content: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// A tool was denied without asking. Advisory: the result lists all denials.
    #[derive(Default)]
    pub struct PermissionDenied {
        /// The tool.
        tool_name: Option<String>,
        /// The call.
        tool_use_id: Option<String>,
        /// What decided.
        decision_reason_type: Option<String>,
        /// Why.
        decision_reason: Option<String>,
        /// What the model is told.
        message: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// The subagent.
        agent_id: Option<String>,
    }
}

object! {
    /// An elicitation by address is over.
    #[derive(Default)]
    pub struct ElicitationComplete {
        /// The server.
        mcp_server_name: Option<String>,
        /// The elicitation.
        elicitation_id: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// Files were stored.
    #[derive(Default)]
    pub struct FilesPersisted {
        /// Those that were.
        files: Vec<Raw>,
        /// Those that were not.
        failed: Vec<Raw>,
        /// When.
        processed_at: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// A plugin is being installed.
    #[derive(Default)]
    pub struct PluginInstall {
        /// `started`, `installed`, `failed`, `completed`.
        status: Option<String>,
        /// The plugin.
        name: Option<String>,
        /// What went wrong.
        error: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// Progress of one of the host's requests.
    #[derive(Default)]
    pub struct ControlRequestProgress {
        /// The request.
        request_id: Option<String>,
        /// `started`, `api_retry`.
        status: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Which try.
        attempt: Option<u64>,
        /// How many there can be.
        max_retries: Option<u64>,
        /// Milliseconds until the next.
        retry_delay_ms: Option<Num>,
        /// HTTP status.
        error_status: Nullable<u64>,
    }
}

object! {
    /// The CLI is about to end.
    #[derive(Default)]
    pub struct WorkerShuttingDown {
        /// Why.
        reason: Option<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// The transcript could not be written; sent last.
    #[derive(Default)]
    pub struct SessionWritesLost {
        /// `ENOSPC`, `EDQUOT`.
        error_code: Option<String>,
        /// `transcript`, `global_config`.
        lost: Vec<String>,
        /// Whose.
        transcript_session_ids: Option<Vec<String>>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// The transcript's mirror could not be written.
    #[derive(Default)]
    pub struct MirrorError {
        /// What went wrong.
        error: Option<String>,
        /// Of which transcript.
        key: Option<Raw>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// The session has a new title.
    #[derive(Default)]
    pub struct SessionTitleChanged {
        /// The title.
        title: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// The session.
        session_id: Option<String>,
    }
}

object! {
    /// What a turn came to.
    #[derive(Default)]
    pub struct PostTurnSummary {
        /// The message it is about.
        summarizes_uuid: Option<String>,
        /// How it stands.
        status_category: Option<String>,
        /// More about that.
        status_detail: Nullable<String>,
        /// What the user should do.
        needs_action: Nullable<Raw>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// What a task came to.
    #[derive(Default)]
    pub struct TaskSummary {
        /// The summary.
        detail: Option<Raw>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// Whether a permission is being checked.
    #[derive(Default)]
    pub struct PermissionCheckStatus {
        /// The call.
        tool_use_id: Option<String>,
        /// The subagent.
        agent_id: Option<String>,
        /// The state.
        status: Option<Raw>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// Requests of an earlier host that are still open.
    #[derive(Default)]
    pub struct InheritedAsksSettled {
        /// Their ids.
        kept_request_ids: Vec<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
    }
}

object! {
    /// A memory.
    #[derive(Default)]
    pub struct Memory {
        /// Its file.
        path: Option<String>,
        /// `personal`, `team`, `organization`.
        scope: Option<String>,
        /// Its text.
        content: Option<String>,
    }
}
