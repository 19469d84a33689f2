//! Opening the file.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::schema;
use crate::store::error::StoreError;
use crate::telemetry::Secrets;
use crate::telemetry::metrics::Metrics;

/// Marks the file as ours: `PLTH`.
const APPLICATION: i32 = 0x504c_5448;

/// How long a locked database is waited for, and how large it may become.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long a write waits for another program that has the database locked.
    pub patience: Duration,
    /// The most bytes of the database; beyond, writes fail as on a full disk.
    pub max_bytes: Option<u64>,
    /// The most bytes of one attachment.
    pub max_attachment: u64,
    /// The most bytes of all attachments of a session.
    pub max_attachments: u64,
    /// Where commits are counted.
    pub metrics: Arc<Metrics>,
    /// Taken out of events before they are stored.
    pub secrets: Secrets,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(5),
            max_bytes: None,
            max_attachment: 32 << 20,
            max_attachments: 512 << 20,
            metrics: Arc::default(),
            secrets: Secrets::default(),
        }
    }
}

/// The connection that writes; makes the file if there is none, and brings it up to date.
pub(super) fn writing(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    claim_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(options.patience)?;
    // Before anything is changed: a file that is refused is left as it is.
    check_ours(&conn, path)?;
    schema::check(&conn)?;
    // Only this holds what it says: deleted text is overwritten, not merely unlinked.
    conn.pragma_update(None, "secure_delete", true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    // A commit reaches the system at once, and so outlives this process; see `Durability` for
    // what has to outlive the system as well.
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "wal_autocheckpoint", 0)?;
    conn.pragma_update(None, "journal_size_limit", 16 << 20)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    schema::migrate(&mut conn)?;
    if let Some(most) = options.max_bytes {
        let page: u64 =
            conn.pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0))?.into();
        let pages = i64::try_from(most / page.max(1)).unwrap_or(i64::MAX).max(1);
        conn.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    }
    Ok(conn)
}

/// The connection that moves the log.
pub(super) fn backfilling(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(conn)
}

/// A connection that cannot write.
pub(super) fn reading(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    conn.busy_timeout(Duration::from_secs(5))?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

/// Nobody but the user may read what is kept here. SQLite gives the files beside it the same mode.
fn claim_file(path: &Path) -> Result<(), StoreError> {
    if let Some(directory) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory).map_err(|error| StoreError::file(directory, &error))?;
    }
    private_file(path)
}

/// Makes the file if there is none; only the user may open it.
///
/// A file that is there is not opened: closing it again would end the locks that SQLite holds on it
/// elsewhere in this process.
pub(super) fn private_file(path: &Path) -> Result<(), StoreError> {
    let failed = |error: std::io::Error| StoreError::file(path, &error);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(failed(error)),
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(path).map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        }
    }
    Ok(())
}

fn check_ours(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let mark: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if mark == APPLICATION {
        return Ok(());
    }
    let is_empty: bool =
        conn.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?;
    if mark != 0 || !is_empty {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    // Has to come before the first table. Deleted sessions give their pages back in small steps.
    conn.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    conn.pragma_update(None, "application_id", APPLICATION)?;
    Ok(())
}
