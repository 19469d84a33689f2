//! How fast the store is on this machine and disk: appends, replay, opening with many sessions.
//!
//! `cargo run --release -p pilothouse-host --example append_rate [directory]`

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement prints, and fails by panicking"
)]

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pilothouse_host::store::{Ack, Appended, Checkpoint, NewSession, Search, SessionFilter, Store};
use pilothouse_session::event::{Body, Event};
use pilothouse_session::id::{ItemId, SessionId};
use uuid::Uuid;

fn main() {
    let parent = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let directory = tempfile::tempdir_in(parent).unwrap();
    println!("{:<58} {:>12} {:>12}", "", "per second", "µs each");
    single(&directory.path().join("single.db"));
    spread(&directory.path().join("spread.db"));
    for text in [Text::Searchable, Text::Not] {
        chunks(&directory.path().join(format!("chunks{}.db", text as u8)), text);
    }
    checkpoints(&directory.path().join("checkpoints.db"));
    replay(&directory.path().join("replay.db"));
    cold(&directory.path().join("cold.db"));
}

/// What the events are.
#[derive(Clone, Copy)]
enum Text {
    /// Messages, which are indexed.
    Searchable,
    /// Thinking of the same length, which is not.
    Not,
}

const WORDS: [&str; 16] = [
    "anchor", "ballast", "compass", "davit", "ebb", "fathom", "galley", "halyard", "jib", "keel",
    "league", "mast", "oar", "port", "rudder", "sextant",
];

fn text(seq: u64) -> String {
    let word = |at: u64| WORDS[usize::try_from((seq * 7 + at * at) % 16).unwrap()];
    let words: Vec<&str> = (0..30).map(word).collect();
    format!("{} {seq}", words.join(" "))
}

fn events(session: SessionId, from: u64, count: u64, kind: Text) -> Vec<Event> {
    let event = |seq: u64| {
        let (item, text) = (ItemId(seq), text(seq));
        let body = match kind {
            Text::Searchable => Body::Message { item, text, uuid: None, partial: false },
            Text::Not => Body::Reasoning { item, text, redacted: false, partial: false },
        };
        let (at, turn) = (Timestamp::now(), None);
        Event { session, seq, at, turn, parent_tool_call_id: None, wire: None, body }
    };
    (from..from + count).map(event).collect()
}

fn create(store: &Store, count: usize) -> Vec<SessionId> {
    let ids: Vec<SessionId> = (0..count).map(|_| SessionId(Uuid::now_v7())).collect();
    let new = |id: &SessionId| store.create(NewSession::new(*id, "/home/ann/boat"));
    let acks: Vec<Ack<()>> = ids.iter().map(new).collect();
    acks.into_iter().for_each(|ack| ack.wait().unwrap());
    ids
}

fn report(what: &str, count: u64, took: Duration) {
    let seconds = took.as_secs_f64();
    let (rate, each) = (count as f64 / seconds, seconds * 1e6 / count as f64);
    println!("{what:<58} {rate:>12.0} {each:>12.1}");
}

/// One event at a time, each acknowledged before the next.
fn single(file: &Path) {
    let store = Store::open(file).unwrap();
    let session = create(&store, 1)[0];
    let all = events(session, 1, 5_000, Text::Searchable);
    let start = Instant::now();
    for event in &all {
        store.append(session, std::slice::from_ref(event), None).wait().unwrap();
    }
    report("single events, each awaited", 5_000, start.elapsed());
}

/// One event per append, many sessions at once.
fn spread(file: &Path) {
    let store = Store::open(file).unwrap();
    let sessions = create(&store, 400);
    let all: Vec<Vec<Event>> =
        sessions.iter().map(|session| events(*session, 1, 100, Text::Searchable)).collect();
    let start = Instant::now();
    let mut flying: VecDeque<Ack<Appended>> = VecDeque::new();
    for round in 0..100 {
        for events in &all {
            let event = &events[round];
            flying.push_back(store.append(event.session, std::slice::from_ref(event), None));
            if flying.len() > 400 {
                flying.pop_front().unwrap().wait().unwrap();
            }
        }
    }
    flying.into_iter().for_each(|ack| drop(ack.wait().unwrap()));
    report("single events, 400 sessions at once", 40_000, start.elapsed());
}

