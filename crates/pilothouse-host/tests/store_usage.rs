//! What sessions took, by day, project and model.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod store_support;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use pilothouse_host::store::{Days, NewSession, Retention, Share, Store, Usage};
use pilothouse_session::event::{Body, Event, ModelShare, RunOrigin, Status, Tokens};
use pilothouse_session::id::{RunId, SessionId};
use rusqlite::{Connection, params};
use store_support::*;
use uuid::Uuid;

const DAY: Date = date(2026, 3, 1);

/// A session whose events are told one by one.
struct Told {
    session: SessionId,
    seq: u64,
    events: Vec<Event>,
}

impl Told {
    fn new(store: &Store, cwd: &str) -> Self {
        let session = SessionId(Uuid::now_v7());
        store.create(NewSession::new(session, cwd)).wait().unwrap();
        Self::of(session)
    }

    fn of(session: SessionId) -> Self {
        Self { session, seq: 0, events: Vec::new() }
    }

    fn tell(&mut self, at: &str, body: Body) -> &mut Self {
        self.seq += 1;
        let at: Timestamp = at.parse().unwrap();
        let event = event(self.session, self.seq, body);
        self.events.push(Event { at, ..event });
        self
    }

    fn run(&mut self, at: &str) -> &mut Self {
        let run = RunId(Uuid::now_v7());
        self.tell(at, Body::RunStarted { run, pid: None, origin: RunOrigin::New })
    }

    /// A turn after which the run has counted this: model, dollars, tokens written.
    fn turn(&mut self, at: &str, counts: &[(&str, f64, u64)]) -> &mut Self {
        let models = counts.iter().map(|(model, cost, output)| {
            let tokens = Tokens { output: *output, input: 10 * output, ..Tokens::default() };
            let share = ModelShare { tokens, cost_usd: Some(*cost), context_window: None };
            ((*model).to_owned(), share)
        });
        let total = counts.iter().map(|(_, cost, _)| cost).sum();
        self.tell(at, complete(models.collect(), Some(total), Tokens::default()))
    }

    fn append(&mut self, store: &Store) {
        store.append(self.session, &self.events, None).wait().unwrap();
    }
}

fn complete(
    models: std::collections::BTreeMap<String, ModelShare>,
    total_cost_usd: Option<f64>,
    tokens: Tokens,
) -> Body {
    let body = serde_json::json!({
        "type": "complete", "outcome": "done", "prompts": [], "total_cost_usd": total_cost_usd,
        "tokens": tokens, "models": models, "denied_tool_call_ids": [],
    });
    serde_json::from_value(body).unwrap()
}

fn days(from: Date, to: Date, zone: &str) -> Days {
    Days { from, to, zone: TimeZone::get(zone).unwrap() }
}

fn march(store: &Store) -> Usage {
    store.usage(&days(date(2026, 3, 1), date(2026, 3, 31), "UTC")).unwrap()
}

/// Name, dollars and tokens written.
fn told(shares: &[Share]) -> Vec<(&str, f64, u64)> {
    let mut told = Vec::new();
    for Share { name, spent } in shares {
        told.push((&**name, (spent.cost_usd * 1e6).round() / 1e6, spent.tokens.output));
    }
    told
}

