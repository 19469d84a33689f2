//! Blobs, and which sessions have them.

use bytes::Bytes;
use pilothouse_session::id::SessionId;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{Tx, number_of, signed, time, unsigned};
use crate::store::attachment::{AttachmentRow, Digest};
use crate::store::error::StoreError;

pub(in crate::store) fn add(
    tx: &mut Tx<'_>,
    session: SessionId,
    row: &AttachmentRow,
    bytes: &[u8],
    limit: u64,
) -> Result<AttachmentRow, StoreError> {
    let conn = tx.conn;
    let no = number_of(conn, session)?;
    let sum = "SELECT coalesce(sum(b.size), 0) FROM attachments a JOIN blobs b ON b.no = a.blob
               WHERE a.session = ?1 AND b.sha256 <> ?2";
    let others: i64 =
        conn.prepare_cached(sum)?.query_row(params![no, row.digest.0], |row| row.get(0))?;
    let size = unsigned(others) + row.size;
    if size > limit {
        return Err(StoreError::TooLarge { what: "the attachments of a session", size, limit });
    }
    let mut find = conn.prepare_cached("SELECT no FROM blobs WHERE sha256 = ?1")?;
    let blob: Option<i64> = find.query_row([row.digest.0], |row| row.get(0)).optional()?;
    let blob = match blob {
        Some(blob) => blob,
        None => conn
            .prepare_cached("INSERT INTO blobs (sha256, size, data) VALUES (?1, ?2, ?3)")?
            .insert(params![row.digest.0, signed(row.size), bytes])?,
    };
    let mut insert = conn.prepare_cached(
        "INSERT INTO attachments (session, blob, media_type, name, at) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO NOTHING",
    )?;
    insert.execute(params![no, blob, row.media_type, row.name, row.at.as_microsecond()])?;
    let sql = format!(
        "SELECT {COLUMNS} FROM attachments a JOIN blobs b ON b.no = a.blob
         WHERE a.session = ?1 AND a.blob = ?2"
    );
    Ok(conn.prepare_cached(&sql)?.query_row(params![no, blob], read)?)
}

/// Takes a session's files away, and the bytes that no other session has.
pub(super) fn remove_all(conn: &Connection, no: i64) -> Result<(), StoreError> {
    let mut list = conn.prepare_cached("SELECT blob FROM attachments WHERE session = ?1")?;
    let blobs = list.query_map([no], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>, _>>()?;
    conn.prepare_cached("DELETE FROM attachments WHERE session = ?1")?.execute([no])?;
    let mut delete = conn.prepare_cached(
        "DELETE FROM blobs WHERE no = ?1
         AND NOT EXISTS (SELECT 1 FROM attachments WHERE blob = ?1)",
    )?;
    for blob in blobs {
        delete.execute([blob])?;
    }
    Ok(())
}

const COLUMNS: &str = "b.sha256, b.size, a.media_type, a.name, a.at";

fn read(row: &Row<'_>) -> rusqlite::Result<AttachmentRow> {
    Ok(AttachmentRow {
        digest: Digest(row.get(0)?),
        size: unsigned(row.get(1)?),
        media_type: row.get(2)?,
        name: row.get(3)?,
        at: time(4, row.get(4)?)?,
    })
}

pub(in crate::store) fn list(
    conn: &Connection,
    session: SessionId,
) -> Result<Vec<AttachmentRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM attachments a JOIN blobs b ON b.no = a.blob
         WHERE a.session = (SELECT no FROM sessions WHERE id = ?1) ORDER BY a.at, b.no"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement.query_map([session.0.as_bytes()], read)?.collect::<Result<_, _>>()?)
}

pub(in crate::store) fn get(
    conn: &Connection,
    session: SessionId,
    digest: Digest,
) -> Result<Option<(AttachmentRow, Bytes)>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, b.data FROM attachments a JOIN blobs b ON b.no = a.blob
         WHERE a.session = (SELECT no FROM sessions WHERE id = ?1) AND b.sha256 = ?2"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let found = statement.query_row(params![session.0.as_bytes(), digest.0], |found| {
        Ok((read(found)?, Bytes::from(found.get::<_, Vec<u8>>(5)?)))
    });
    Ok(found.optional()?)
}
