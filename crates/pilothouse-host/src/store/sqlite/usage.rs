//! What turns took: counted when they end, summed when somebody asks.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memchr::memmem;
use pilothouse_session::event::{Body, Completion, Tokens};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::{signed, unsigned};
use crate::store::error::StoreError;
use crate::store::event::split;
use crate::store::usage::{DayUsage, Days, MOST_DAYS, MOST_PROJECTS, Share, Spent, Usage};

/// Microseconds of a quarter of an hour.
const QUARTER: i64 = 900_000_000;
/// All models together.
const ALL: &str = "";
/// A turn whose model nobody has told.
const UNKNOWN: &str = "unknown";

/// A run counts from its start.
pub(super) fn run_began(conn: &Connection, no: i64) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM counts WHERE session = ?1")?.execute([no])?;
    Ok(())
}

/// Notes what a turn took. `model` is the session's, for turns that do not name theirs.
pub(super) fn turn_ended(
    conn: &Connection,
    no: i64,
    at: Timestamp,
    completion: &Completion,
    model: Option<&str>,
) -> Result<(), StoreError> {
    let total = counted(conn, no, ALL, completion.total_cost_usd, Tokens::default())?;
    if completion.models.is_empty() {
        // What it tells is of the turn alone.
        let spent = Spent { tokens: completion.tokens, ..total };
        return add(conn, no, at, model.unwrap_or(UNKNOWN), spent);
    }
    for (model, share) in &completion.models {
        let spent = counted(conn, no, model, share.cost_usd, share.tokens)?;
        add(conn, no, at, model, spent)?;
    }
    Ok(())
}