/// Twenty events per append.
fn chunks(file: &Path, kind: Text) {
    let store = Store::open(file).unwrap();
    let sessions = create(&store, 50);
    let all: Vec<Vec<Event>> =
        sessions.iter().map(|session| events(*session, 1, 2_000, kind)).collect();
    let start = Instant::now();
    let mut flying: VecDeque<Ack<Appended>> = VecDeque::new();
    for from in (0..2_000).step_by(20) {
        for events in &all {
            let chunk = &events[from..from + 20];
            flying.push_back(store.append(chunk[0].session, chunk, None));
            if flying.len() > 200 {
                flying.pop_front().unwrap().wait().unwrap();
            }
        }
    }
    flying.into_iter().for_each(|ack| drop(ack.wait().unwrap()));
    let name = match kind {
        Text::Searchable => "events in chunks of 20, all of them indexed",
        Text::Not => "events in chunks of 20, none of them indexed",
    };
    report(name, 100_000, start.elapsed());
    let json: usize = all.iter().flatten().map(|e| serde_json::to_vec(e).unwrap().len()).sum();
    let size = store.size().unwrap();
    println!("    {json} bytes of JSON are {} bytes of database", size.bytes - size.free_bytes);
}

/// A checkpoint of usual size with two events, each awaited: what a prompt costs.
fn checkpoints(file: &Path) {
    let store = Store::open(file).unwrap();
    let session = create(&store, 1)[0];
    let start = Instant::now();
    for round in 0..200 {
        let state = "x".repeat(25_000);
        let seq = round * 2 + 2;
        let checkpoint = Checkpoint { seq, run: None, lines: seq, offset: seq, state };
        let events = events(session, seq - 1, 2, Text::Searchable);
        store.append(session, &events, Some(checkpoint)).wait().unwrap();
    }
    report("checkpoints of 25 kB, on disk, each awaited", 200, start.elapsed());
}

fn replay(file: &Path) {
    let store = Store::open(file).unwrap();
    let session = create(&store, 1)[0];
    for from in (1..=100_000).step_by(7) {
        let count = 7.min(100_001 - from);
        drop(store.append(session, &events(session, from, count, Text::Not), None).wait().unwrap());
    }
    for _ in 0..2 {
        let start = Instant::now();
        let read = store.read_after(session, 0, usize::MAX).unwrap();
        assert_eq!(read.len(), 100_000);
        let took = start.elapsed();
        report("replay of 100,000 events", 100_000, took);
        println!("    took {took:?}");
    }
}

fn cold(file: &Path) {
    let store = Store::open(file).unwrap();
    let start = Instant::now();
    let sessions = create(&store, 10_000);
    report("sessions created", 10_000, start.elapsed());
    let acks: Vec<_> = sessions
        .iter()
        .map(|session| store.append(*session, &events(*session, 1, 10, Text::Searchable), None))
        .collect();
    acks.into_iter().for_each(|ack| drop(ack.wait().unwrap()));
    drop(store);
    let start = Instant::now();
    let store = Store::open(file).unwrap();
    let opened = start.elapsed();
    let filter = SessionFilter { archived: Some(false), ..SessionFilter::default() };
    let page = store.sessions(&filter, None, 50).unwrap();
    assert_eq!(page.items.len(), 50);
    println!("opened with 10,000 sessions in {opened:?}, first page after {:?}", start.elapsed());
    let start = Instant::now();
    let search = Search { text: "fathom 7".to_owned(), limit: 20, ..Search::default() };
    let found = store.search(&search).unwrap().items.len();
    println!("search over 100,000 messages: {found} found in {:?}", start.elapsed());
}
