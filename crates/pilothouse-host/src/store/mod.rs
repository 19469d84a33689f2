//! Everything that is kept: events, the states of machines, sessions, approvals, prompts, the audit,
//! attachments, what was spent, and what can be searched. In SQLite, in one file.
//!
//! # What it promises
//!
//! - What is [acknowledged](Ack) survives the death of this process at any moment. Appends without a
//!   checkpoint can be made again from wire logs, and may be lost with the power; everything else
//!   (checkpoints, and with them prompts and decisions, sessions, claims, the audit) survives that
//!   as well. Whatever is lost, the file is whole, and what is there has no gap.
//! - Events, the checkpoint that belongs to them and what they mean for lists, approvals and search
//!   are stored together or not at all.
//! - An append that was stored already does nothing; one that would leave a gap is refused.
//! - When the disk is full or the database is locked, the submitter is told; nothing acknowledged is
//!   lost, and the next write is tried as if nothing had happened.
//! - Submitting never blocks. Reading does, for as long as SQLite takes: from async code, read on a
//!   thread that may block.
//!
//! # What it does not know
//!
//! It runs no session and shows nothing to anybody. SQL is in `sqlite` only: another backend would
//! have to offer [`append`](Store::append), [`read_after`](Store::read_after) and
//! [`claim`](Store::claim), and the lists around them.

mod ack;
mod attachment;
mod claim;
mod consequence;
mod error;
mod event;
mod finding;
mod ledger;
mod session;
mod sqlite;
mod text;
mod trust;
mod upkeep;
mod usage;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use pilothouse_session::event::Event;
use pilothouse_session::id::SessionId;
use rusqlite::Connection;

pub use ack::Ack;
pub use attachment::{AttachmentRow, Digest};
pub use claim::Claim;
pub use error::StoreError;
pub use event::{Appended, Checkpoint, StoredEvent};
pub use finding::{Hit, Search};
pub use ledger::{
    ApprovalRow, ApprovalState, AuditLine, PromptRow, PromptStage, Reservation, Reserved,
};
pub use session::{NewSession, Page, SessionChange, SessionFilter, SessionRow};
pub use sqlite::Options;
pub use text::{Snippet, Voice};
pub use trust::{TrustKind, TrustRow};
pub use upkeep::{Retention, Size};
pub use usage::{DayUsage, Days, MOST_DAYS, Share, Spent, Usage};

use crate::secrets::Known;
use event::Batch;
use sqlite::{Durability, Place, Queue, Readers, Terms, Threads, Tx, events};

/// The store. Clones are the same store; the last one that goes waits until everything is written.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    queue: Arc<Queue>,
    readers: Readers,
    threads: Mutex<Threads>,
    options: Options,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.queue.close();
        self.threads.get_mut().unwrap_or_else(PoisonError::into_inner).join();
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("options", &self.0.options).finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the database, and makes it if there is none: a file that only the user can read, in a
    /// directory that only the user can enter.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, Options::default())
    }

    /// Opens the database with other limits.
    pub fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let queue = Arc::new(Queue::default());
        let threads = sqlite::start(path, &options, &queue).inspect_err(|_| queue.close())?;
        let readers = Readers::new(path.to_owned());
        Ok(Self(Arc::new(Inner { queue, readers, threads: Mutex::new(threads), options })))
    }

    /// Stores events of a session, and the state of its machine after them, in one transaction.
    /// Events that are there already are dropped; the acknowledgement holds those that are new.
    pub fn append(
        &self,
        session: SessionId,
        events: &[Event],
        checkpoint: Option<Checkpoint>,
    ) -> Ack<Appended> {
        self.append_batch(Batch::new(session, events, checkpoint, None, &self.secrets()))
    }

    /// The same by who has claimed the session: refused when somebody else has by now.
    pub fn append_as(
        &self,
        claim: &Claim,
        events: &[Event],
        checkpoint: Option<Checkpoint>,
    ) -> Ack<Appended> {
        self.append_batch(Batch::new(
            claim.session,
            events,
            checkpoint,
            Some(claim),
            &self.secrets(),
        ))
    }

    fn append_batch(&self, batch: Result<Batch, StoreError>) -> Ack<Appended> {
        let batch = match batch {
            Ok(batch) => batch,
            Err(error) => return Ack::settled(Err(error)),
        };
        let durability = match &batch.checkpoint {
            Some(_) => Durability::PowerLoss,
            None => Durability::Crash,
        };
        self.write(durability, batch.weight, move |tx| events::append(tx, &batch))
    }

    /// Up to `limit` events after number `seq`, as they were stored. None for a session that is not
    /// there.
    pub fn read_after(
        &self,
        session: SessionId,
        seq: u64,
        limit: usize,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        self.read(|conn| events::read_after(conn, session, seq, limit))
    }

    /// The number of a session's last event; 0 where there is none.
    pub fn last_seq(&self, session: SessionId) -> Result<u64, StoreError> {
        self.read(|conn| events::last_seq(conn, session))
    }

    /// The state of a session's machine that was stored last.
    pub fn load(&self, session: SessionId) -> Result<Option<Checkpoint>, StoreError> {
        self.read(|conn| events::load(conn, session))
    }

    fn secrets(&self) -> Arc<Known> {
        self.options().secrets.known()
    }

    fn options(&self) -> &Options {
        &self.0.options
    }

    fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        weight: usize,
        operation: impl FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Ack<T> {
        self.submit(Terms { durability, place: Place::Inside, weight }, operation)
    }

    fn submit<T: Send + 'static>(
        &self,
        terms: Terms,
        operation: impl FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Ack<T> {
        self.0.queue.submit(terms, operation)
    }

    fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.0.readers.read(query)
    }
}
