//! Everything that speaks SQL.
//!
//! - `connection`, `schema`: the file and its tables.
//! - `queue`, `writer`, `syncing`, `wal`: the one thread that writes, what waits for it, and what it
//!   does not wait for.
//! - `readers`: connections beside it.
//! - the rest: one file per part of the store, functions over a transaction or a connection.

pub(super) mod approvals;
pub(super) mod attachments;
pub(super) mod audit;
pub(super) mod claims;
mod connection;
pub(super) mod events;
mod listing;
pub(super) mod prompts;
mod queue;
mod readers;
mod schema;
pub(super) mod search;
pub(super) mod sessions;
mod syncing;
pub(super) mod tails;
pub(super) mod trust;
pub(super) mod upkeep;
pub(super) mod usage;
mod wal;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

pub use connection::Options;
pub(super) use queue::{Durability, Place, Queue, Terms};
pub(super) use readers::Readers;

use super::error::StoreError;
use syncing::{Syncing, WriteAheadLog};
use tails::Tails;
use wal::Backfill;
use writer::{Beside, Writer};

/// A transaction under way.
pub(super) struct Tx<'a> {
    pub(super) conn: &'a Connection,
    pub(super) tails: &'a mut Tails,
}

/// The threads.
pub(super) struct Threads {
    writer: Option<JoinHandle<()>>,
    beside: Vec<JoinHandle<()>>,
}

/// Opens the file and starts the threads.
pub(super) fn start(
    path: &Path,
    options: &Options,
    queue: &Arc<Queue>,
) -> Result<Threads, StoreError> {
    let conn = connection::writing(path, options)?;
    let beside = connection::backfilling(path)?;
    let log = WriteAheadLog::of(path)?;
    let (backfill, syncing) = (Arc::new(Backfill::default()), Arc::new(Syncing::default()));
    let helpers = Beside { backfill: Arc::clone(&backfill), syncing: Arc::clone(&syncing) };
    let writer = Writer::new(conn, helpers, Arc::clone(&options.metrics));
    let queue = Arc::clone(queue);
    let named = |name: &str| Builder::new().name(name.to_owned());
    let failed = |error: std::io::Error| StoreError::file(path, &error);
    let writer = named("store").spawn(move || writer.run(queue)).map_err(failed)?;
    let mut threads = Threads { writer: Some(writer), beside: Vec::new() };
    let thread = named("store-log").spawn(move || backfill.run(beside)).map_err(failed)?;
    threads.beside.push(thread);
    let thread = named("store-sync").spawn(move || syncing.run(&log)).map_err(failed)?;
    threads.beside.push(thread);
    Ok(threads)
}

impl Threads {
    /// Waits until everything is written.
    pub(super) fn join(&mut self) {
        for thread in self.writer.take().into_iter().chain(self.beside.drain(..)) {
            // A thread that panicked has told everybody who waits.
            let _ = thread.join();
        }
    }
}

/// The number of a session.
fn number_of(conn: &Connection, session: SessionId) -> Result<i64, StoreError> {
    find_number(conn, session)?.ok_or(StoreError::UnknownSession(session))
}

fn find_number(conn: &Connection, session: SessionId) -> Result<Option<i64>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT no FROM sessions WHERE id = ?1")?;
    Ok(statement.query_row([session.0.as_bytes()], |row| row.get(0)).optional()?)
}

/// SQLite has no unsigned numbers; ours never come near the sign.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn time(column: usize, micros: i64) -> rusqlite::Result<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|error| strange(column, error))
}

fn uuid(column: usize, bytes: &[u8]) -> rusqlite::Result<Uuid> {
    Uuid::from_slice(bytes).map_err(|error| strange(column, error))
}

fn strange(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Blob, Box::new(error))
}

/// An enum without fields, as its word.
fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        other => other.map(|value| value.to_string()).unwrap_or_default(),
    }
}

/// What a word means; the default where a newer version wrote it.
fn meaning<T: DeserializeOwned + Default>(word: String) -> T {
    serde_json::from_value(Value::String(word)).unwrap_or_default()
}
