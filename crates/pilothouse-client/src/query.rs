//! One prompt, its answer, and the end.

use std::time::Duration;

use pilothouse_wire::Frame;
use pilothouse_wire::codec::Inbound;
use pilothouse_wire::message::{SessionState, System};
use tokio::time::Instant;

use crate::client::Client;
use crate::error::{StartError, TurnError};
use crate::messages::{Messages, Turn};
use crate::options::Options;
use crate::prompt::Prompt;

/// How long background work may go on after the answer.
const CEILING: Duration = Duration::from_secs(600);

/// The messages of one prompt; the CLI ends after them.
pub struct Query {
    client: Client,
    messages: Messages,
    /// Handlers may still be needed after the answer, for as long as the session is not idle.
    needs_stdin: bool,
    state: Option<SessionState>,
    answered: bool,
    deadline: Option<Instant>,
}

/// Asks one thing.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use pilothouse_client::{Options, query};
///
/// let turn = query("How many lines of Rust are here?", Options::default()).await?.turn().await?;
/// println!("{}", turn.text);
/// # Ok(()) }
/// ```
pub async fn query(prompt: impl Into<Prompt>, options: Options) -> Result<Query, StartError> {
    let needs_stdin = options.answers_requests();
    let (client, messages) = Client::start(options).await?;
    let query =
        Query { client, messages, needs_stdin, state: None, answered: false, deadline: None };
    if query.client.prompt(prompt).await.is_err() {
        return Err(StartError::Exited(query.client.wait().await));
    }
    Ok(query)
}

impl Query {
    /// The next message; `None` when the CLI has ended.
    pub async fn next(&mut self) -> Option<Frame> {
        let frame = match self.deadline {
            None => self.messages.next().await,
            Some(deadline) => match tokio::time::timeout_at(deadline, self.messages.next()).await {
                Ok(frame) => frame,
                Err(_) => {
                    self.close().await;
                    self.messages.next().await
                }
            },
        }?;
        self.note(&frame).await;
        Some(frame)
    }

    /// Reads to the end of the turn and ends the CLI.
    pub async fn turn(mut self) -> Result<Turn, TurnError> {
        let turn = self.messages.turn().await;
        self.client.stop().await;
        turn
    }

    /// The client, for interrupts and other requests.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Closes stdin when nothing more is owed: at the answer, or, where handlers may still be
    /// asked, when the session is idle. CLIs that do not tell their state are idle at the answer.
    async fn note(&mut self, frame: &Frame) {
        match &frame.message {
            Inbound::Result(_) => {
                self.answered = true;
                self.deadline = Some(Instant::now() + CEILING);
            }
            Inbound::System(System::SessionStateChanged(change)) => {
                self.state = Some(change.state.clone());
            }
            // The model is at work again: the ceiling is for silence.
            Inbound::Assistant(_) | Inbound::StreamEvent(_) => {
                self.deadline = None;
                return;
            }
            _ => return,
        }
        let idle = matches!(self.state, None | Some(SessionState::Idle));
        if self.answered && (idle || !self.needs_stdin) {
            self.close().await;
        }
    }

    async fn close(&mut self) {
        self.deadline = None;
        self.client.close().await;
    }
}
