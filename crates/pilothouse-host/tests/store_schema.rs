//! Files of other versions, of other programs, and damaged ones.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod store_support;

use std::path::Path;

use pilothouse_host::store::{Search, Store, StoreError};
use pilothouse_session::id::SessionId;
use rusqlite::{Connection, params};
use store_support::*;
use uuid::Uuid;

/// The tables of version 1. A copy: what was released does not change, whatever becomes of the code.
const VERSION_1: &str = include_str!("store_support/version_1.sql");

/// A file as version 1 left it: two sessions, with rows of different size.
fn version_1(file: &Path, sessions: [SessionId; 2]) {
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let conn = Connection::open(file).unwrap();
    conn.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = 0x504c5448;")
        .unwrap();
    conn.execute_batch(VERSION_1).unwrap();
    for (no, session) in (1..).zip(sessions) {
        conn.execute(
            "INSERT INTO sessions (no, id, cwd, title, created_at, updated_at, status)
             VALUES (?1, ?2, '/old', 'Old', 5, 6, 'ended')",
            params![no, session.0.as_bytes()],
        )
        .unwrap();
        for (first, last) in [(1, 32), (33, 33), (34, 36)] {
            let events = messages(session, first, last);
            let lines: Vec<String> =
                events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
            conn.execute(
                "INSERT INTO events (session, first, count, body) VALUES (?1, ?2, ?3, ?4)",
                params![
                    no,
                    i64::try_from(first).unwrap(),
                    i64::try_from(lines.len()).unwrap(),
                    lines.join("\n")
                ],
            )
            .unwrap();
        }
    }
    conn.pragma_update(None, "user_version", 1).unwrap();
}

fn tables(file: &Path) -> Vec<(String, Option<String>)> {
    let conn = Connection::open(file).unwrap();
    let mut statement = conn.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[test]
fn a_file_of_version_1_goes_on() {
    let place = Place::new();
    let sessions = [SessionId(Uuid::now_v7()), SessionId(Uuid::now_v7())];
    version_1(&place.file, sessions);
    let store = place.open();
    for session in sessions {
        let row = store.session(session).unwrap().unwrap();
        assert_eq!((row.title.as_deref(), row.last_seq), (Some("Old"), 36));
        store.append(session, &messages(session, 37, 80), None).wait().unwrap();
        assert_eq!(numbers(&store, session), (1..=80).collect::<Vec<_>>());
    }
    // What was there before there was an index is found.
    let search = Search { text: "message 20".to_owned(), limit: 10, ..Search::default() };
    assert_eq!(store.search(&search).unwrap().items.len(), 2);
    store.check().unwrap();
    drop(store);
    let new = Place::new();
    drop(new.open());
    assert_eq!(tables(&place.file), tables(&new.file));
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let (place, store, _) = with_session();
    drop(store);
    Connection::open(&place.file).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let before = std::fs::read(&place.file).unwrap();
    let error = Store::open(&place.file).unwrap_err();
    assert_eq!(error, StoreError::NewerSchema { found: 99, known: 4 });
    assert!(error.to_string().contains("install the version"), "{error}");
    assert!(std::fs::read(&place.file).unwrap() == before, "the file was changed");
}

#[test]
fn a_file_of_another_program_is_refused_and_left_alone() {
    let place = Place::new();
    std::fs::create_dir_all(place.file.parent().unwrap()).unwrap();
    Connection::open(&place.file).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let before = std::fs::read(&place.file).unwrap();
    assert_eq!(Store::open(&place.file).unwrap_err(), StoreError::Foreign(place.file.clone()));
    assert!(std::fs::read(&place.file).unwrap() == before, "the file was changed");

    let text = place.file.with_file_name("notes.txt");
    std::fs::write(&text, "no database at all\n".repeat(100)).unwrap();
    let error = Store::open(&text).unwrap_err();
    assert!(matches!(&error, StoreError::Corrupt(_)), "{error}");
    assert!(error.to_string().contains("put a backup in its place"), "{error}");
}

#[test]
fn damage_is_noticed() {
    let (place, store, session) = with_session();
    store.append(session, &messages(session, 1, 5_000), None).wait().unwrap();
    store.tidy(|| false).unwrap();
    store.check().unwrap();
    drop(store);
    let mut bytes = std::fs::read(&place.file).unwrap();
    let middle = bytes.len() / 2 / 4_096 * 4_096;
    bytes[middle..middle + 4_096].fill(0xa5);
    std::fs::write(&place.file, bytes).unwrap();
    let store = place.open();
    assert!(matches!(store.check(), Err(StoreError::Corrupt(_))));
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let place = Place::new();
    let not_a_directory = place.directory.path().join("file");
    std::fs::write(&not_a_directory, "").unwrap();
    let error = Store::open(not_a_directory.join("store.db")).unwrap_err();
    assert!(matches!(&error, StoreError::File { .. }), "{error}");
    assert!(error.to_string().contains("may be written"), "{error}");
}
