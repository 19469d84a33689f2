//! What the store promises, told as stories.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod store_support;

use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::time::Duration;

use pilothouse_host::store::{Checkpoint, NewSession, Search, Store, StoreError};
use pilothouse_session::event::{Body, Status};
use pilothouse_session::id::{RunId, SessionId};
use pilothouse_session::{Session, session::Setup};
use store_support::*;
use uuid::Uuid;

fn looking_for(text: &str) -> Search {
    Search { text: text.to_owned(), limit: 10, ..Search::default() }
}

#[test]
fn a_session_from_its_first_event_to_its_deletion() {
    let (place, store, session) = with_session();
    let claim = store.claim(session, "daemon-1", Duration::from_secs(60)).wait().unwrap();

    let machine = Session::new(session, Setup::default());
    let checkpoint = Checkpoint {
        seq: 3,
        run: Some(RunId(Uuid::now_v7())),
        lines: 17,
        offset: 4_711,
        state: serde_json::to_string(&machine).unwrap(),
    };
    let first = [
        event(session, 1, Body::SessionStatus { status: Status::Running }),
        event(session, 2, user_message("Where is the lighthouse keeper?")),
        event(session, 3, message("In the Wheelhouse, as ever.")),
    ];
    let appended = store.append_as(&claim, &first, Some(checkpoint.clone())).wait().unwrap();
    assert_eq!(appended.last_seq, 3);
    let texts: Vec<String> = first.iter().map(|e| serde_json::to_string(e).unwrap()).collect();
    let stored: Vec<&[u8]> = appended.events.iter().map(|stored| &*stored.json).collect();
    assert_eq!(stored, texts.iter().map(String::as_bytes).collect::<Vec<_>>());

    // Everything is there after a restart, byte for byte.
    drop(store);
    let store = place.open();
    assert_eq!(store.read_after(session, 0, 10).unwrap(), appended.events);
    assert_eq!(store.read_after(session, 1, 1).unwrap(), appended.events[1..2]);
    assert_eq!(store.last_seq(session).unwrap(), 3);
    assert_eq!(store.load(session).unwrap(), Some(checkpoint));

    let hits = store.search(&looking_for("wheelh")).unwrap().items;
    assert_eq!((hits.len(), hits[0].session, hits[0].seq), (1, session, 3));
    assert_eq!(hits[0].snippet.text, "In the Wheelhouse, as ever.");
    assert_eq!(hits[0].snippet.marks, [(7, 13)]);

    store.delete(session, "ann").wait().unwrap();
    assert_eq!(store.session(session).unwrap(), None);
    assert_eq!(store.read_after(session, 0, 10).unwrap(), []);
    assert_eq!(store.load(session).unwrap(), None);
    assert!(store.search(&looking_for("wheelhouse")).unwrap().items.is_empty());
    let gone = store.append_as(&claim, &[], None).wait();
    assert_eq!(gone, Err(StoreError::UnknownSession(session)));
    let audit = store.audit(Some(session), None, 10).unwrap().items;
    assert_eq!((audit.len(), &*audit[0].actor, &*audit[0].action), (1, "ann", "session.deleted"));
    store.check().unwrap();
}

#[test]
fn what_is_there_already_is_dropped() {
    let (_place, store, session) = with_session();
    store.append(session, &messages(session, 1, 10), None).wait().unwrap();
    let again = store.append(session, &messages(session, 1, 10), None).wait().unwrap();
    assert_eq!((again.last_seq, again.events.len()), (10, 0));

    // A replay that goes further than the first time: only the rest is new, and nothing of what
    // came before happens twice.
    store.append(session, &[event(session, 11, requested(1))], None).wait().unwrap();
    let mut replay = messages(session, 8, 10);
    replay.push(event(session, 11, requested(1)));
    replay.push(event(session, 12, message("on")));
    let on = store.append(session, &replay, None).wait().unwrap();
    assert_eq!(on.events.iter().map(|e| e.seq).collect::<Vec<_>>(), [12]);
    assert_eq!(store.open_approvals().unwrap().len(), 1);
    assert_eq!(numbers(&store, session), (1..=12).collect::<Vec<_>>());
    assert_eq!(store.search(&looking_for("message")).unwrap().items.len(), 10);
}

#[test]
fn a_gap_is_refused_and_changes_nothing() {
    let (_place, store, session) = with_session();
    let gap = |expected, got| Err(StoreError::Gap { expected, got });
    assert_eq!(store.append(session, &messages(session, 2, 3), None).wait(), gap(1, 2));
    store.append(session, &messages(session, 1, 3), None).wait().unwrap();
    assert_eq!(store.append(session, &messages(session, 5, 5), None).wait(), gap(4, 5));
    let torn = [messages(session, 4, 4), messages(session, 6, 6)].concat();
    assert_eq!(store.append(session, &torn, None).wait(), gap(5, 6));
    // A state from the future.
    let state = "{}".to_owned();
    let future = Checkpoint { seq: 9, run: None, lines: 0, offset: 0, state };
    assert_eq!(store.append(session, &messages(session, 4, 4), Some(future)).wait(), gap(5, 10));
    assert_eq!(numbers(&store, session), [1, 2, 3]);
    assert_eq!(store.load(session).unwrap(), None);

    let other = create(&store);
    let misplaced = store.append(other, &messages(session, 1, 1), None).wait();
    assert_eq!(misplaced, Err(StoreError::Misplaced { expected: other, got: session }));
}