#[test]
fn a_turn_takes_what_the_counts_of_its_run_have_grown_by() {
    let place = Place::new();
    let store = place.open();
    Told::new(&store, "/home/ann/boat")
        .run("2026-03-01T10:00:00Z")
        .turn("2026-03-01T10:01:00Z", &[("big", 0.5, 10)])
        .turn("2026-03-01T10:02:00Z", &[("big", 0.5, 10), ("small", 0.1, 4)])
        .turn("2026-03-02T10:02:00Z", &[("big", 0.75, 12), ("small", 0.1, 4)])
        .run("2026-03-03T10:00:00Z")
        .turn("2026-03-03T10:01:00Z", &[("big", 0.2, 1)])
        .append(&store);
    Told::new(&store, "/home/ann/shed")
        .run("2026-03-02T10:00:00Z")
        .turn("2026-03-02T10:01:00Z", &[("big", 2.0, 100)])
        .append(&store);
    let usage = march(&store);
    assert_eq!(told(&usage.models), [("big", 2.95, 113), ("small", 0.1, 4)]);
    assert_eq!(told(&usage.projects), [("/home/ann/shed", 2.0, 100), ("/home/ann/boat", 1.05, 17)]);
    let by_day: Vec<_> = usage.days.iter().map(|day| (day.day, told(&day.models))).collect();
    assert_eq!(
        by_day,
        [
            (DAY, vec![("big", 0.5, 10), ("small", 0.1, 4)]),
            (date(2026, 3, 2), vec![("big", 2.25, 102)]),
            (date(2026, 3, 3), vec![("big", 0.2, 1)]),
        ]
    );
    assert_eq!((usage.sessions, usage.total.tokens.output), (2, 117));
    assert_eq!(usage.total.tokens.input, 1170);
    let before = store.usage(&days(date(2026, 2, 1), date(2026, 2, 28), "UTC")).unwrap();
    assert_eq!(before, Usage::default());
}

#[test]
fn what_comes_twice_is_counted_once_and_counts_that_fall_begin_anew() {
    let place = Place::new();
    let store = place.open();
    let mut one = Told::new(&store, "/boat");
    one.run("2026-03-01T10:00:00Z").turn("2026-03-01T10:01:00Z", &[("big", 0.5, 10)]);
    one.append(&store);
    one.turn("2026-03-01T10:02:00Z", &[("big", 0.7, 15)]);
    // The first events are there already.
    one.append(&store);
    one.append(&store);
    assert_eq!(told(&march(&store).models), [("big", 0.7, 15)]);
    drop(store);
    let store = place.open();
    one.turn("2026-03-01T10:03:00Z", &[("big", 0.1, 2)]).append(&store);
    assert_eq!(told(&march(&store).models), [("big", 0.8, 17)]);
}

#[test]
fn a_turn_that_names_no_model_is_the_sessions() {
    let place = Place::new();
    let store = place.open();
    let tokens = Tokens { input: 3, output: 2, cache_creation: 1, cache_read: 4 };
    let turn = |cost| complete(Default::default(), cost, tokens);
    let at = "2026-03-01T10:00:00Z";
    let mut one = Told::new(&store, "/boat");
    one.run(at).tell(at, turn(None)).append(&store);
    one.tell(at, Body::ModelChanged { model: "big".to_owned() }).tell(at, turn(Some(0.25)));
    one.append(&store);
    one.tell(at, turn(Some(0.75))).append(&store);
    let usage = march(&store);
    assert_eq!(told(&usage.models), [("big", 0.75, 4), ("unknown", 0.0, 2)]);
    assert_eq!(
        usage.total.tokens,
        Tokens { input: 9, output: 6, cache_creation: 3, cache_read: 12 }
    );
}

#[test]
fn days_begin_where_the_reader_is() {
    let place = Place::new();
    let store = place.open();
    // Half past eleven at night in Berlin, an hour before midnight; summer time begins that night.
    Told::new(&store, "/boat")
        .run("2026-03-28T22:00:00Z")
        .turn("2026-03-28T22:30:00Z", &[("big", 1.0, 1)])
        .turn("2026-03-28T23:00:00Z", &[("big", 3.0, 2)])
        .turn("2026-03-29T21:59:00Z", &[("big", 7.0, 3)])
        .turn("2026-03-29T22:00:00Z", &[("big", 15.0, 4)])
        .append(&store);
    let costs = |zone: &str| -> Vec<(i8, f64)> {
        let usage = store.usage(&days(DAY, date(2026, 3, 31), zone)).unwrap();
        usage.days.iter().map(|day| (day.day.day(), day.models[0].spent.cost_usd)).collect()
    };
    assert_eq!(costs("UTC"), [(28, 3.0), (29, 12.0)]);
    assert_eq!(costs("Europe/Berlin"), [(28, 1.0), (29, 6.0), (30, 8.0)]);
    // Five hours and three quarters.
    assert_eq!(costs("Asia/Kathmandu"), [(29, 3.0), (30, 12.0)]);
}

