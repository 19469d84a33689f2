//! Carries out what is asked over the socket.

use std::time::Duration;

use futures_util::FutureExt;
use pilothouse_session::Command;
use pilothouse_session::id::SessionId;
use pilothouse_wire::{Content, Raw};
use serde_json::{Value, json};
use tokio::task::JoinError;
use tokio_util::task::AbortOnDropHandle;

use super::message::Order;
use crate::host::PromptRequest;
use crate::http::problem::{Fault, Kind, Problem};
use crate::http::rest::Actor;
use crate::{Host, HostError};

/// Begins at once, and gives the answer, or that it has taken too long. What nobody waits for any more
/// is given up, or a deaf CLI would gather ever more who wait for it; but for a change of mode: that is
/// noted when the CLI has answered, and neither a slow one nor a socket that closes may leave it out.
pub(super) fn carried_out(
    host: Host,
    session: SessionId,
    order: Order,
    actor: Actor,
    limit: Duration,
) -> impl Future<Output = Result<Value, Problem>> + use<> {
    let is_noted = matches!(order, Order::SetMode { .. });
    let task = tokio::spawn(carry_out(host, session, order, actor));
    match is_noted {
        true => answer(task, limit).left_future(),
        false => answer(AbortOnDropHandle::new(task), limit).right_future(),
    }
}

async fn answer(
    carried_out: impl Future<Output = Result<Result<Value, Problem>, JoinError>>,
    limit: Duration,
) -> Result<Value, Problem> {
    match tokio::time::timeout(limit, carried_out).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => {
            let detail = "the command broke off: look at the session, then try again";
            Err(Problem::new(Kind::Internal, detail))
        }
        Err(_) => Err(Problem::timed_out()),
    }
}

/// Asks the session, and waits for its answer.
async fn carry_out(
    host: Host,
    session: SessionId,
    order: Order,
    actor: Actor,
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
            let (name, identity) = (Some(actor.name), Some(actor.identity));
            Command::Decide { approval, decision, name, identity }
        }
        Order::SetMode { mode } => {
            let answer = host.set_mode(session, &mode, &actor.identity).await;
            return answer.map(said).map_err(problem);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_breaks_off_is_answered_too() {
        let broken = tokio::spawn(async { panic!("as a mistake of ours would") });
        let answered = answer(broken, Duration::from_secs(60)).await;
        assert_eq!(answered.unwrap_err().document().status, 500);
        let endless = tokio::spawn(std::future::pending());
        let answered = answer(endless, Duration::from_millis(1)).await;
        assert_eq!(answered.unwrap_err().document().status, 504);
    }
}
