//! `result`: a turn has ended.

use crate::field::Nullable;
use crate::message::assistant::{ModelUsages, Usage};
use crate::message::user::Origin;
use crate::raw::{Num, Raw};

object! {
    /// The end of a turn. Cost and model usage are running totals: take the latest, never add.
    pub struct ResultFrame {
        /// How it ended.
        subtype: ResultKind,
        /// Whether it is an error; an interrupted turn says so too.
        is_error: Option<bool>,
        /// The final text; with `is_error`, what the API said. Only on success.
        result: Option<String>,
        /// What went wrong. Not on success.
        errors: Vec<String>,
        /// The session.
        session_id: Option<String>,
        /// Names this frame.
        uuid: Option<String>,
        /// Milliseconds.
        duration_ms: Option<Num>,
        /// Milliseconds at the API.
        duration_api_ms: Option<Num>,
        /// Rounds with the model.
        num_turns: Option<u64>,
        /// Why the last answer ended.
        stop_reason: Nullable<String>,
        /// Dollars since the run began.
        total_cost_usd: Option<Num>,
        /// Tokens of this turn's main loop.
        usage: Option<Box<Usage>>,
        /// Usage by model since the run began.
        model_usage as "modelUsage": Option<ModelUsages>,
        /// Tools that were not allowed.
        permission_denials: Vec<PermissionDenial>,
        /// Turns that follow by themselves.
        queued_turn_count: Option<u64>,
        /// Why the loop ended: `completed`, `max_turns`, `aborted_streaming` …
        terminal_reason: Option<String>,
        /// Counts the results of a run.
        result_index: Option<u64>,
        /// Where the turn is from.
        origin: Option<Origin>,
        /// The prompt that was answered.
        user_message_uuid: Option<String>,
        /// The prompts that were answered.
        user_message_uuids: Vec<String>,
        /// Why the turn was resumed.
        resume_reason: Option<String>,
        /// The answer to a JSON schema.
        structured_output: Option<Raw>,
        /// A tool call that was put off.
        deferred_tool_use: Option<DeferredToolUse>,
        /// HTTP status of a failed call.
        api_error_status: Nullable<u64>,
        /// On the result of a local slash command.
        local_command: Option<Raw>,
        /// Why the CLI could not start.
        startup_failure_reason: Option<String>,
        /// The configuration file that could not be read.
        invalid_config_file: Option<InvalidConfigFile>,
        /// When the login ends.
        credential_expires_at: Option<String>,
        /// `off`, `cooldown`, `on`.
        fast_mode_state: Option<String>,
        /// Why fast mode is off.
        fast_mode_disabled_reason: Option<String>,
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
