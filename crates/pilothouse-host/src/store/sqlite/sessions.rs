//! The rows of sessions.

use jiff::Timestamp;
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    Tx, approvals, attachments, audit, find_number, meaning, number_of, prompts, search, signed,
    trust, unsigned, upkeep, usage, uuid, word,
};
use crate::store::consequence::{Change, Consequence};
use crate::store::error::StoreError;
use crate::store::session::{NewSession, SessionChange, SessionRow};

pub(in crate::store) use super::listing::list;
use super::listing::{COLUMNS, row};

pub(in crate::store) fn create(
    tx: &mut Tx<'_>,
    session: &NewSession,
    now: Timestamp,
) -> Result<(), StoreError> {
    if find_number(tx.conn, session.id)?.is_some() {
        return Err(StoreError::SessionExists(session.id));
    }
    // Two sessions never write to one conversation. Looked for here, since two may be created at once.
    if let Some(cli_session) = &session.cli_session
        && let Some(owner) = owner(tx.conn, cli_session)?
    {
        let cli_session = cli_session.clone();
        return Err(StoreError::ConversationTaken { cli_session, session: owner });
    }
    let mut statement = tx.conn.prepare_cached(
        "INSERT INTO sessions (id, cwd, title, is_title_chosen, created_at, updated_at, cli_session,
             model, mode, policy, settings)
         VALUES (?1, ?2, ?3, ?3 IS NOT NULL, ?4, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    let no = statement.insert(params![
        session.id.0.as_bytes(),
        session.cwd,
        session.title,
        now.as_microsecond(),
        session.cli_session,
        session.model,
        session.mode,
        session.policy,
        session.settings.to_string(),
    ])?;
    tag(tx.conn, no, &session.tags)
}

/// The session that has a conversation of the CLI.
fn owner(conn: &Connection, cli_session: &str) -> Result<Option<SessionId>, StoreError> {
    let mut find = conn.prepare_cached("SELECT id FROM sessions WHERE cli_session = ?1 LIMIT 1")?;
    let owner = find.query_row([cli_session], |row| uuid(0, row.get_ref(0)?.as_blob()?));
    Ok(owner.optional()?.map(SessionId))
}

fn tag(conn: &Connection, no: i64, tags: &[String]) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM tags WHERE session = ?1")?.execute([no])?;
    let mut add =
        conn.prepare_cached("INSERT OR IGNORE INTO tags (session, tag) VALUES (?1, ?2)")?;
    for tag in tags {
        add.execute(params![no, tag])?;
    }
    Ok(())
}

pub(in crate::store) fn get(
    conn: &Connection,
    session: SessionId,
) -> Result<Option<SessionRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM sessions s WHERE s.id = ?1");
    let mut statement = conn.prepare_cached(&sql)?;
    Ok(statement.query_row([session.0.as_bytes()], row).optional()?)
}

pub(in crate::store) fn change(
    tx: &mut Tx<'_>,
    session: SessionId,
    change: &SessionChange,
) -> Result<(), StoreError> {
    let no = number_of(tx.conn, session)?;
    let mut statement = tx.conn.prepare_cached(
        "UPDATE sessions SET
             is_title_chosen = CASE WHEN ?2 IS NULL THEN is_title_chosen ELSE ?2 <> '' END,
             title = CASE WHEN ?2 IS NULL THEN title ELSE nullif(?2, '') END,
             is_archived = coalesce(?3, is_archived),
             policy = CASE WHEN ?4 IS NULL THEN policy ELSE nullif(?4, '') END,
             settings = coalesce(?5, settings),
             read_seq = max(read_seq, coalesce(?6, 0))
         WHERE no = ?1",
    )?;
    statement.execute(params![
        no,
        change.title,
        change.archived,
        change.policy,
        change.settings.as_ref().map(ToString::to_string),
        change.read_to.map(signed),
    ])?;
    if let Some(tags) = &change.tags {
        tag(tx.conn, no, tags)?;
    }
    Ok(())
}

/// Everything of a session. Events go first: on a full disk their pages are what the rest needs.
pub(in crate::store) fn delete(
    tx: &mut Tx<'_>,
    session: SessionId,
    by: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let conn = tx.conn;
    let no = number_of(conn, session)?;
    for table in ["events", "states", "approvals", "prompts", "tags", "claims", "usage", "counts"] {
        let sql = format!("DELETE FROM {table} WHERE session = ?1");
        conn.prepare_cached(&sql)?.execute([no])?;
    }
    attachments::remove_all(conn, no)?;
    search::remove(conn, no)?;
    trust::remove_session(conn, session)?;
    conn.prepare_cached("DELETE FROM sessions WHERE no = ?1")?.execute([no])?;
    tx.tails.forget(session);
    upkeep::note_deletion(conn)?;
    let nothing = serde_json::json!({});
    audit::add(conn, now, Some(session), by, audit::DELETED, &nothing)
}

