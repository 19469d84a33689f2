//! The full-text index.
//!
//! It is contentless: which words stand in which event, not the words in their order of text. A
//! deleted row is only marked; its words leave the file when the index is [merged](merge).

use pilothouse_session::id::SessionId;
use rusqlite::{Connection, params};

use super::{events, signed, time, unsigned, uuid};
use crate::store::error::StoreError;
use crate::store::event::split;
use crate::store::finding::{Hit, Search};
use crate::store::session::Page;
use crate::store::text::{Query, Text, Voice, searchable};

/// Session and event in one number. Four thousand million events are enough for a session.
fn row_id(no: i64, seq: u64) -> i64 {
    (no << 32) | signed(seq.min(u64::from(u32::MAX)))
}

/// Adds the text of an event.
pub(super) fn add(conn: &Connection, no: i64, seq: u64, text: &Text) -> Result<(), StoreError> {
    let sql = match text.voice {
        Voice::Asked => "INSERT INTO search (rowid, asked) VALUES (?1, ?2)",
        Voice::Said => "INSERT INTO search (rowid, said) VALUES (?1, ?2)",
        Voice::Done => "INSERT INTO search (rowid, done) VALUES (?1, ?2)",
    };
    conn.prepare_cached(sql)?.execute(params![row_id(no, seq), text.text])?;
    Ok(())
}

/// Takes all texts of a session out.
pub(super) fn remove(conn: &Connection, no: i64) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached("DELETE FROM search WHERE rowid BETWEEN ?1 AND ?2")?;
    statement.execute(params![row_id(no, 0), row_id(no, u64::MAX)])?;
    Ok(())
}

/// Indexes everything that is stored.
pub(super) fn fill(conn: &Connection) -> Result<(), StoreError> {
    let mut statement = conn.prepare("SELECT session, first, body FROM events ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (no, first): (i64, i64) = (row.get(0)?, row.get(1)?);
        let body = row.get_ref(2)?.as_bytes().map_err(rusqlite::Error::from)?;
        for stored in split(unsigned(first), body) {
            // An event that this version cannot read has no text that it knows of.
            let text = stored.read().ok().and_then(|event| searchable(&event.body));
            if let Some(text) = text {
                add(conn, no, stored.seq, &text)?;
            }
        }
    }
    Ok(())
}

/// Merges a part of the index, so that what was deleted leaves it. False when nothing is left to do.
pub(super) fn merge(conn: &Connection, pages: i64) -> Result<bool, StoreError> {
    let before = changes(conn)?;
    conn.execute("INSERT INTO search (search, rank) VALUES ('merge', ?1)", [-pages])?;
    // The command itself counts as one change.
    Ok(changes(conn)? - before >= 2)
}

fn changes(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn.query_row("SELECT total_changes()", [], |row| row.get(0))?)
}

/// What was found, newest sessions first.
pub(in crate::store) fn find(conn: &Connection, search: &Search) -> Result<Page<Hit>, StoreError> {
    let nothing = Page { items: Vec::new(), next: None };
    let before: i64 = match &search.after {
        Some(text) => text.parse().map_err(|_| StoreError::BadCursor(text.clone()))?,
        None => i64::MAX,
    };
    let query = Query::of(&search.text);
    if query.is_empty() || search.limit == 0 {
        return Ok(nothing);
    }
    let mut statement = conn.prepare_cached(
        "SELECT s.id, s.title, s.cwd, search.rowid & 0xffffffff, search.rowid
         FROM search CROSS JOIN sessions s ON s.no = search.rowid >> 32
         WHERE search MATCH ?1 AND search.rowid BETWEEN ?2 AND ?3
           AND (?4 OR NOT s.is_archived)
         ORDER BY search.rowid DESC LIMIT ?5",
    )?;
    let (from, to) = match search.session {
        Some(session) => {
            let Some(no) = super::find_number(conn, session)? else { return Ok(nothing) };
            (row_id(no, 0), row_id(no, u64::MAX))
        }
        None => (0, i64::MAX),
    };
    let matching = query.to_match(&search.voices);
    let to = to.min(before.saturating_sub(1));
    let most = signed(search.limit as u64).saturating_add(1);
    let mut rows = statement.query(params![matching, from, to, search.with_archived, most])?;
    let (mut hits, mut last, mut next) = (Vec::new(), 0_i64, None);
    while let Some(row) = rows.next()? {
        if hits.len() == search.limit {
            next = Some(last.to_string());
            break;
        }
        last = row.get(4)?;
        let session =
            SessionId(uuid(0, row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?);
        let hit = Hit {
            session,
            title: row.get(1)?,
            cwd: row.get(2)?,
            seq: unsigned(row.get(3)?),
            at: time(3, 0)?,
            voice: Voice::Said,
            snippet: query.snippet(""),
        };
        hits.push(hit);
    }
    for hit in &mut hits {
        show(conn, &query, hit)?;
    }
    Ok(Page { items: hits, next })
}

/// Fills in what the event knows.
fn show(conn: &Connection, query: &Query, hit: &mut Hit) -> Result<(), StoreError> {
    let stored = events::read_after(conn, hit.session, hit.seq.saturating_sub(1), 1)?;
    let Some(event) = stored.first().and_then(|stored| stored.read().ok()) else { return Ok(()) };
    hit.at = event.at;
    if let Some(text) = searchable(&event.body) {
        hit.voice = text.voice;
        hit.snippet = query.snippet(&text.text);
    }
    Ok(())
}
