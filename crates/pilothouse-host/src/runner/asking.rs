//! What the rest of the host asks of a session's loop.

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
    pub(super) fn hear(&mut self, ask: Ask, read_at: Instant, batch: &mut Batch) {
        match ask {
            Ask::Command { command, reply } => {
                let id = CommandId(Uuid::new_v4());
                self.replies.retain(|_, reply| !reply.is_closed());
                self.replies.insert(id, reply);
                self.handle(Input::Command { id, command }, Timestamp::now(), read_at, batch);
            }
            Ask::Look { reply } => {
                let _ = reply.send(self.view());
            }
            Ask::Within(setup) => self.session.surround(*setup),
            Ask::Leave => {}
        }
    }

    /// How the session stands. What is not stored yet is in it, and has no number.
    pub(super) fn view(&self) -> View {
        View {
            position: self.tail.end(),
            seq: self.session.seq(),
            open_items: self.session.open_items(),
            approvals: self.session.approvals(),
            tasks: self.session.tasks().cloned().collect(),
        }
    }
}