#[test]
fn what_is_deleted_counts_no_more() {
    let place = Place::new();
    let store = place.open();
    let spend = |cwd: &str, cost| {
        let mut one = Told::new(&store, cwd);
        one.run("2026-03-01T10:00:00Z").turn("2026-03-01T10:01:00Z", &[("big", cost, 1)]);
        one.tell("2026-03-01T10:02:00Z", Body::SessionStatus { status: Status::Dormant });
        one.append(&store);
        one.session
    };
    let (gone, kept) = (spend("/gone", 1.0), spend("/kept", 2.0));
    store.delete(gone, "ann").wait().unwrap();
    assert_eq!(told(&march(&store).projects), [("/kept", 2.0, 1)]);
    let all = Retention { idle_before: Some(Timestamp::now() + 1.hour()), ..Retention::default() };
    let retained = store.retain(&all).wait().unwrap();
    assert_eq!(retained, [(kept, Status::Dormant)]);
    assert_eq!(march(&store), Usage::default());
    let raw = Connection::open(&place.file).unwrap();
    let sql = "SELECT (SELECT count(*) FROM usage) + (SELECT count(*) FROM counts)";
    assert_eq!(raw.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn what_was_spent_before_it_was_counted_is_counted_when_the_file_is_opened() {
    let place = Place::new();
    let sessions = [SessionId(Uuid::now_v7()), SessionId(Uuid::now_v7())];
    std::fs::create_dir_all(place.file.parent().unwrap()).unwrap();
    let conn = Connection::open(&place.file).unwrap();
    conn.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = 0x504c5448;")
        .unwrap();
    conn.execute_batch(include_str!("store_support/version_1.sql")).unwrap();
    for (no, session) in (1..).zip(sessions) {
        let sql =
            "INSERT INTO sessions (no, id, cwd, created_at, updated_at) VALUES (?1, ?2, ?3, 5, 6)";
        conn.execute(sql, params![no, session.0.as_bytes(), format!("/{no}")]).unwrap();
        let mut one = Told::of(session);
        one.run("2026-03-01T10:00:00Z")
            .turn("2026-03-01T10:01:00Z", &[("big", 0.5, 10)])
            .turn("2026-03-01T10:02:00Z", &[("big", 1.5, 11)]);
        for event in &one.events {
            let first = i64::try_from(event.seq).unwrap();
            let body = serde_json::to_string(event).unwrap();
            let sql = "INSERT INTO events (session, first, count, body) VALUES (?1, ?2, 1, ?3)";
            conn.execute(sql, params![no, first, body]).unwrap();
        }
    }
    conn.pragma_update(None, "user_version", 1).unwrap();
    drop(conn);
    let store = place.open();
    assert_eq!(told(&march(&store).models), [("big", 3.0, 22)]);
    let mut one = Told::of(sessions[0]);
    one.seq = 3;
    one.turn("2026-03-01T10:03:00Z", &[("big", 2.0, 12)]).append(&store);
    assert_eq!(told(&march(&store).models), [("big", 3.5, 23)], "goes on from what was counted");
}

#[test]
fn projects_that_are_too_many_are_one() {
    let place = Place::new();
    let store = place.open();
    for number in 0..503_u32 {
        Told::new(&store, &format!("/{number}"))
            .run("2026-03-01T10:00:00Z")
            .turn("2026-03-01T10:01:00Z", &[("big", f64::from(number + 1), 1)])
            .append(&store);
    }
    let usage = march(&store);
    assert_eq!((usage.projects.len(), usage.sessions), (500, 503));
    assert_eq!(usage.projects[0].name, "/502");
    assert_eq!(usage.other_projects.unwrap().cost_usd, 6.0);
    assert_eq!(usage.total.cost_usd, f64::from(503 * 504 / 2));
}
