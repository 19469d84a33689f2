//! Carries out what is asked over the socket.

use pilothouse_session::Command;
use pilothouse_session::id::SessionId;
use pilothouse_wire::{Content, Raw};
use serde_json::{Value, json};

use super::message::Order;
use crate::host::PromptRequest;
use crate::http::problem::{Fault, Problem};
use crate::{Host, HostError};

/// Asks the session, and waits for its answer.
pub(super) async fn carry_out(
    host: &Host,
    session: SessionId,
    order: Order,
    name: &str,
) -> Result<Value, Problem> {
    let said = |answer: Raw| serde_json::from_str(answer.get()).unwrap_or_default();
    let command = match order {
        Order::Prompt { content, key, urgency } => {
            let content: Content = serde_json::from_value(content).map_err(|error| {
                Problem::invalid(Fault::body("/command/content", error.to_string()))
            })?;
            let files = Vec::new();
            let request = PromptRequest { key, prompt: None, content, files, urgency };
            let prompt = host.prompt(session, request).await.map_err(problem)?;
            return Ok(json!({ "prompt": prompt }));
        }
        Order::CancelPrompt { prompt } => Command::CancelPrompt { prompt },
        Order::SendNow { prompt } => Command::SendNow { prompt },
        Order::Interrupt { cancel_queued } => Command::Interrupt { cancel_queued },
        Order::Decide { approval, decision } => {
            Command::Decide { approval, decision, name: Some(name.to_owned()) }
        }
        Order::SetMode { mode } => {
            return host.set_mode(session, &mode, name).await.map(said).map_err(problem);
        }
        Order::SetModel { model } => Command::SetModel { model },
        Order::SetThinking { max_tokens } => {
            Command::SetThinking { max_tokens: max_tokens.map(u64::from) }
        }
        Order::SetEffort { effort } => Command::SetEffort { effort },
        Order::Start { from } => Command::Start(from),
        Order::Stop => Command::Stop,
    };
    host.command(session, command).await.map(said).map_err(problem)
}

/// Where something is wrong is told from the message on.
fn problem(error: HostError) -> Problem {
    match error {
        HostError::Unfit(unfit) => {
            Problem::invalid(Fault::body(format!("/command/{}", unfit.field), unfit.reason))
        }
        other => other.into(),
    }
}