/// Notes how far a count has come, and gives what it has grown by.
fn counted(
    conn: &Connection,
    no: i64,
    model: &str,
    cost: Option<f64>,
    tokens: Tokens,
) -> Result<Spent, StoreError> {
    let mut find = conn.prepare_cached(
        "SELECT cost, input, output, cache_creation, cache_read FROM counts
         WHERE session = ?1 AND model = ?2",
    )?;
    let before = find.query_row(params![no, model], |row| spent(row, 0)).optional()?;
    let before = before.unwrap_or_default();
    let cost_usd = cost.filter(|cost| cost.is_finite()).unwrap_or(before.cost_usd);
    let now = Spent { cost_usd, tokens };
    let mut save = conn.prepare_cached(
        "INSERT OR REPLACE INTO counts
             (session, model, cost, input, output, cache_creation, cache_read)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    save.execute(params![
        no,
        model,
        now.cost_usd,
        signed(tokens.input),
        signed(tokens.output),
        signed(tokens.cache_creation),
        signed(tokens.cache_read),
    ])?;
    Ok(now.since(before))
}

fn add(
    conn: &Connection,
    no: i64,
    at: Timestamp,
    model: &str,
    spent: Spent,
) -> Result<(), StoreError> {
    if spent == Spent::default() {
        return Ok(());
    }
    let mut statement = conn.prepare_cached(
        "INSERT INTO usage
             (quarter, session, model, cost, input, output, cache_creation, cache_read)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO UPDATE SET
             cost = cost + excluded.cost, input = input + excluded.input,
             output = output + excluded.output,
             cache_creation = cache_creation + excluded.cache_creation,
             cache_read = cache_read + excluded.cache_read",
    )?;
    statement.execute(params![
        at.as_microsecond().div_euclid(QUARTER),
        no,
        model,
        spent.cost_usd,
        signed(spent.tokens.input),
        signed(spent.tokens.output),
        signed(spent.tokens.cache_creation),
        signed(spent.tokens.cache_read),
    ])?;
    Ok(())
}

fn spent(row: &Row<'_>, from: usize) -> rusqlite::Result<Spent> {
    let count = |column: usize| row.get(from + column).map(unsigned);
    Ok(Spent {
        cost_usd: row.get(from)?,
        tokens: Tokens {
            input: count(1)?,
            output: count(2)?,
            cache_creation: count(3)?,
            cache_read: count(4)?,
        },
    })
}

/// What was taken on these days.
pub(in crate::store) fn over(conn: &Connection, days: &Days) -> Result<Usage, StoreError> {
    let mut usage = Usage::default();
    let (mut models, mut projects) = (BTreeMap::new(), BTreeMap::new());
    let mut statement = conn.prepare_cached(
        "SELECT s.cwd, u.model, sum(u.cost), sum(u.input), sum(u.output), sum(u.cache_creation),
             sum(u.cache_read)
         FROM usage u CROSS JOIN sessions s ON s.no = u.session
         WHERE u.quarter >= ?1 AND u.quarter < ?2 GROUP BY s.cwd, u.model",
    )?;
    let all = days.from.series(jiff::Span::new().days(1)).take_while(|day| *day <= days.to);
    for day in all.take(MOST_DAYS) {
        let (begin, end) = (begin_of(day, &days.zone), day.tomorrow());
        let end = end.map_or(i64::MAX, |next| begin_of(next, &days.zone));
        let mut of_day = BTreeMap::new();
        let mut rows = statement.query([begin, end])?;
        while let Some(row) = rows.next()? {
            let (project, model): (String, String) = (row.get(0)?, row.get(1)?);
            let spent = spent(row, 2)?;
            usage.total.add(spent);
            sum(&mut of_day, model.clone(), spent);
            sum(&mut models, model, spent);
            sum(&mut projects, project, spent);
        }
        if !of_day.is_empty() {
            usage.days.push(DayUsage { day, models: dearest_first(of_day) });
        }
    }
    usage.models = dearest_first(models);
    usage.projects = dearest_first(projects);
    if usage.projects.len() > MOST_PROJECTS {
        let others = usage.projects.split_off(MOST_PROJECTS);
        usage.other_projects = Some(others.iter().fold(Spent::default(), |mut sum, one| {
            sum.add(one.spent);
            sum
        }));
    }
    let (begin, end) = (begin_of(days.from, &days.zone), days.to.tomorrow());
    let end = end.map_or(i64::MAX, |next| begin_of(next, &days.zone));
    let mut count = conn.prepare_cached(
        "SELECT count(DISTINCT session) FROM usage WHERE quarter >= ?1 AND quarter < ?2",
    )?;
    usage.sessions = count.query_row([begin, end], |row| row.get(0).map(unsigned))?;
    Ok(usage)
}

/// The quarter in which a day begins.
fn begin_of(day: Date, zone: &TimeZone) -> i64 {
    let begin = day.to_zoned(zone.clone()).map(|begin| begin.timestamp().as_microsecond());
    // Only at the ends of all time is there none.
    begin.unwrap_or(i64::MAX).div_euclid(QUARTER)
}

fn sum(sums: &mut BTreeMap<String, Spent>, name: String, spent: Spent) {
    sums.entry(name).or_default().add(spent);
}

fn dearest_first(sums: BTreeMap<String, Spent>) -> Vec<Share> {
    let mut shares: Vec<_> = sums.into_iter().map(|(name, spent)| Share { name, spent }).collect();
    let tokens = |share: &Share| share.spent.tokens.input + share.spent.tokens.output;
    shares.sort_by(|a, b| {
        b.spent.cost_usd.total_cmp(&a.spent.cost_usd).then_with(|| tokens(b).cmp(&tokens(a)))
    });
    shares
}

/// Counts everything that is stored.
pub(super) fn fill(conn: &Connection) -> Result<(), StoreError> {
    let mut statement =
        conn.prepare("SELECT session, first, body FROM events ORDER BY session, first")?;
    let mut rows = statement.query([])?;
    let (mut session, mut model) = (0, None);
    while let Some(row) = rows.next()? {
        let (no, first): (i64, i64) = (row.get(0)?, row.get(1)?);
        if no != session {
            (session, model) = (no, None);
        }
        let body = row.get_ref(2)?.as_bytes().map_err(rusqlite::Error::from)?;
        for stored in split(unsigned(first), body).filter(|stored| may_count(&stored.json)) {
            // An event that this version cannot read tells nothing that it could count.
            let Ok(event) = stored.read() else { continue };
            match &event.body {
                Body::RunStarted { .. } => run_began(conn, no)?,
                Body::ModelChanged { model: changed } => model = Some(changed.clone()),
                Body::Complete { completion } => {
                    turn_ended(conn, no, event.at, completion, model.as_deref())?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Most events are of other types, and need not be read.
fn may_count(json: &[u8]) -> bool {
    ["\"complete\"", "\"run_started\"", "\"model_changed\""]
        .iter()
        .any(|kind| memmem::find(json, kind.as_bytes()).is_some())
}
