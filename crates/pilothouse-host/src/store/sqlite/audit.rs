//! The audit: only ever appended to, which the tables see to themselves.

use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use rusqlite::{Connection, Row, params};
use serde_json::Value;

use super::{signed, time, unsigned, uuid};
use crate::store::error::StoreError;
use crate::store::ledger::AuditLine;
use crate::store::session::Page;

pub(in crate::store) fn add(
    conn: &Connection,
    at: Timestamp,
    session: Option<SessionId>,
    actor: &str,
    action: &str,
    detail: &Value,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO audit (at, session, actor, action, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let session = session.map(|session| *session.0.as_bytes());
    statement.execute(params![at.as_microsecond(), session, actor, action, detail.to_string()])?;
    Ok(())
}

/// The action of a deleted session.
pub(super) const DELETED: &str = "session.deleted";

/// Whether a session was deleted, by a person or by retention.
pub(in crate::store) fn has_deleted(
    conn: &Connection,
    session: SessionId,
) -> Result<bool, StoreError> {
    let mut statement = conn
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM audit WHERE session = ?1 AND action = ?2)")?;
    Ok(statement.query_row(params![session.0.as_bytes(), DELETED], |row| row.get(0))?)
}

pub(in crate::store) fn list(
    conn: &Connection,
    session: Option<SessionId>,
    after: Option<&str>,
    limit: usize,
) -> Result<Page<AuditLine>, StoreError> {
    let before: i64 = match after {
        Some(text) => text.parse().map_err(|_| StoreError::BadCursor(text.to_owned()))?,
        None => i64::MAX,
    };
    let of_one = "AND session = ?3";
    let of_all = "AND ?3 IS NULL";
    let sql = format!(
        "SELECT no, at, session, actor, action, detail FROM audit
         WHERE no < ?1 {} ORDER BY no DESC LIMIT ?2",
        if session.is_some() { of_one } else { of_all },
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let session = session.map(|session| *session.0.as_bytes());
    let most = signed(limit as u64).saturating_add(1);
    let lines = statement.query_map(params![before, most, session], line)?;
    let mut items = lines.collect::<Result<Vec<_>, _>>()?;
    let is_more = items.len() > limit;
    items.truncate(limit);
    let next = items.last().filter(|_| is_more).map(|last| last.no.to_string());
    Ok(Page { items, next })
}

fn line(row: &Row<'_>) -> rusqlite::Result<AuditLine> {
    let session: Option<Vec<u8>> = row.get(2)?;
    let detail: String = row.get(5)?;
    Ok(AuditLine {
        no: unsigned(row.get(0)?),
        at: time(1, row.get(1)?)?,
        session: session.map(|session| uuid(2, &session)).transpose()?.map(SessionId),
        actor: row.get(3)?,
        action: row.get(4)?,
        detail: serde_json::from_str(&detail).unwrap_or_default(),
    })
}
