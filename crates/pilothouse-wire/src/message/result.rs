//! `result`: a turn has ended.

use std::collections::BTreeMap;

use crate::field::Nullable;
use crate::message::assistant::{ModelUsages, Usage};
use crate::message::user::Origin;
use crate::raw::{Num, Raw};

object! {
    /// The end of a turn. Cost and model usage are running totals: take the latest, never add.
    pub struct ResultFrame {
        /// Milliseconds at the API.
        duration_api_ms: Option<Num>,
        /// Why the last answer ended.
        stop_reason: Nullable<String>,
        /// The session.
        session_id: Option<String>,
        /// Dollars since the run began.
        total_cost_usd: Option<Num>,
        /// Tokens of this turn's main loop.
        usage: Option<Box<Usage>>,
        /// Usage by model since the run began.
        model_usage as "modelUsage": Option<ModelUsages>,
        /// Tools that were not allowed.
        permission_denials: Vec<PermissionDenial>,
        /// Why the loop ended: `completed`, `max_turns`, `aborted_streaming` …
        terminal_reason: Option<String>,
        /// `off`, `cooldown`, `on`.
        fast_mode_state: Option<String>,
        /// Why fast mode is off.
        fast_mode_disabled_reason: Option<String>,
        /// Where the turn is from.
        origin: Option<Box<Origin>>,
        /// What became of the subagents, all turns of the run together.
        subagent_stats: Option<Box<SubagentStats>>,
        /// How often the model refused.
        safety_stops: Option<u64>,
        /// Whether it is an error; an interrupted turn says so too.
        is_error: Option<bool>,
        /// Rounds with the model.
        num_turns: Option<u64>,
        /// How it ended.
        subtype: ResultKind,
        /// HTTP status of a failed call.
        api_error_status: Nullable<u64>,
        /// What went wrong. Not on success.
        errors: Vec<String>,
        /// What the API called the error of a failed call.
        api_error_type: Option<String>,
        /// The final text; with `is_error`, what the API said. Only on success.
        result: Option<String>,
        /// The answer to a JSON schema.
        structured_output: Option<Raw>,
        /// Milliseconds to the first token.
        ttft_ms: Option<Num>,
        /// Milliseconds.
        duration_ms: Option<Num>,
        /// Names this frame.
        uuid: Option<String>,
        /// Milliseconds to the first token of the stream.
        ttft_stream_ms: Option<Num>,
        /// Milliseconds until the API was asked.
        time_to_request_ms: Option<Num>,
        /// Milliseconds until the first content was written out.
        first_content_frame_ms: Option<Num>,
        /// The prompt that was answered.
        user_message_uuid: Option<String>,
        /// The prompts that were answered.
        user_message_uuids: Vec<String>,
        /// When the API was asked, Unix milliseconds.
        request_sent_wall_ms: Option<Num>,
        /// Fresh input of the first call.
        first_request_input_tokens: Option<u64>,
        /// Input of the first call that was read from the cache.
        first_request_cache_read_input_tokens: Option<u64>,
        /// The slash command that the CLI ran instead of asking the model, without the slash.
        local_command: Option<String>,
        /// Turns that follow by themselves.
        queued_turn_count: Option<u64>,
        /// Why the CLI could not start.
        startup_failure_reason: Option<String>,
        /// The configuration file that could not be read.
        invalid_config_file: Option<InvalidConfigFile>,
        /// Counts the results of a run.
        result_index: Option<u64>,
        /// Usage by model since the result before this one.
        model_usage_since_last_result: Option<ModelUsages>,
        /// Why the turn was resumed.
        resume_reason: Option<String>,
        /// A tool call that was put off.
        deferred_tool_use: Option<DeferredToolUse>,
        /// When the login ends.
        credential_expires_at: Option<String>,
    }
}

words! {
    /// How a turn ended.
    pub enum ResultKind {
        Success = "success",
        ErrorDuringExecution = "error_during_execution",
        ErrorMaxTurns = "error_max_turns",
        ErrorMaxBudgetUsd = "error_max_budget_usd",
        ErrorMaxStructuredOutputRetries = "error_max_structured_output_retries",
    }
}

object! {
    /// A tool that was not allowed.
    #[derive(Default)]
    pub struct PermissionDenial {
        /// The tool.
        tool_name: Option<String>,
        /// The call.
        tool_use_id: Option<String>,
        /// What it was called with.
        tool_input: Option<Raw>,
    }
}

object! {
    /// A tool call that was put off.
    #[derive(Default)]
    pub struct DeferredToolUse {
        /// The call.
        id: Option<String>,
        /// The tool.
        name: Option<String>,
        /// What it was called with.
        input: Option<Raw>,
    }
}

object! {
    /// A configuration file that could not be read.
    #[derive(Default)]
    pub struct InvalidConfigFile {
        /// The file.
        path: Option<String>,
        /// Whether it is the user's own.
        is_global: Option<bool>,
        /// Whether a backup was looked for.
        backup_searched: Option<bool>,
        /// The backup.
        backup_path: Option<String>,
    }
}

impl ResultFrame {
    /// Whether the turn did what it was asked to.
    pub fn is_success(&self) -> bool {
        self.subtype == ResultKind::Success && self.is_error != Some(true)
    }

    /// The text to show: the answer, or what went wrong.
    pub fn text(&self) -> String {
        match &self.result {
            Some(text) => text.clone(),
            None => self.errors.join("\n"),
        }
    }
}

object! {
    /// What became of the subagents.
    #[derive(Default)]
    pub struct SubagentStats {
        /// How many there were.
        spawned: Option<u64>,
        /// How they were asked for.
        requested: Option<SubagentsRequested>,
        /// How many did not keep the caller waiting.
        started_in_background: Option<u64>,
        /// How deep they were nested.
        max_depth: Option<u64>,
        /// How many were started by other subagents.
        spawned_by_subagents: Option<u64>,
        /// How many finished.
        completed: Option<u64>,
        /// How many failed.
        failed: Option<u64>,
        /// How many were stopped, by whom.
        killed: Option<SubagentsKilled>,
        /// How many were not started, and why.
        refused: Option<SubagentsRefused>,
        /// How many there were of each kind.
        by_type: Option<BTreeMap<String, u64>>,
    }
}

object! {
    /// How subagents were asked for.
    #[derive(Default)]
    pub struct SubagentsRequested {
        /// To run in the background.
        background: Option<u64>,
        /// To be waited for.
        foreground: Option<u64>,
        /// Either way.
        unset: Option<u64>,
    }
}

object! {
    /// Who stopped subagents.
    #[derive(Default)]
    pub struct SubagentsKilled {
        /// Who started them.
        parent: Option<u64>,
        /// The user.
        user: Option<u64>,
        /// The CLI.
        system: Option<u64>,
    }
}

object! {
    /// Why subagents were not started.
    #[derive(Default)]
    pub struct SubagentsRefused {
        /// Nested too deep.
        depth_limit: Option<u64>,
        /// Too many at once.
        concurrency_limit: Option<u64>,
        /// Nothing left to spend.
        budget: Option<u64>,
    }
}
