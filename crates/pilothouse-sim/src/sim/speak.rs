//! One answer of the model: the stream, a frame for each block, failures and retries.

use std::rc::Rc;
use std::time::Instant;

use serde_json::{Value, json};

use super::abort::Cause;
use super::cli::Cli;
use super::scope::Scope;
use super::thread::Thread;
use super::voice::Voice;
use super::{clock, hold};
use crate::answer::{Answer, DEFAULT_TEXT, Emission};
use crate::script::ApiError;

/// An answer that was given to its end.
#[derive(Debug)]
pub(super) struct Message {
    /// The blocks, each with the id of its frame.
    pub(super) blocks: Vec<(Value, String)>,
    pub(super) stop_reason: String,
    pub(super) id: String,
}

/// What came of asking the model.
#[derive(Debug)]
pub(super) enum Spoken {
    Whole(Message),
    Aborted(Cause),
    Failed(Failure),
}

/// An error of the API that is not tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) status: Option<u16>,
    /// `error.type` of the API.
    pub(super) kind: Option<String>,
    /// What the assistant frame calls it.
    pub(super) category: &'static str,
    pub(super) text: String,
}

enum Attempt {
    Whole(Message),
    Aborted(Cause),
    /// `None`: the connection was cut.
    Failed(Option<ApiError>),
}

/// How the API begins to say that a conversation does not fit.
const TOO_LONG: &str = "prompt is too long";

impl Failure {
    pub(super) fn is_too_long(&self) -> bool {
        self.category == "invalid_request"
    }
}

/// Asks the model for the reply that is due.
pub(super) async fn speak(cli: &Rc<Cli>, thread: &mut Thread, scope: &Scope) -> Spoken {
    if cli.launch.faults.not_logged_in {
        return Spoken::Failed(Failure {
            status: None,
            kind: None,
            category: "authentication_failed",
            text: "Not logged in · Please run /login".to_owned(),
        });
    }
    let began = Instant::now();
    let mut attempt = 0;
    let mut excused = false;
    let spoken = loop {
        let error = match once(cli, thread, scope).await {
            Attempt::Whole(message) => break Spoken::Whole(message),
            Attempt::Aborted(cause) => break Spoken::Aborted(cause),
            Attempt::Failed(error) => error,
        };
        let status = error.as_ref().map(|error| error.status);
        // A request that the API calls invalid is asked once more without a word.
        if status == Some(400) && !std::mem::replace(&mut excused, true) {
            continue;
        }
        if attempt >= cli.launch.max_retries || matches!(status, Some(400 | 403 | 404 | 413)) {
            break Spoken::Failed(failure(cli, error));
        }
        attempt += 1;
        cli.emit(json!({
            "type": "system",
            "subtype": "api_retry",
            "attempt": attempt,
            "max_retries": cli.launch.max_retries,
            // Told but not waited for: nothing is gained by being slow here.
            "retry_delay_ms": 500_u64 << (attempt - 1).min(6),
            "error_status": status,
            "error": retry_category(status),
        }));
    };
    scope.tally.borrow_mut().api_ms += clock::whole(began.elapsed());
    thread.answered();
    spoken
}

async fn once(cli: &Rc<Cli>, thread: &mut Thread, scope: &Scope) -> Attempt {
    let model = cli.model.borrow().clone();
    let answer = match thread.reply() {
        Some(reply) => Answer::new(&reply, &model, str::to_owned),
        None => Answer::text(DEFAULT_TEXT, &model),
    };
    let mut voice = Voice::new(cli, scope, &answer.message);
    for (place, emission) in answer.before.iter().chain(&answer.stream).enumerate() {
        let waited = match emission {
            Emission::Event(event) => {
                voice.event(event);
                // Lets a request of the host be heard between two events.
                scope.abort.unless(tokio::task::yield_now()).await
            }
            Emission::Pause(pause) => scope.abort.unless(tokio::time::sleep(*pause)).await,
            Emission::Hold(name) => {
                let directory = cli.launch.holds.as_deref();
                scope.abort.unless(hold::wait(directory, name)).await
            }
            Emission::Fail(error) => {
                if thread.raise(place, error.times) {
                    voice.fall_silent();
                    return Attempt::Failed(Some(error.clone()));
                }
                Ok(())
            }
            Emission::Cut { times } => {
                if thread.raise(place, *times) {
                    voice.fall_silent();
                    return Attempt::Failed(None);
                }
                Ok(())
            }
        };
        if let Err(cause) = waited {
            voice.break_off(cause);
            return Attempt::Aborted(cause);
        }
    }
    Attempt::Whole(voice.finish(&model))
}

fn retry_category(status: Option<u16>) -> &'static str {
    match status {
        Some(401) => "authentication_failed",
        Some(429) => "rate_limit",
        Some(529) => "overloaded",
        Some(500..) => "server_error",
        _ => "unknown",
    }
}

fn failure(cli: &Cli, error: Option<ApiError>) -> Failure {
    let Some(error) = error else {
        return Failure {
            status: None,
            kind: None,
            category: "unknown",
            text: "API Error: the connection was closed in the middle of an answer".to_owned(),
        };
    };
    let plain = format!("API Error: {} {}", error.status, error.message);
    let (category, text) = match error.status {
        401 => ("authentication_failed", format!("Failed to authenticate. {plain}")),
        404 => {
            let model = cli.model.borrow();
            ("model_not_found", format!("The model {model} does not exist or is not for you."))
        }
        400 if error.message.starts_with(TOO_LONG) => {
            ("invalid_request", format!("Prompt is too long · {}", error.message))
        }
        429 => ("rate_limit", plain),
        500.. => ("server_error", plain),
        _ => ("unknown", plain),
    };
    Failure { status: Some(error.status), kind: Some(error.kind), category, text }
}

/// The assistant frame that stands for an answer that never came.
pub(super) fn show_failure(cli: &Cli, scope: &Scope, failure: &Failure) {
    let mut frame = synthetic(&failure.text, "stop_sequence");
    frame["error"] = json!(failure.category);
    frame["is_api_error_message"] = json!(true);
    if let Some(status) = failure.status {
        frame["api_error_status"] = json!(status);
    }
    if let Some(kind) = &failure.kind {
        frame["api_error_type"] = json!(kind);
        frame["request_id"] = json!(crate::answer::fresh("req"));
    }
    scope.sign(&mut frame);
    scope.attribute(&mut frame);
    cli.emit(frame);
}

/// An assistant frame that no model has written.
pub(super) fn synthetic(text: &str, stop_reason: &str) -> Value {
    let stop_sequence = if stop_reason == "stop_sequence" { json!("") } else { Value::Null };
    json!({
        "type": "assistant",
        "message": {
            "id": uuid::Uuid::new_v4().to_string(),
            "type": "message",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": text}],
            "stop_reason": stop_reason,
            "stop_sequence": stop_sequence,
            "stop_details": null,
            "diagnostics": null,
            "container": null,
            "context_management": null,
            "usage": {
                "input_tokens": 0,
                "output_tokens": 0,
                "output_tokens_details": null,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
                "service_tier": null,
                "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
                "inference_geo": null,
                "iterations": null,
                "speed": null,
                "fallback_credit": null,
            },
        },
        "parent_tool_use_id": null,
        "timestamp": clock::iso(),
    })
}
