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
#[derive(Debug)]
pub struct Query {
    client: Client,
    messages: Messages,
    ending: Ending,
    /// Arrived, and not yet handed out.
    arrived: Option<Frame>,
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
    let ending = Ending::new(options.answers_requests());
    let resuming = options.resumed().map(str::to_owned);
    let (client, messages) = Client::start(options).await?;
    match client.prompt(prompt).await {
        Ok(_) => Ok(Query { client, messages, ending, arrived: None }),
        Err(error) => Err(client.why(error, messages, resuming).await),
    }
}

impl Query {
    /// The next message; `None` when the CLI has ended. Safe to drop and call again.
    pub async fn next(&mut self) -> Option<Frame> {
        if self.arrived.is_none() {
            let frame = self.arrival().await?;
            self.ending.note(&frame.message, Instant::now());
            self.arrived = Some(frame);
        }
        if self.ending.is_due() {
            self.close().await;
        }
        self.arrived.take()
    }

    async fn arrival(&mut self) -> Option<Frame> {
        if let Some(deadline) = self.ending.deadline {
            match tokio::time::timeout_at(deadline, self.messages.next()).await {
                Ok(frame) => return frame,
                Err(_) => self.close().await,
            }
        }
        self.messages.next().await
    }

    /// Reads to the end of the turn and ends the CLI.
    pub async fn turn(mut self) -> Result<Turn, TurnError> {
        if let Some(frame) = self.arrived.take() {
            self.messages.put_back(frame);
        }
        let turn = self.messages.turn().await;
        self.client.stop().await;
        turn
    }

    /// The client, for interrupts and other requests.
    pub fn client(&self) -> &Client {
        &self.client
    }

    async fn close(&mut self) {
        self.client.close().await;
        self.ending.deadline = None;
    }
}

/// When stdin can be closed.
#[derive(Debug)]
struct Ending {
    /// Handlers may still be needed after the answer, for as long as the session is not idle.
    needs_stdin: bool,
    state: Option<SessionState>,
    answered: bool,
    /// When background work has gone on for long enough.
    deadline: Option<Instant>,
}

impl Ending {
    fn new(needs_stdin: bool) -> Self {
        Self { needs_stdin, state: None, answered: false, deadline: None }
    }

    fn note(&mut self, message: &Inbound, now: Instant) {
        match message {
            Inbound::Result(_) => {
                self.answered = true;
                self.deadline = Some(now + CEILING);
            }
            Inbound::System(System::SessionStateChanged(change)) => {
                self.state = Some(change.state.clone());
                match change.state {
                    // A person may take as long as they like.
                    SessionState::RequiresAction => self.deadline = None,
                    SessionState::Running if self.answered => self.deadline = Some(now + CEILING),
                    _ => {}
                }
            }
            // The model is at work again: the ceiling is for silence.
            Inbound::Assistant(_) | Inbound::StreamEvent(_) => self.deadline = None,
            _ => {}
        }
    }

    /// Whether nothing more is owed: at the answer, or, where handlers may still be asked, when the
    /// session is idle. CLIs that do not tell their state are idle at the answer.
    fn is_due(&self) -> bool {
        let idle = matches!(self.state, None | Some(SessionState::Idle));
        self.answered && (idle || !self.needs_stdin)
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_wire::codec;

    use super::*;

    /// Whether it can end after these, and whether there is a deadline.
    fn after(needs_stdin: bool, steps: &[&str]) -> (bool, bool) {
        let mut ending = Ending::new(needs_stdin);
        for step in steps {
            let line = match *step {
                "result" => r#"{"type":"result","subtype":"success"}"#.to_owned(),
                "assistant" => r#"{"type":"assistant","message":{"content":[]}}"#.to_owned(),
                state => format!(
                    r#"{{"type":"system","subtype":"session_state_changed","state":"{state}"}}"#
                ),
            };
            let message = codec::decode(line.as_bytes());
            assert!(message.is_known(), "{line}");
            ending.note(&message, Instant::now());
        }
        (ending.is_due(), ending.deadline.is_some())
    }

    #[test]
    fn it_ends_when_nothing_more_is_owed() {
        for needs_stdin in [false, true] {
            assert_eq!(after(needs_stdin, &["assistant"]), (false, false));
            assert_eq!(after(needs_stdin, &["result"]), (true, true), "old CLIs tell no state");
            assert_eq!(after(needs_stdin, &["running", "result", "idle"]), (true, true));
        }
        assert!(after(false, &["running", "result"]).0, "nobody would be asked");
        assert!(!after(true, &["running", "result"]).0);
    }

    #[test]
    fn the_ceiling_is_for_silence_and_not_for_people() {
        assert_eq!(after(true, &["running", "result"]), (false, true));
        assert_eq!(after(true, &["running", "result", "assistant"]), (false, false));
        assert_eq!(after(true, &["running", "result", "requires_action"]), (false, false));
        let again = ["running", "result", "requires_action", "running"];
        assert_eq!(after(true, &again), (false, true));
    }
}
