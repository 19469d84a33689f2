//! The messages of a conversation, in order.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use pilothouse_wire::Frame;
use pilothouse_wire::codec::Inbound;
use pilothouse_wire::message::{AssistantError, ResultFrame, ResultKind};
use serde::de::DeserializeOwned;

use crate::error::{Limit, TurnError};
use crate::process::ExitWatch;
use crate::queue::Queue;

/// The messages of a conversation. Control traffic and heartbeats are not among them.
///
/// A frame's `raw` bytes are a slice of the buffer they were read into, which lives as long as the
/// slice; copy what you keep for long.
pub struct Messages {
    queue: Arc<Queue>,
    taken: VecDeque<Bytes>,
    exit: ExitWatch,
}

/// A turn that has done what it was asked to.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The final text.
    pub text: String,
    /// The end of the turn: cost, usage, durations.
    pub result: Box<ResultFrame>,
}

impl Turn {
    /// The answer as a value; see [`Options::answer_as`](crate::Options::answer_as).
    pub fn answer<T: DeserializeOwned>(&self) -> Result<T, TurnError> {
        let outcome = match &self.result.structured_output {
            Some(output) => output.parse().map_err(|error| error.to_string()),
            None => Err("it has no structured part".to_owned()),
        };
        outcome.map_err(|reason| TurnError::NotAsAsked { reason, text: self.text.clone() })
    }
}

impl Messages {
    pub(crate) fn new(queue: Arc<Queue>, exit: ExitWatch) -> Self {
        Self { queue, taken: VecDeque::new(), exit }
    }

    /// The next message; `None` when the CLI has ended. Safe to drop and call again.
    pub async fn next(&mut self) -> Option<Frame> {
        poll_fn(|context| self.poll_message(context)).await
    }

    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<Frame>> {
        loop {
            while let Some(line) = self.taken.pop_front() {
                let frame = Frame::decode(line);
                if !matches!(frame.message, Inbound::KeepAlive(_)) {
                    return Poll::Ready(Some(frame));
                }
            }
            self.taken = ready!(self.queue.poll_take(context));
            if self.taken.is_empty() {
                return Poll::Ready(None);
            }
        }
    }

    /// Makes `frame` the next message again.
    pub(crate) fn put_back(&mut self, frame: Frame) {
        self.taken.push_front(frame.raw);
    }

    /// Reads to the end of the user's current turn. Turns that the CLI takes of its own accord are
    /// passed over.
    pub async fn turn(&mut self) -> Result<Turn, TurnError> {
        let mut error = None;
        while let Some(frame) = self.next().await {
            match frame.message {
                Inbound::Assistant(assistant) => error = assistant.error.clone().or(error),
                Inbound::Result(result) if !is_autonomous(&result) => {
                    return judge(result, error.as_ref());
                }
                _ => {}
            }
        }
        Err(TurnError::Ended(self.exit.wait().await))
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        self.queue.abandon();
    }
}

impl Stream for Messages {
    type Item = Frame;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_message(context)
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Messages").field("taken", &self.taken.len()).finish_non_exhaustive()
    }
}

fn is_autonomous(result: &ResultFrame) -> bool {
    result.user_message_uuids.is_empty()
        && result.user_message_uuid.is_none()
        && result.origin.as_ref().is_some_and(|origin| origin.is_autonomous())
}

fn judge(result: Box<ResultFrame>, error: Option<&AssistantError>) -> Result<Turn, TurnError> {
    let text = result.text();
    if result.is_success() {
        return Ok(Turn { text, result });
    }
    let message = text;
    Err(match (&result.subtype, error) {
        (_, Some(AssistantError::AuthenticationFailed)) => TurnError::NotLoggedIn { message },
        (_, _) if message.contains("No conversation found") => TurnError::NoSuchSession { message },
        (ResultKind::Success, _) => {
            TurnError::Api { status: result.api_error_status.into_option(), message }
        }
        (ResultKind::ErrorMaxTurns, _) => TurnError::Limit { limit: Limit::Turns },
        (ResultKind::ErrorMaxBudgetUsd, _) => TurnError::Limit { limit: Limit::Budget },
        (ResultKind::ErrorDuringExecution, _) if is_interrupt(&result) => {
            TurnError::Interrupted(result)
        }
        _ => TurnError::Failed(result),
    })
}

/// Newer CLIs give the reason; older ones end an interrupted turn without one.
fn is_interrupt(result: &ResultFrame) -> bool {
    match result.terminal_reason.as_deref() {
        Some(reason) => reason.starts_with("aborted"),
        None => {
            result.is_error != Some(true)
                || result.errors.iter().any(|error| error.contains("result_type=user"))
        }
    }
}
