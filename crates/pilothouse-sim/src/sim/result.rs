//! The end of a turn, as a `result` frame.

use serde_json::{Value, json};

use super::cli::Cli;
use super::clock;
use super::scope::Scope;
use super::speak::Failure;

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ending {
    /// The model had nothing more to say.
    Completed,
    /// The model gave the output it was asked for.
    Structured(Value),
    /// A Stop hook forbade going on.
    StopHook,
    /// A hook of a tool forbade going on.
    HookStopped,
    /// The model could not be asked.
    ApiError(Failure),
    /// Interrupted while the model spoke.
    AbortedStreaming,
    /// Interrupted while tools ran.
    AbortedTools,
    /// Another prompt took its place while the model spoke.
    Steered,
    /// So many turns and no more.
    MaxTurns(u32),
    /// The model was not asked: a local command, a hook that blocked, a note.
    Local { text: String, command: Option<String> },
}

impl Ending {
    /// What `command_lifecycle` calls it.
    pub(super) fn fate(&self) -> &'static str {
        match self {
            Self::ApiError(_) | Self::AbortedStreaming | Self::AbortedTools | Self::Steered => {
                "cancelled"
            }
            _ => "completed",
        }
    }

    fn terminal_reason(&self) -> Option<&'static str> {
        Some(match self {
            Self::Completed | Self::Structured(_) => "completed",
            Self::StopHook => "stop_hook_prevented",
            Self::HookStopped => "hook_stopped",
            Self::ApiError(failure) if failure.is_too_long() => "prompt_too_long",
            Self::ApiError(_) => "api_error",
            Self::AbortedStreaming | Self::Steered => "aborted_streaming",
            Self::AbortedTools => "aborted_tools",
            Self::MaxTurns(_) => "max_turns",
            Self::Local { .. } => return None,
        })
    }
}

/// Sends the result of a turn. `origin` tells of a turn that nobody asked for.
pub(super) fn send(cli: &Cli, scope: &Scope, ending: &Ending, origin: Option<Value>) {
    let mut frame = common(cli, scope);
    if let Some(reason) = ending.terminal_reason() {
        frame["terminal_reason"] = json!(reason);
    }
    let tally = scope.tally.borrow();
    let interrupted = |stop: &Option<String>| {
        let stop = stop.as_deref().unwrap_or("null");
        format!("[ede_diagnostic] result_type=user last_content_type=n/a stop_reason={stop}")
    };
    match ending {
        Ending::Completed | Ending::StopHook | Ending::HookStopped | Ending::Steered => {
            succeed(&mut frame, &tally.text);
        }
        Ending::Structured(output) => {
            succeed(&mut frame, &output.to_string());
            frame["structured_output"] = output.clone();
        }
        Ending::ApiError(failure) => {
            succeed(&mut frame, &failure.text);
            frame["is_error"] = json!(true);
            frame["stop_reason"] = json!("stop_sequence");
            frame["api_error_status"] = json!(failure.status);
            if let Some(kind) = &failure.kind {
                frame["api_error_type"] = json!(kind);
            }
        }
        Ending::AbortedStreaming => {
            frame["stop_reason"] = Value::Null;
            fail(&mut frame, "error_during_execution", &interrupted(&None));
        }
        Ending::AbortedTools => {
            let text = interrupted(&tally.stop_reason);
            fail(&mut frame, "error_during_execution", &text);
        }
        Ending::MaxTurns(turns) => {
            fail(
                &mut frame,
                "error_max_turns",
                &format!("Reached maximum number of turns ({turns})"),
            );
        }
        Ending::Local { text, command } => {
            succeed(&mut frame, text);
            frame["num_turns"] = json!(0);
            if let Some(fields) = frame.as_object_mut() {
                fields.remove("api_error_status");
            }
            if let Some(command) = command {
                frame["local_command"] = json!(command);
            }
        }
    }
    if matches!(ending, Ending::Steered) {
        frame["stop_reason"] = Value::Null;
    }
    let asked = tally.first_word_ms.is_some();
    if asked && frame["subtype"] == "success" && !matches!(ending, Ending::ApiError(_)) {
        telemetry(&mut frame, scope, tally.first_word_ms.unwrap_or(0), tally.first_input);
    }
    if let Some(origin) = origin {
        frame["origin"] = origin;
    }
    // An interrupt was no error for old versions.
    let excused = cli.launch.faults.old && frame["subtype"] == "error_during_execution";
    cli.last_failed.set(frame["is_error"] == true && !excused);
    drop(tally);
    cli.emit(frame);
}

fn succeed(frame: &mut Value, text: &str) {
    frame["subtype"] = json!("success");
    frame["is_error"] = json!(false);
    frame["result"] = json!(text);
    frame["api_error_status"] = Value::Null;
}

fn fail(frame: &mut Value, subtype: &str, text: &str) {
    frame["subtype"] = json!(subtype);
    frame["is_error"] = json!(true);
    frame["errors"] = json!([text]);
}

fn common(cli: &Cli, scope: &Scope) -> Value {
    let tally = scope.tally.borrow();
    let mut ledger = cli.ledger.borrow_mut();
    let index = cli.results.get();
    cli.results.set(index + 1);
    let mut frame = json!({
        "type": "result",
        "duration_ms": clock::whole(tally.started.elapsed()),
        "duration_api_ms": tally.api_ms,
        "num_turns": tally.rounds,
        "stop_reason": tally.stop_reason,
        "total_cost_usd": ledger.total_cost(),
        "usage": tally.tokens.usage(),
        "modelUsage": ledger.model_usage(),
        "model_usage_since_last_result": ledger.take_since_result(),
        "permission_denials": *scope.denials.borrow(),
        "fast_mode_state": "off",
        "fast_mode_disabled_reason": "sdk_opt_in_required",
        "subagent_stats": cli.agent_stats.borrow().told(),
        "safety_stops": tally.refusals,
        "queued_turn_count": 0,
        "result_index": index,
    });
    scope.attribute(&mut frame);
    frame
}

/// How fast it was. Hosts may show it; nothing depends on it.
fn telemetry(frame: &mut Value, scope: &Scope, first_word: u64, first_input: Option<u64>) {
    for field in ["ttft_ms", "ttft_stream_ms", "time_to_request_ms", "first_content_frame_ms"] {
        frame[field] = json!(first_word);
    }
    if scope.lead.is_some() {
        frame["request_sent_wall_ms"] = json!(clock::millis());
        frame["first_request_input_tokens"] = json!(first_input.unwrap_or(0));
        frame["first_request_cache_read_input_tokens"] = json!(0);
    }
}

/// The result of a start that failed: everything is zero.
pub(super) fn stillborn(session: &str, text: &str) -> Value {
    json!({
        "type": "result",
        "subtype": "error_during_execution",
        "duration_ms": 0,
        "duration_api_ms": 0,
        "is_error": true,
        "num_turns": 0,
        "stop_reason": null,
        "session_id": session,
        "total_cost_usd": 0,
        "usage": super::ledger::Tokens::default().usage(),
        "modelUsage": {},
        "permission_denials": [],
        "uuid": uuid::Uuid::new_v4().to_string(),
        "result_index": 0,
        "errors": [text],
    })
}
