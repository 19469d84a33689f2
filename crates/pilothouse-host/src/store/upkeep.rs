//! What keeps the file small, whole and copied.

use std::path::Path;

use jiff::Timestamp;
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use rusqlite::Connection;
use serde::Serialize;

use super::Store;
use super::ack::Ack;
use super::error::StoreError;
use super::sqlite::{Durability, Place, Terms, upkeep};

/// Which sessions are not kept. Those with a process, and those with a request that waits for an
/// answer, always are. One that was interrupted could be resumed, like every other; when nobody has
/// for so long, it goes like every other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Archived ones in which nothing has happened since.
    pub archived_before: Option<Timestamp>,
    /// Any in which nothing has happened since.
    pub idle_before: Option<Timestamp>,
}

/// How large the file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Bytes of the database.
    pub bytes: u64,
    /// Of which are not in use.
    pub free_bytes: u64,
}

/// True as long as there is more to do.
type Step = fn(&Connection) -> Result<bool, StoreError>;

impl Store {
    /// Deletes sessions that need not be kept, a few at a time. Gives those that were deleted, as
    /// they were; when there are none, all is done.
    pub fn retain(&self, retention: &Retention) -> Ack<Vec<(SessionId, Status)>> {
        let retention = retention.clone();
        self.write(Durability::PowerLoss, 0, move |tx| {
            upkeep::retain(tx, &retention, Timestamp::now())
        })
    }

    /// Takes the words of deleted sessions out of the search index, gives free pages back to the
    /// system, and empties the log. In steps, between which others write, and after each of which it
    /// ends if there is no more time.
    pub fn tidy(&self, is_time_up: impl Fn() -> bool) -> Result<(), StoreError> {
        let steps: [Step; 2] = [upkeep::merge_step, upkeep::vacuum_step];
        for step in steps {
            while self.write(Durability::Crash, 0, move |tx| step(tx.conn)).wait()? {
                if is_time_up() {
                    return Ok(());
                }
            }
        }
        let terms = Terms { durability: Durability::Crash, place: Place::Outside, weight: 0 };
        self.submit(terms, |tx| upkeep::empty_log(tx.conn)).wait()
    }

    /// Copies the database to a new file, whole and as of one moment, while others write. A file that
    /// is there already is replaced once the copy is complete.
    pub fn backup(&self, path: &Path) -> Result<(), StoreError> {
        self.0.readers.read_apart(|conn| upkeep::backup(conn, path))
    }

    /// Reads the whole file and checks it.
    pub fn check(&self) -> Result<(), StoreError> {
        self.0.readers.read_apart(upkeep::check)
    }

    /// How large the database is.
    pub fn size(&self) -> Result<Size, StoreError> {
        self.read(upkeep::size)
    }

    /// Keeps a value of the host's own under a key; none takes it away.
    pub fn set_meta(&self, key: &str, value: Option<&str>) -> Ack<()> {
        let (key, value) = (format!("host.{key}"), value.map(str::to_owned));
        let weight = key.len() + value.as_ref().map_or(0, String::len);
        self.write(Durability::PowerLoss, weight, move |tx| {
            upkeep::set_meta(tx.conn, &key, value.as_deref())
        })
    }

    /// The value under a key.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        let key = format!("host.{key}");
        self.read(|conn| upkeep::meta(conn, &key))
    }
}
