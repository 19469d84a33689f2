//! Approvals and prompts, as the events tell of them.

use jiff::Timestamp;
use pilothouse_session::id::{ApprovalId, PromptId, SessionId};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use serde::de::DeserializeOwned;

use super::{Tx, meaning, number_of, signed, time, unsigned, uuid};
use crate::store::consequence::{Consequence, Decided};
use crate::store::error::StoreError;
use crate::store::ledger::{ApprovalRow, Reservation, Reserved};

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

pub(in crate::store) fn reserve(
    tx: &mut Tx<'_>,
    wanted: &Reservation,
    now: Timestamp,
) -> Result<Reserved, StoreError> {
    let no = number_of(tx.conn, wanted.session)?;
    if let Some(key) = &wanted.key
        && let Some(known) = find_prompt(tx.conn, "session = ?1 AND key = ?2", params![no, key])?
    {
        return match known.digest.as_ref() == Some(&wanted.digest) {
            true => Ok(known.reserved()),
            false => Err(StoreError::KeyReused(key.clone())),
        };
    }
    let prompt = wanted.prompt;
    if let Some(known) = find_prompt(tx.conn, "prompt = ?1", params![prompt.0.as_bytes()])? {
        let is_same = known.session == no && known.digest.as_ref() == Some(&wanted.digest);
        return if is_same { Ok(known.reserved()) } else { Err(StoreError::PromptExists(prompt)) };
    }
    let state = "reserved".to_owned();
    let mut insert = tx.conn.prepare_cached(
        "INSERT INTO prompts (prompt, session, key, digest, state, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let at = now.as_microsecond();
    insert.execute(params![prompt.0.as_bytes(), no, wanted.key, wanted.digest, state, at])?;
    Ok(Reserved { prompt, is_new: true, state })
}

/// A prompt that was asked for before.
struct Known {
    prompt: PromptId,
    session: i64,
    digest: Option<String>,
    state: String,
}

impl Known {
    fn reserved(self) -> Reserved {
        Reserved { prompt: self.prompt, is_new: false, state: self.state }
    }
}

fn find_prompt(
    conn: &Connection,
    which: &str,
    params: &[&dyn ToSql],
) -> Result<Option<Known>, StoreError> {
    let sql = format!("SELECT prompt, session, digest, state FROM prompts WHERE {which}");
    let mut statement = conn.prepare_cached(&sql)?;
    let known = statement.query_row(params, |row| {
        Ok(Known {
            prompt: PromptId(uuid(0, row.get_ref(0)?.as_blob()?)?),
            session: row.get(1)?,
            digest: row.get(2)?,
            state: row.get(3)?,
        })
    });
    Ok(known.optional()?)
}

/// A prompt was stored by its session.
pub(super) fn prompted(
    conn: &Connection,
    no: i64,
    prompt: PromptId,
    at: Timestamp,
) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO prompts (prompt, session, state, at) VALUES (?1, ?2, 'queued', ?3)
         ON CONFLICT DO UPDATE SET state = excluded.state
             WHERE session = excluded.session AND state = 'reserved'",
    )?;
    statement.execute(params![prompt.0.as_bytes(), no, at.as_microsecond()])?;
    Ok(())
}

pub(super) fn prompt_state(
    conn: &Connection,
    no: i64,
    prompt: PromptId,
    state: &str,
) -> Result<(), StoreError> {
    let sql = "UPDATE prompts SET state = ?3 WHERE prompt = ?1 AND session = ?2";
    conn.prepare_cached(sql)?.execute(params![prompt.0.as_bytes(), no, state])?;
    Ok(())
}
