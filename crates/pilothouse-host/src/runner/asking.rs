//! What the rest of the host asks of a session's loop.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use pilothouse_session::approval::Approval;
use pilothouse_session::event::{OpenItem, Task};
use pilothouse_session::id::CommandId;
use pilothouse_session::session::Setup;
use pilothouse_session::{Command, Input, Refusal};
use pilothouse_wire::Raw;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use super::Runner;
use super::batch::Batch;
use crate::host::blocking;
use crate::secrets::{kept, of_request, redact_json, restore};
use crate::store::StoreError;

/// How many may ask at once; more wait.
const MOST_ASKS: usize = 64;

/// Where a loop is asked.
pub(crate) type Mailbox = mpsc::Sender<Ask>;

/// Where a command's answer goes.
pub(super) type Reply = oneshot::Sender<Result<Raw, CommandError>>;

/// A new mailbox.
pub(crate) fn mailbox() -> (Mailbox, mpsc::Receiver<Ask>) {
    mpsc::channel(MOST_ASKS)
}

/// Something that a loop is asked.
#[derive(Debug)]
pub(crate) enum Ask {
    /// A client's command.
    Command { command: Command, reply: Reply },
    /// How the session stands.
    Look { reply: oneshot::Sender<View> },
    /// The surroundings are others now: a policy has changed.
    Within(Box<Setup>),
    /// The host closes; the run goes on.
    Leave,
}

/// How a session stands, at a place in its tail.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// What is shown from here on comes after this.
    pub(crate) position: u64,
    /// The number of the last event.
    pub(crate) seq: u64,
    pub(crate) open_items: Vec<OpenItem>,
    pub(crate) approvals: Vec<Approval>,
    pub(crate) tasks: Vec<Task>,
}

/// A command was not carried out.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Broken(String),
    #[error("{path} cannot be used: {reason}")]
    File { path: PathBuf, reason: String },
}

impl Ask {
    /// Not now, or not at all.
    pub(crate) fn refuse(self, error: &CommandError) {
        if let Self::Command { reply, .. } = self {
            let _ = reply.send(Err(error.clone()));
        }
    }
}

impl Runner {
    pub(super) async fn hear(&mut self, ask: Ask, read_at: Instant, batch: &mut Batch) {
        match ask {
            Ask::Command { mut command, reply } => {
                if let Err(error) = self.prepare(&mut command).await {
                    let _ = reply.send(Err(error));
                    return;
                }
                self.pass_over_runs();
                let id = CommandId(Uuid::new_v4());
                self.replies.retain(|_, reply| !reply.is_closed());
                self.replies.insert(id, reply);
                let input = Input::Command { id, command };
                self.handle_resolved(input, Timestamp::now(), read_at, batch).await;
            }
            Ask::Look { reply } => {
                let _ = reply.send(self.view());
            }
            Ask::Within(setup) => self.session.surround(*setup),
            Ask::Leave => {}
        }
    }

    /// Passes over runs that a restored database does not know, before a command may start one. While
    /// there is a run, its log may still lead to the next: that one is not unknown.
    fn pass_over_runs(&mut self) {
        if self.session.run().is_none() {
            let (house, id) = (Arc::clone(&self.house), self.session.id());
            self.session.pass_over(|run| house.run_dir(id, run).exists());
        }
    }

    /// How the session stands. What is not stored yet is in it, and has no number.
    pub(super) fn view(&self) -> View {
        let secrets = self.house.secrets();
        View {
            position: self.tail.end(),
            seq: self.session.seq(),
            open_items: self.pieces.open_items(self.session.open_items()),
            approvals: secrets.redact_value(self.session.approvals()),
            tasks: secrets.redact_value(self.session.tasks().cloned().collect()),
        }
    }

    /// Registers the secrets of a command, and puts those back that a client was not shown.
    async fn prepare(&self, command: &mut Command) -> Result<(), CommandError> {
        let secrets = self.house.secrets();
        match command {
            Command::Decide { approval, decision, .. } => {
                let asked =
                    self.session.approvals().into_iter().find(|it| it.approval == *approval);
                let restored = asked.map_or(Ok(()), |it| restore(decision, &it, &secrets.known()));
                Ok(restored.map_err(|why| Refusal::UnfitDecision { why })?)
            }
            Command::Request(request) => {
                let (id, values) = (self.session.id(), of_request(&**request));
                if values.is_empty() {
                    return Ok(());
                }
                secrets.hold(id, values.iter().cloned());
                let dir = self.house.session_runs(id);
                let path = dir.join(kept::FILE);
                let kept = blocking(move || kept::add(&dir, &values)).await;
                kept.map_err(|error| CommandError::File { path, reason: error.to_string() })
            }
            _ => Ok(()),
        }
    }

    /// The answer to a command as clients are shown it.
    pub(super) fn shown(&self, result: Result<Raw, Refusal>) -> Result<Raw, Refusal> {
        let secrets = self.house.secrets();
        let known = secrets.known();
        match result {
            Ok(answer) => {
                let json = redact_json(&known, answer.get(), |text| Some(text.to_owned()));
                Ok(json.and_then(|json| Raw::from_text(json).ok()).unwrap_or(answer))
            }
            Err(refusal) => Err(secrets.redact_value(refusal)),
        }
    }
}