#[test]
fn rows_of_every_size_read_as_one_sequence() {
    let (place, mut store, session) = with_session();
    let mut last = 0;
    for (round, size) in [1, 1, 5, 30, 1, 31, 32, 33, 100, 1, 1, 64, 7].into_iter().enumerate() {
        let appended = store.append(session, &messages(session, last + 1, last + size), None);
        last = appended.wait().unwrap().last_seq;
        if round % 3 == 2 {
            drop(store);
            store = place.open();
        }
        assert_eq!(numbers(&store, session), (1..=last).collect::<Vec<_>>());
    }
    // Single events, past several merges, with large ones between.
    for seq in last + 1..=last + 100 {
        let text = if seq % 17 == 0 { "x".repeat(70_000) } else { "short".to_owned() };
        store.append(session, &[event(session, seq, message(&text))], None).wait().unwrap();
    }
    last += 100;
    for after in 0..=last + 1 {
        let read = store.read_after(session, after, 3).unwrap();
        let read: Vec<u64> = read.iter().map(|event| event.seq).collect();
        assert_eq!(read, (after + 1..=last.min(after + 3)).collect::<Vec<_>>());
    }
    assert_eq!(store.read_after(session, u64::MAX, 3).unwrap(), []);
}

#[test]
fn one_owner_at_a_time() {
    let (_place, store, session) = with_session();
    let lease = Duration::from_secs(3600);
    let first = store.claim(session, "one", lease).wait().unwrap();
    let refused = store.claim(session, "two", lease).wait();
    assert!(matches!(refused, Err(StoreError::Claimed { owner, .. }) if owner == "one"));
    let renewed = store.claim(session, "one", lease).wait().unwrap();
    assert_eq!(renewed.token, first.token);
    store.append_as(&first, &messages(session, 1, 1), None).wait().unwrap();

    store.release(&first).wait().unwrap();
    let second = store.claim(session, "two", Duration::ZERO).wait().unwrap();
    assert!(second.token > first.token);
    let late = store.append_as(&first, &messages(session, 2, 2), None).wait();
    assert_eq!(late, Err(StoreError::Fenced(session)));
    store.append_as(&second, &messages(session, 2, 2), None).wait().unwrap();

    // The second one's lease was over at once.
    let third = store.claim(session, "three", lease).wait().unwrap();
    assert!(third.token > second.token);
    let late = store.append_as(&second, &messages(session, 3, 3), None).wait();
    assert_eq!(late, Err(StoreError::Fenced(session)));
    store.release(&second).wait().unwrap();
    store.append_as(&third, &messages(session, 3, 3), None).wait().unwrap();
}

#[test]
fn a_backup_is_a_store() {
    let (place, store, session) = with_session();
    store.append(session, &messages(session, 1, 100), None).wait().unwrap();
    store.set_meta("node", Some("a")).wait().unwrap();
    let copy = place.directory.path().join("copy.db");
    store.backup(&copy).unwrap();
    store.append(session, &messages(session, 101, 110), None).wait().unwrap();
    store.backup(&copy).unwrap();
    let copy = Store::open(&copy).unwrap();
    copy.check().unwrap();
    assert_eq!(numbers(&copy, session), (1..=110).collect::<Vec<_>>());
    assert_eq!(copy.meta("node").unwrap().as_deref(), Some("a"));
    assert_eq!(copy.search(&looking_for("message")).unwrap().items.len(), 10);
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let (place, store, session) = with_session();
    store.append(session, &messages(session, 1, 1), None).wait().unwrap();
    let copy = place.file.with_file_name("copy.db");
    store.backup(&copy).unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let directory = place.file.parent().unwrap();
    assert_eq!(mode(directory), 0o700);
    let files: Vec<_> = std::fs::read_dir(directory).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 4, "database, log, index of the log, copy: {files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

/// Wakes the thread that polls.
struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[test]
fn an_acknowledgement_can_be_awaited() {
    let (_place, store, session) = with_session();
    let both = async {
        let one = store.append(session, &messages(session, 1, 5), None).await?;
        let two = store.append(session, &messages(session, 6, 9), None).await?;
        Ok::<_, StoreError>((one.last_seq, two.last_seq))
    };
    let waker = Arc::new(Unpark(std::thread::current())).into();
    let mut both = std::pin::pin!(both);
    let result = loop {
        match both.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(result) => break result,
            Poll::Pending => std::thread::park(),
        }
    };
    assert_eq!(result, Ok((5, 9)));
}

#[test]
fn what_was_submitted_is_written_when_the_store_is_closed() {
    let (place, store, session) = with_session();
    let acks: Vec<_> = messages(session, 1, 500)
        .iter()
        .map(|one| store.append(session, std::slice::from_ref(one), None))
        .collect();
    drop(store);
    for ack in acks {
        ack.wait().unwrap();
    }
    assert_eq!(numbers(&place.open(), session).len(), 500);
}

#[test]
fn a_session_is_created_whole_or_not_at_all() {
    let place = Place::new();
    let store = place.open();
    let new = || NewSession::new(SessionId(Uuid::now_v7()), "/home/ann/boat");
    let state = |seq| Checkpoint { seq, run: None, lines: 0, offset: 0, state: "{}".to_owned() };
    let whole = new();
    store.create_with(whole.clone(), &messages(whole.id, 1, 3), state(3)).wait().unwrap();
    assert_eq!(numbers(&store, whole.id), [1, 2, 3]);
    assert_eq!(store.load(whole.id).unwrap(), Some(state(3)));

    // The state has made an event that is not there.
    let torn = new();
    let refused = store.create_with(torn.clone(), &messages(torn.id, 1, 3), state(4)).wait();
    assert!(matches!(refused, Err(StoreError::Gap { .. })), "{refused:?}");
    assert_eq!(store.session(torn.id).unwrap(), None);
}
