//! Carries out what is asked over the socket.

use pilothouse_session::Command;
use pilothouse_session::command::mode_named;
use pilothouse_session::id::SessionId;
use pilothouse_wire::Content;
use serde_json::{Value, json};

use super::message::Order;
use crate::Host;
use crate::host::PromptRequest;
use crate::http::problem::{Fault, Problem};

/// Asks the session, and waits for its answer.
pub(super) async fn carry_out(
    host: &Host,
    session: SessionId,
    order: Order,
    name: &str,
) -> Result<Value, Problem> {
    let command = match order {
        Order::Prompt { content, key, urgency } => {
            let content: Content = serde_json::from_value(content).map_err(|error| {
                Problem::invalid(Fault::body("/command/content", error.to_string()))
            })?;
            let files = Vec::new();
            let request = PromptRequest { key, prompt: None, content, files, urgency };
            let prompt = host.prompt(session, request).await?;
            return Ok(json!({ "prompt": prompt }));
        }
        Order::CancelPrompt { prompt } => Command::CancelPrompt { prompt },
        Order::SendNow { prompt } => Command::SendNow { prompt },
        Order::Interrupt { cancel_queued } => Command::Interrupt { cancel_queued },
        Order::Decide { approval, decision } => {
            Command::Decide { approval, decision, name: Some(name.to_owned()) }
        }
        Order::SetMode { mode } => Command::SetMode { mode: mode_named(&mode) },
        Order::SetModel { model } => Command::SetModel { model },
        Order::SetThinking { max_tokens } => Command::SetThinking { max_tokens },
        Order::SetEffort { effort } => Command::SetEffort { effort },
        Order::Start { from } => Command::Start(from),
        Order::Stop => Command::Stop,
    };
    let answer = host.command(session, command).await?;
    Ok(serde_json::from_str(answer.get()).unwrap_or_default())
}
