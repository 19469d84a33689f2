//! Retention, vacuum, backup, checks, and the table of single values.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use rusqlite::{Connection, OptionalExtension, params};

use super::{Tx, connection, meaning, search, sessions, unsigned, uuid};
use crate::store::error::StoreError;
use crate::store::upkeep::{Retention, Size};

/// How many sessions are deleted in one transaction.
const FEW: i64 = 16;
/// How many pages of the index are merged in one.
const MERGED: i64 = 256;
/// How many pages are given back in one.
const GIVEN_BACK: i64 = 1_024;
/// Under this key stands that something was deleted since the index was last merged.
const DELETED: &str = "store.deleted";

pub(in crate::store) fn retain(
    tx: &mut Tx<'_>,
    retention: &Retention,
    now: Timestamp,
) -> Result<Vec<(SessionId, Status)>, StoreError> {
    let mut statement = tx.conn.prepare_cached(
        "SELECT id, status FROM sessions
         WHERE (is_archived AND updated_at < ?1 OR updated_at < ?2)
           AND status IN ('dormant', 'interrupted', 'ended') AND open_approvals = 0
         ORDER BY updated_at LIMIT ?3",
    )?;
    let micros = |at: Option<Timestamp>| at.map(Timestamp::as_microsecond);
    let bounds = params![micros(retention.archived_before), micros(retention.idle_before), FEW];
    let old = |row: &rusqlite::Row<'_>| {
        Ok((SessionId(uuid(0, row.get_ref(0)?.as_blob()?)?), meaning(row.get(1)?)))
    };
    let gone = statement.query_map(bounds, old)?.collect::<Result<Vec<_>, _>>()?;
    for (session, _) in &gone {
        sessions::delete(tx, *session, "retention", now)?;
    }
    Ok(gone)
}

/// Words of deleted events are still in the index.
pub(super) fn note_deletion(conn: &Connection) -> Result<(), StoreError> {
    set_meta(conn, DELETED, Some("1"))
}

/// True as long as there is more to do.
pub(in crate::store) fn merge_step(conn: &Connection) -> Result<bool, StoreError> {
    if meta(conn, DELETED)?.is_none() {
        return Ok(false);
    }
    let is_more = search::merge(conn, MERGED)?;
    if !is_more {
        set_meta(conn, DELETED, None)?;
    }
    Ok(is_more)
}

/// True as long as there is more to do.
pub(in crate::store) fn vacuum_step(conn: &Connection) -> Result<bool, StoreError> {
    let free: i64 = conn.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    if free == 0 {
        return Ok(false);
    }
    let mut statement = conn.prepare(&format!("PRAGMA incremental_vacuum({GIVEN_BACK})"))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(free > GIVEN_BACK)
}

/// Moves everything into the database, and leaves a log of no bytes.
pub(in crate::store) fn empty_log(conn: &Connection) -> Result<(), StoreError> {
    let is_busy: bool = conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if is_busy { Err(StoreError::Locked) } else { Ok(()) }
}

pub(in crate::store) fn backup(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut unfinished = OsString::from(path);
    unfinished.push(".part");
    let unfinished = Path::new(&unfinished);
    let failed = |error: std::io::Error| StoreError::file(path, &error);
    match fs::remove_file(unfinished) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    connection::private_file(unfinished)?;
    let Some(name) = unfinished.to_str() else {
        return Err(failed(std::io::Error::other("the name is not UTF-8")));
    };
    conn.execute("VACUUM INTO ?1", [name])?;
    let file = fs::File::options().write(true).open(unfinished).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    fs::rename(unfinished, path).map_err(failed)
}

pub(in crate::store) fn check(conn: &Connection) -> Result<(), StoreError> {
    let mut statement = conn.prepare("PRAGMA integrity_check(10)")?;
    let found = statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>()?;
    if found.iter().all(|line| line == "ok") {
        return Ok(());
    }
    Err(StoreError::Corrupt(found.join("; ")))
}

pub(in crate::store) fn size(conn: &Connection) -> Result<Size, StoreError> {
    let number = |name: &str| conn.pragma_query_value(None, name, |row| row.get(0));
    let page = unsigned(number("page_size")?);
    let (pages, free) = (number("page_count")?, number("freelist_count")?);
    Ok(Size { bytes: unsigned(pages) * page, free_bytes: unsigned(free) * page })
}

pub(in crate::store) fn set_meta(
    conn: &Connection,
    key: &str,
    value: Option<&str>,
) -> Result<(), StoreError> {
    match value {
        Some(value) => conn
            .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)")?
            .execute([key, value])?,
        None => conn.prepare_cached("DELETE FROM meta WHERE key = ?1")?.execute([key])?,
    };
    Ok(())
}

pub(in crate::store) fn meta(conn: &Connection, key: &str) -> Result<Option<String>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT value FROM meta WHERE key = ?1")?;
    Ok(statement.query_row([key], |row| row.get(0)).optional()?)
}
