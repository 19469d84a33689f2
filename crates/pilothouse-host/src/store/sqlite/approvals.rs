//! Approvals, as the events tell of them.

use jiff::Timestamp;
use pilothouse_session::id::{ApprovalId, SessionId};
use rusqlite::{Connection, Row, params};
use serde::de::DeserializeOwned;

use super::{meaning, signed, time, unsigned, uuid};
use crate::store::consequence::{Consequence, Decided};
use crate::store::error::StoreError;
use crate::store::ledger::ApprovalRow;

pub(super) fn open(
    conn: &Connection,
    no: i64,
    approval: u64,
    (seq, at): (u64, Timestamp),
    (tool_name, request): (Option<&str>, &str),
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO approvals (session, approval, seq, requested_at, state, tool_name, request)
         VALUES (?1, ?2, ?3, ?4, 'open', ?5, ?6)
         ON CONFLICT DO NOTHING",
    )?;
    let at = at.as_microsecond();
    statement.execute(params![no, signed(approval), signed(seq), at, tool_name, request])?;
    Ok(())
}

/// A request that a policy answers at once was never open.
pub(super) fn decide(
    conn: &Connection,
    no: i64,
    news: &Consequence,
    decided: &Decided,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO approvals
             (session, approval, seq, requested_at, state, tool_name, settled_at, decision, decided_by)
         VALUES (?1, ?2, ?3, ?4, 'decided', ?5, ?4, ?6, ?7)
         ON CONFLICT DO UPDATE SET
             state = excluded.state, request = NULL, settled_at = excluded.settled_at,
             decision = excluded.decision, decided_by = excluded.decided_by",
    )?;
    statement.execute(params![
        no,
        signed(decided.approval),
        signed(news.seq),
        news.at.as_microsecond(),
        decided.tool_name,
        decided.decision,
        decided.by,
    ])?;
    Ok(())
}

pub(super) fn void(
    conn: &Connection,
    no: i64,
    approval: u64,
    at: Timestamp,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "UPDATE approvals SET state = 'void', request = NULL, settled_at = ?3
         WHERE session = ?1 AND approval = ?2 AND state = 'open'",
    )?;
    statement.execute(params![no, signed(approval), at.as_microsecond()])?;
    Ok(())
}

const COLUMNS: &str = "s.id, a.approval, a.seq, a.requested_at, a.state, a.tool_name, a.request,
    a.settled_at, a.decision, a.decided_by";

fn row(row: &Row<'_>) -> rusqlite::Result<ApprovalRow> {
    let settled_at: Option<i64> = row.get(7)?;
    Ok(ApprovalRow {
        session: SessionId(uuid(0, row.get_ref(0)?.as_blob()?)?),
        approval: ApprovalId(unsigned(row.get(1)?)),
        seq: unsigned(row.get(2)?),
        requested_at: time(3, row.get(3)?)?,
        state: meaning(row.get(4)?),
        tool_name: row.get(5)?,
        request: json(row.get(6)?),
        settled_at: settled_at.map(|at| time(7, at)).transpose()?,
        decision: json(row.get(8)?),
        by: json(row.get(9)?),
    })
}

/// None where another version wrote something that this one does not know.
fn json<T: DeserializeOwned>(text: Option<String>) -> Option<T> {
    serde_json::from_str(&text?).ok()
}

pub(in crate::store) fn open_ones(conn: &Connection) -> Result<Vec<ApprovalRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM approvals a JOIN sessions s ON s.no = a.session
         WHERE a.state = 'open' ORDER BY a.requested_at, a.session, a.approval"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement.query_map([], row)?.collect::<Result<_, _>>()?)
}

pub(in crate::store) fn of_session(
    conn: &Connection,
    session: SessionId,
) -> Result<Vec<ApprovalRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM sessions s JOIN approvals a ON s.no = a.session
         WHERE s.id = ?1 ORDER BY a.approval"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement.query_map([session.0.as_bytes()], row)?.collect::<Result<_, _>>()?)
}
