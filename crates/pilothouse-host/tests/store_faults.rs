//! What the store keeps when things go wrong, and when much goes on at once.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod store_support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pilothouse_host::store::{Checkpoint, Options, Search, SessionFilter, Store, StoreError};
use pilothouse_session::id::SessionId;
use store_support::*;

/// The same numbers each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

#[test]
fn many_writers_and_readers_lose_nothing() {
    let place = Place::new();
    let store = place.open();
    let sessions: Vec<SessionId> = (0..50).map(|_| create(&store)).collect();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|thread| {
                let (store, sessions) = (&store, &sessions);
                scope.spawn(move || {
                    let mut dice = Dice(thread);
                    let mine = sessions.iter().skip(usize::try_from(thread).unwrap()).step_by(8);
                    let mine: Vec<SessionId> = mine.copied().collect();
                    let mut last = vec![0; mine.len()];
                    let mut acks = Vec::new();
                    for _ in 0..200 {
                        let at = usize::try_from(dice.roll(mine.len() as u64)).unwrap();
                        let (from, size) = (last[at] + 1, 1 + dice.roll(9));
                        last[at] += size;
                        let events = messages(mine[at], from, last[at]);
                        acks.push((last[at], store.append(mine[at], &events, None)));
                    }
                    for (last, ack) in acks {
                        assert_eq!(ack.wait().unwrap().last_seq, last);
                    }
                    mine.into_iter().zip(last).collect::<Vec<_>>()
                })
            })
            .collect();
        for reader in 0..3 {
            let (store, sessions, is_over) = (&store, &sessions, &is_over);
            scope.spawn(move || {
                let mut dice = Dice(100 + reader);
                let mut seen: BTreeMap<SessionId, u64> = BTreeMap::new();
                while !is_over.load(Ordering::Relaxed) {
                    let session = sessions[usize::try_from(dice.roll(50)).unwrap()];
                    let after = *seen.get(&session).unwrap_or(&0);
                    let read = store.read_after(session, after, 50).unwrap();
                    let read: Vec<u64> = read.iter().map(|event| event.seq).collect();
                    let last = after + read.len() as u64;
                    assert_eq!(read, (after + 1..=last).collect::<Vec<_>>());
                    seen.insert(session, last);
                }
            });
        }
        let written: Vec<(SessionId, u64)> =
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(written.len(), 50);
        for (session, last) in written {
            assert_eq!(numbers(&store, session), (1..=last).collect::<Vec<_>>());
        }
    });
    store.check().unwrap();
}

