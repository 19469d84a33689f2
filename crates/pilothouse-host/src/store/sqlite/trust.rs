//! Decisions about repositories.

use std::str::FromStr;

use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use rusqlite::{Connection, Row, params};
use serde_json::json;
use uuid::Uuid;

use super::{Tx, audit, time};
use crate::store::error::StoreError;
use crate::store::trust::{TrustKind, TrustRow};

/// How many contents of one repository stay trusted; the oldest decision goes first.
const MOST_OF_ROOT: i64 = 32;

const COLUMNS: &str = "root, digest, session, kind, hooks_may_answer, files, actor, at";

pub(in crate::store) fn of_root(
    conn: &Connection,
    root: &str,
) -> Result<Vec<TrustRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM trust WHERE root = ?1 ORDER BY at DESC");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([root], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(in crate::store) fn list(conn: &Connection) -> Result<Vec<TrustRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM trust WHERE kind <> ?1 ORDER BY root, at DESC");
    let mut statement = conn.prepare_cached(&sql)?;
    let rows = statement.query_map([TrustKind::Removed.as_str()], row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub(in crate::store) fn put(tx: &mut Tx<'_>, decided: &TrustRow) -> Result<(), StoreError> {
    let conn = tx.conn;
    let session = decided.session.map(|session| session.to_string()).unwrap_or_default();
    if decided.session.is_none() {
        // Never and always do not stand beside each other.
        let undone = match decided.kind {
            TrustKind::Never => "kind <> 'removed'",
            _ => "kind = 'never'",
        };
        conn.prepare_cached(&format!("DELETE FROM trust WHERE root = ?1 AND {undone}"))?
            .execute([&decided.root])?;
    }
    let mut statement = conn.prepare_cached(
        "INSERT OR REPLACE INTO trust
             (root, digest, session, kind, hooks_may_answer, files, actor, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?;
    statement.execute(params![
        decided.root,
        decided.digest,
        session,
        decided.kind.as_str(),
        decided.hooks_may_answer,
        serde_json::to_string(&decided.files)?,
        decided.actor,
        decided.at.as_microsecond(),
    ])?;
    conn.prepare_cached(
        "DELETE FROM trust WHERE root = ?1 AND kind = ?2 AND at <
             (SELECT min(at) FROM (SELECT at FROM trust WHERE root = ?1 AND kind = ?2
              ORDER BY at DESC LIMIT ?3))",
    )?
    .execute(params![decided.root, decided.kind.as_str(), MOST_OF_ROOT])?;
    let detail = json!({
        "root": decided.root,
        "answer": decided.kind.as_str(),
        "digest": decided.digest,
        "hooks_may_answer": decided.hooks_may_answer,
    });
    audit::add(conn, decided.at, decided.session, &decided.actor, "trust.decided", &detail)
}

pub(in crate::store) fn remove(
    tx: &mut Tx<'_>,
    root: &str,
    actor: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let conn = tx.conn;
    let mut statement =
        conn.prepare_cached("DELETE FROM trust WHERE root = ?1 AND kind <> 'removed'")?;
    if statement.execute([root])? == 0 {
        return Ok(false);
    }
    conn.prepare_cached(
        "INSERT OR REPLACE INTO trust
             (root, digest, session, kind, hooks_may_answer, files, actor, at)
         VALUES (?1, '', '', 'removed', 0, '{}', ?2, ?3)",
    )?
    .execute(params![root, actor, now.as_microsecond()])?;
    audit::add(conn, now, None, actor, "trust.removed", &json!({ "root": root }))?;
    Ok(true)
}

/// Decisions for one session go with it.
pub(super) fn remove_session(conn: &Connection, session: SessionId) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM trust WHERE session = ?1")?.execute([session.to_string()])?;
    Ok(())
}

fn row(row: &Row<'_>) -> rusqlite::Result<TrustRow> {
    let kind: String = row.get(3)?;
    let known = TrustKind::ALL.into_iter().find(|known| known.as_str() == kind);
    let session: String = row.get(2)?;
    let files: String = row.get(5)?;
    Ok(TrustRow {
        root: row.get(0)?,
        digest: row.get(1)?,
        session: Uuid::from_str(&session).ok().map(SessionId),
        // What a newer version wrote trusts nothing here.
        kind: known.unwrap_or(TrustKind::Removed),
        hooks_may_answer: row.get(4)?,
        files: serde_json::from_str(&files).unwrap_or_default(),
        actor: row.get(6)?,
        at: time(7, row.get(7)?)?,
    })
}
