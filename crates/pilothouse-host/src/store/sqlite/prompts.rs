//! Prompts: which were asked for, and what has become of them.

use jiff::Timestamp;
use pilothouse_session::id::{PromptId, SessionId};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use uuid::Uuid;

use super::{Tx, meaning, number_of, signed, time, uuid, word};
use crate::store::error::StoreError;
use crate::store::ledger::{PromptRow, PromptStage, Reservation, Reserved};
use crate::store::session::Page;

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

fn row(row: &Row<'_>) -> rusqlite::Result<PromptRow> {
    Ok(PromptRow {
        prompt: PromptId(uuid(0, row.get_ref(0)?.as_blob()?)?),
        key: row.get(1)?,
        state: meaning(row.get(2)?),
        asked_at: time(3, row.get(3)?)?,
    })
}

/// A prompt of a session.
pub(in crate::store) fn get(
    conn: &Connection,
    session: SessionId,
    prompt: PromptId,
) -> Result<Option<PromptRow>, StoreError> {
    let no = number_of(conn, session)?;
    let sql = "SELECT prompt, key, state, at FROM prompts WHERE prompt = ?1 AND session = ?2";
    let found = conn.prepare_cached(sql)?.query_row(params![prompt.0.as_bytes(), no], row);
    Ok(found.optional()?)
}

/// The prompts of a session, in the order in which they were asked for.
pub(in crate::store) fn list(
    conn: &Connection,
    session: SessionId,
    stages: &[PromptStage],
    after: Option<&str>,
    limit: usize,
) -> Result<Page<PromptRow>, StoreError> {
    let no = number_of(conn, session)?;
    let (at, prompt) = match after {
        Some(mark) => place(mark).ok_or_else(|| StoreError::BadCursor(mark.to_owned()))?,
        None => (i64::MIN, Uuid::nil()),
    };
    let words: Vec<_> = stages.iter().map(|stage| format!("'{}'", word(stage))).collect();
    let sql = format!(
        "SELECT prompt, key, state, at FROM prompts
         WHERE session = ?1 AND (at, prompt) > (?2, ?3) {}
         ORDER BY at, prompt LIMIT ?4",
        match words.is_empty() {
            true => String::new(),
            false => format!("AND state IN ({})", words.join(", ")),
        },
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let most = signed(limit as u64).saturating_add(1);
    let rows = statement.query_map(params![no, at, prompt.as_bytes(), most], row)?;
    let mut items = rows.collect::<Result<Vec<_>, _>>()?;
    let is_more = items.len() > limit;
    items.truncate(limit);
    let mark = |row: &PromptRow| format!("{}.{}", row.asked_at.as_microsecond(), row.prompt);
    let next = items.last().filter(|_| is_more).map(mark);
    Ok(Page { items, next })
}

/// The time and the prompt that a mark names.
fn place(mark: &str) -> Option<(i64, Uuid)> {
    let (at, prompt) = mark.split_once('.')?;
    Some((at.parse().ok()?, prompt.parse().ok()?))
}