#[test]
fn two_that_append_the_same_store_it_once() {
    let (_place, store, session) = with_session();
    let append = || {
        let events = messages(session, 1, 300);
        let acks: Vec<_> =
            events.chunks(3).map(|events| store.append(session, events, None)).collect();
        acks.into_iter().map(|ack| ack.wait().unwrap().events.len()).sum::<usize>()
    };
    let new = std::thread::scope(|scope| {
        let threads = [scope.spawn(append), scope.spawn(append)];
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    assert_eq!(new, 300);
    assert_eq!(numbers(&store, session), (1..=300).collect::<Vec<_>>());
}

#[test]
fn two_stores_over_one_file_see_each_other() {
    let (place, one, session) = with_session();
    let two = place.open();
    for round in 0..20 {
        let from = round * 10 + 1;
        one.append(session, &messages(session, from, from + 4), None).wait().unwrap();
        two.append(session, &messages(session, from, from + 9), None).wait().unwrap();
    }
    assert_eq!(numbers(&one, session), (1..=200).collect::<Vec<_>>());
}

#[test]
fn a_full_disk_is_told_and_got_over() {
    let place = Place::new();
    let options = Options { max_bytes: Some(1 << 20), ..Options::default() };
    let store = Store::open_with(&place.file, options).unwrap();
    let (filler, session) = (create(&store), create(&store));
    let large = "ballast ".repeat(1_000);
    for seq in 1..=60 {
        store.append(filler, &[event(filler, seq, message(&large))], None).wait().unwrap();
    }
    let mut last = 0;
    let full = loop {
        let next = event(session, last + 1, message(&large));
        match store.append(session, &[next], None).wait() {
            Ok(appended) => last = appended.last_seq,
            Err(error) => break error,
        }
    };
    assert!(matches!(full, StoreError::Full(_)) && full.is_passing(), "{full}");
    assert!(full.to_string().contains("free some space"), "{full}");
    // It stays full, and what was acknowledged stays.
    let next = || [event(session, last + 1, message(&large))];
    assert!(matches!(store.append(session, &next(), None).wait(), Err(StoreError::Full(_))));
    assert_eq!(numbers(&store, session), (1..=last).collect::<Vec<_>>());
    store.check().unwrap();

    // Several at once, of which one makes room: those after it are stored.
    let before = store.append(session, &next(), None);
    let room = store.delete(filler, "ann");
    let after = store.append(session, &next(), None);
    let _ = before.wait();
    room.wait().unwrap();
    assert_eq!(after.wait().unwrap().last_seq, last + 1);
    assert_eq!(numbers(&store, session), (1..=last + 1).collect::<Vec<_>>());
    store.check().unwrap();
}

#[test]
fn a_locked_database_is_told_and_got_over() {
    let place = Place::new();
    let options = Options { patience: Duration::from_millis(50), ..Options::default() };
    let store = Store::open_with(&place.file, options).unwrap();
    let session = create(&store);
    store.append(session, &messages(session, 1, 3), None).wait().unwrap();

    let other = rusqlite::Connection::open(&place.file).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let acks: Vec<_> =
        (0..3).map(|_| store.append(session, &messages(session, 4, 6), None)).collect();
    for ack in acks {
        let locked = ack.wait().unwrap_err();
        assert!(locked == StoreError::Locked && locked.is_passing());
        assert!(locked.to_string().contains("end what has it open"));
    }
    // Who reads is not in the way of who writes.
    assert_eq!(numbers(&store, session), [1, 2, 3]);
    other.execute_batch("ROLLBACK").unwrap();
    store.append(session, &messages(session, 4, 6), None).wait().unwrap();
    assert_eq!(numbers(&store, session), [1, 2, 3, 4, 5, 6]);
}

/// Those that are submitted while the writer waits share a transaction.
#[test]
fn one_that_is_refused_takes_nobody_with_it() {
    let place = Place::new();
    let options = Options { patience: Duration::from_secs(60), ..Options::default() };
    let store = Store::open_with(&place.file, options).unwrap();
    let sessions: Vec<SessionId> = (0..4).map(|_| create(&store)).collect();
    let other = rusqlite::Connection::open(&place.file).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let first = store.set_meta("first", Some("1"));
    let append = |at: usize, checkpoint| {
        store.append(sessions[at], &messages(sessions[at], 1, 3), checkpoint)
    };
    let state = "{}".to_owned();
    let future = Checkpoint { seq: 9, run: None, lines: 0, offset: 0, state };
    let before = append(0, None);
    // Is only found out after its events were written.
    let refused = append(1, Some(future));
    let unknown = store.append(SessionId(uuid::Uuid::now_v7()), &[], None);
    let gap = store.append(sessions[2], &messages(sessions[2], 2, 3), None);
    let after = append(3, None);
    other.execute_batch("ROLLBACK").unwrap();
    first.wait().unwrap();
    before.wait().unwrap();
    assert_eq!(refused.wait(), Err(StoreError::Gap { expected: 4, got: 10 }));
    assert!(matches!(unknown.wait(), Err(StoreError::UnknownSession(_))));
    assert_eq!(gap.wait(), Err(StoreError::Gap { expected: 1, got: 2 }));
    after.wait().unwrap();
    let counts: Vec<usize> =
        sessions.iter().map(|session| numbers(&store, *session).len()).collect();
    assert_eq!(counts, [3, 0, 0, 3]);
    let search = Search { text: "message".to_owned(), limit: 100, ..Search::default() };
    assert_eq!(store.search(&search).unwrap().items.len(), 6);
    append(1, None).wait().unwrap();
    assert_eq!(numbers(&store, sessions[1]), [1, 2, 3]);
}

#[test]
fn a_queue_that_is_full_says_so() {
    let place = Place::new();
    let options = Options { patience: Duration::from_secs(60), ..Options::default() };
    let store = Store::open_with(&place.file, options).unwrap();
    let session = create(&store);
    let other = rusqlite::Connection::open(&place.file).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let event = &messages(session, 1, 1);
    let mut acks = Vec::new();
    let mut refused = None;
    for _ in 0..40_000 {
        let mut ack = Box::pin(store.append(session, event, None));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match ack.as_mut().poll(&mut context) {
            std::task::Poll::Pending => acks.push(ack),
            std::task::Poll::Ready(result) => {
                refused = Some(result.unwrap_err());
                break;
            }
        }
    }
    assert!(matches!(refused, Some(StoreError::Busy { waiting: 16_384 })), "{refused:?}");
    other.execute_batch("ROLLBACK").unwrap();
    drop(store);
    assert_eq!(numbers(&place.open(), session), [1]);
    assert!(acks.len() >= 16_384);
}

/// Tells the child where to write.
const FILE: &str = "STORE_TEST_FILE";

/// Appends to all sessions in turn and prints what is acknowledged, until it is killed.
#[test]
#[ignore = "is started, and killed, by the test below"]
fn writes_until_it_is_killed() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let store = Store::open(file).unwrap();
    let rows = store.sessions(&SessionFilter::default(), None, 100).unwrap().items;
    let mut ends: Vec<(SessionId, u64)> = rows.iter().map(|row| (row.id, row.last_seq)).collect();
    let mut dice = Dice(ends.iter().map(|(_, last)| last).sum());
    let mut out = std::io::stdout().lock();
    let mut flying = std::collections::VecDeque::new();
    loop {
        for (session, last) in &mut ends {
            let to = *last + 1 + dice.roll(12);
            let events = messages(*session, *last + 1, to);
            *last = to;
            let state = to.to_string().repeat(200);
            let checkpoint = Checkpoint { seq: to, run: None, lines: to, offset: to, state };
            let checkpoint = (dice.roll(4) == 0).then_some(checkpoint);
            flying.push_back((*session, store.append(*session, &events, checkpoint)));
            if flying.len() > 8 {
                let (session, ack) = flying.pop_front().unwrap();
                let appended = ack.wait().unwrap();
                writeln!(out, "acknowledged {session} {}", appended.last_seq).unwrap();
                out.flush().unwrap();
            }
        }
    }
}

#[test]
fn what_is_acknowledged_survives_kill() {
    let place = Place::new();
    let store = place.open();
    let sessions: Vec<SessionId> = (0..3).map(|_| create(&store)).collect();
    drop(store);
    let mut dice = Dice(1);
    let mut acknowledged: BTreeMap<SessionId, u64> = BTreeMap::new();
    for _ in 0..20 {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "writes_until_it_is_killed", "--ignored", "--nocapture"]);
        command.env(FILE, &place.file).stdout(Stdio::piped());
        #[expect(clippy::disallowed_methods, reason = "this test itself, not a CLI")]
        let mut child = command.spawn().unwrap();
        let mut until_kill = 1 + dice.roll(200);
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            let mut words = line.split(' ');
            // The line it was writing when it was killed may be torn, and then says nothing.
            if let (Some("acknowledged"), Some(session), Some(seq), None) =
                (words.next(), words.next(), words.next(), words.next())
            {
                let session = SessionId(session.parse().unwrap());
                let last = acknowledged.entry(session).or_default();
                *last = (*last).max(seq.parse().unwrap_or(0));
                until_kill = until_kill.saturating_sub(1);
                if until_kill == 0 {
                    child.kill().unwrap();
                }
            }
        }
        assert!(!child.wait().unwrap().success());
        let store = place.open();
        store.check().unwrap();
        for session in &sessions {
            let all = numbers(&store, *session);
            let last = all.len() as u64;
            assert_eq!(all, (1..=last).collect::<Vec<_>>());
            assert!(last >= *acknowledged.get(session).unwrap_or(&0));
            if let Some(checkpoint) = store.load(*session).unwrap() {
                assert!(checkpoint.seq <= last);
                assert_eq!(checkpoint.state, checkpoint.seq.to_string().repeat(200));
            }
        }
    }
    let store = place.open();
    for session in sessions {
        let text = "message".to_owned();
        let search =
            Search { text, session: Some(session), limit: usize::MAX, ..Search::default() };
        let found = store.search(&search).unwrap().items.len() as u64;
        assert_eq!(found, store.last_seq(session).unwrap());
    }
    assert!(acknowledged.values().all(|last| *last > 20), "{acknowledged:?}");
}
