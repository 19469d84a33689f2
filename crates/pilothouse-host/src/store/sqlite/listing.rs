//! Lists of sessions, a page at a time.

use pilothouse_session::id::SessionId;
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};

use super::{meaning, time, unsigned, uuid, word};
use crate::store::error::StoreError;
use crate::store::session::{Page, SessionFilter, SessionRow};

/// What [`row`] reads, of `sessions s`.
pub(super) const COLUMNS: &str = "s.id, s.cwd, s.title, s.created_at, s.updated_at, s.is_archived,
    s.status, s.cli_session, s.model, s.mode, s.policy, s.settings, s.open_approvals, s.needs_you,
    s.is_unread,
    coalesce((SELECT first + count - 1 FROM events WHERE session = s.no ORDER BY first DESC LIMIT 1), 0),
    (SELECT json_group_array(tag) FROM (SELECT tag FROM tags WHERE session = s.no ORDER BY tag)),
    s.no";

/// A session of a query over [`COLUMNS`].
pub(super) fn row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let settings: String = row.get(11)?;
    let tags: String = row.get(16)?;
    Ok(SessionRow {
        id: SessionId(uuid(0, row.get_ref(0)?.as_blob()?)?),
        cwd: row.get(1)?,
        title: row.get(2)?,
        created_at: time(3, row.get(3)?)?,
        updated_at: time(4, row.get(4)?)?,
        archived: row.get(5)?,
        status: meaning(row.get(6)?),
        cli_session: row.get(7)?,
        model: row.get(8)?,
        mode: row.get(9)?,
        policy: row.get(10)?,
        settings: serde_json::from_str(&settings).unwrap_or_default(),
        open_approvals: unsigned(row.get(12)?),
        needs_you: row.get(13)?,
        unread: row.get(14)?,
        last_seq: unsigned(row.get(15)?),
        tags: serde_json::from_str(&tags).unwrap_or_default(),
    })
}

/// The place of a session in the list.
struct Mark {
    needs_you: bool,
    updated_at: i64,
    no: i64,
}

impl Mark {
    fn parse(text: &str) -> Result<Self, StoreError> {
        let bad = || StoreError::BadCursor(text.to_owned());
        let mut parts = text.split('.').map(|part| part.parse::<i64>().ok());
        let mut next = || parts.next().flatten().ok_or_else(bad);
        let mark = Self { needs_you: next()? != 0, updated_at: next()?, no: next()? };
        if parts.next().is_some() { Err(bad()) } else { Ok(mark) }
    }

    fn text(&self) -> String {
        format!("{}.{}.{}", i64::from(self.needs_you), self.updated_at, self.no)
    }
}

/// Conditions and what they are about, in the same order.
#[derive(Default)]
struct Conditions {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, sql: impl Into<String>, values: impl IntoIterator<Item = Value>) {
        self.sql.push(sql.into());
        self.values.extend(values);
    }

    fn of(filter: &SessionFilter) -> Self {
        let text = |text: &String| [Value::Text(text.clone())];
        let mut all = Self::default();
        if let Some(archived) = filter.archived {
            all.add("s.is_archived = ?", [Value::Integer(archived.into())]);
        }
        if let Some(tag) = &filter.tag {
            let sql = "EXISTS (SELECT 1 FROM tags WHERE session = s.no AND tag = ?)";
            all.add(sql, text(tag));
        }
        if let Some(cwd) = &filter.cwd {
            all.add("s.cwd = ?", text(cwd));
        }
        if let Some(cli_session) = &filter.cli_session {
            all.add("s.cli_session = ?", text(cli_session));
        }
        if !filter.statuses.is_empty() {
            let marks = vec!["?"; filter.statuses.len()].join(", ");
            let words = filter.statuses.iter().map(|status| Value::Text(word(status)));
            all.add(format!("s.status IN ({marks})"), words);
        }
        if filter.needs_you {
            all.add("s.needs_you = 1", []);
        }
        if filter.unread {
            all.add("s.is_unread = 1", []);
        }
        if let Some(named) = &filter.named {
            let escaped = named.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            let like = Value::Text(format!("%{escaped}%"));
            let sql = "(s.title LIKE ? ESCAPE '\\' OR s.cwd LIKE ? ESCAPE '\\')";
            all.add(sql, [like.clone(), like]);
        }
        all
    }
}

/// A page of the list.
pub(in crate::store) fn list(
    conn: &Connection,
    filter: &SessionFilter,
    after: Option<&str>,
    limit: usize,
) -> Result<Page<SessionRow>, StoreError> {
    let mut conditions = Conditions::of(filter);
    if let Some(after) = after {
        let Mark { needs_you, updated_at, no } = Mark::parse(after)?;
        let place = [needs_you.into(), updated_at, no].map(Value::Integer);
        conditions.add("(s.needs_you, s.updated_at, s.no) < (?, ?, ?)", place);
    }
    if conditions.sql.is_empty() {
        conditions.add("1", []);
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM sessions s WHERE {}
         ORDER BY s.needs_you DESC, s.updated_at DESC, s.no DESC LIMIT ?",
        conditions.sql.join(" AND "),
    );
    // One more than asked for says whether there is a next page.
    let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
    conditions.values.push(Value::Integer(most));
    let mut statement = conn.prepare_cached(&sql)?;
    let marked = |found: &Row<'_>| Ok((row(found)?, found.get::<_, i64>(17)?));
    let found = statement.query_map(params_from_iter(conditions.values), marked)?;
    let mut items = Vec::new();
    let mut last = None;
    let mut next = None;
    for found in found {
        let (session, no) = found?;
        if items.len() == limit {
            next = last.as_ref().map(Mark::text);
            break;
        }
        let updated_at = session.updated_at.as_microsecond();
        last = Some(Mark { needs_you: session.needs_you, updated_at, no });
        items.push(session);
    }
    Ok(Page { items, next })
}