/// What the new events mean for the session's row, approvals and prompts.
pub(super) fn follow<'a>(
    conn: &Connection,
    no: i64,
    session: SessionId,
    news: impl Iterator<Item = &'a Consequence>,
) -> Result<(), StoreError> {
    let mut row = Follow::default();
    for one in news {
        row.heard = row.heard.max(Some(one.at.as_microsecond()));
        if one.is_notable {
            row.notable = Some(signed(one.seq));
        }
        match &one.change {
            Change::Heard => {}
            Change::RunBegan => usage::run_began(conn, no)?,
            Change::TurnEnded(completion) => {
                let before = model_of(conn, no)?;
                let model = row.model.or(before.as_deref());
                usage::turn_ended(conn, no, one.at, completion, model)?;
            }
            Change::Status(status) => row.status = Some(word(status)),
            Change::Titled(title) => row.title = Some(title),
            Change::Conversation(id) => row.cli_session = Some(id),
            Change::Model(model) => row.model = Some(model),
            Change::Mode(mode) => row.mode = Some(mode),
            Change::Asked { approval, tool_name, request } => {
                row.asks = true;
                let at = (one.seq, one.at);
                approvals::open(conn, no, *approval, at, (tool_name.as_deref(), request))?;
            }
            Change::Decided(decided) => {
                row.asks = true;
                approvals::decide(conn, no, one, decided)?;
                let (actor, action) = (&decided.actor, decided.action);
                audit::add(conn, one.at, Some(session), actor, action, &decided.detail)?;
            }
            Change::Voided { approval } => {
                row.asks = true;
                approvals::void(conn, no, *approval, one.at)?;
            }
            Change::Prompted(prompt) => prompts::prompted(conn, no, *prompt, one.at)?,
            Change::PromptState { prompt, state } => {
                prompts::prompt_state(conn, no, *prompt, state)?;
            }
        }
    }
    row.write(conn, no)
}

/// The model of a session, as far as it was told before.
fn model_of(conn: &Connection, no: i64) -> Result<Option<String>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT model FROM sessions WHERE no = ?1")?;
    Ok(statement.query_row([no], |row| row.get(0))?)
}

/// What changes in the session's row, of all events of an append.
#[derive(Default)]
struct Follow<'a> {
    heard: Option<i64>,
    notable: Option<i64>,
    status: Option<String>,
    title: Option<&'a str>,
    cli_session: Option<&'a str>,
    model: Option<&'a str>,
    mode: Option<&'a str>,
    asks: bool,
}

impl Follow<'_> {
    fn write(self, conn: &Connection, no: i64) -> Result<(), StoreError> {
        // Most events mean nothing here, and cost nothing.
        let Some(heard) = self.heard else { return Ok(()) };
        if self.asks {
            let mut count = conn.prepare_cached(
                "UPDATE sessions SET open_approvals =
                     (SELECT count(*) FROM approvals WHERE session = ?1 AND state = 'open')
                 WHERE no = ?1",
            )?;
            count.execute([no])?;
        }
        let mut statement = conn.prepare_cached(
            "UPDATE sessions SET
                 updated_at = max(updated_at, ?2), notable_seq = coalesce(?3, notable_seq),
                 status = coalesce(?4, status),
                 title = CASE WHEN is_title_chosen THEN title ELSE coalesce(?5, title) END,
                 cli_session = coalesce(?6, cli_session), model = coalesce(?7, model),
                 mode = coalesce(?8, mode)
             WHERE no = ?1",
        )?;
        let Self { notable, status, title, cli_session, model, mode, .. } = self;
        statement.execute(params![no, heard, notable, status, title, cli_session, model, mode])?;
        Ok(())
    }
}

/// A session that has this policy.
pub(in crate::store) fn with_policy(
    conn: &Connection,
    policy: &str,
) -> Result<Option<SessionId>, StoreError> {
    let mut find = conn.prepare_cached("SELECT id FROM sessions WHERE policy = ?1 LIMIT 1")?;
    let found = find.query_row([policy], |row| uuid(0, row.get_ref(0)?.as_blob()?));
    Ok(found.optional()?.map(SessionId))
}

/// How many sessions there are in each state.
pub(in crate::store) fn count(conn: &Connection) -> Result<Vec<(Status, u64)>, StoreError> {
    let mut query = conn.prepare_cached("SELECT status, count(*) FROM sessions GROUP BY status")?;
    let rows = query.query_map([], |row| Ok((meaning(row.get(0)?), unsigned(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
