//! Sessions in lists, and what can be asked across them.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

mod store_support;

use bytes::Bytes;
use pilothouse_host::store::{
    ApprovalState, Digest, NewSession, Options, Reservation, Retention, SessionChange,
    SessionFilter, Store, StoreError,
};
use pilothouse_session::event::{
    Body, CancelReason, ConversationReason, MessageOrigin, PromptState, Status,
};
use pilothouse_session::id::{ApprovalId, ItemId, PromptId, SessionId, TurnId};
use serde_json::json;
use store_support::*;
use uuid::Uuid;

#[test]
fn the_list_follows_the_events() {
    let (_place, store, session) = with_session();
    let row = || store.session(session).unwrap().unwrap();
    assert_eq!((row().status, row().needs_you, row().unread), (Status::Dormant, false, false));
    let changed = Body::ConversationChanged {
        cli_session: "cli-1".to_owned(),
        previous: None,
        reason: ConversationReason::Started,
    };
    let bodies = [
        Body::SessionStatus { status: Status::AwaitingApproval },
        Body::ModelChanged { model: "opus".to_owned() },
        Body::ModeChanged { mode: "plan".to_owned() },
        Body::Renamed { title: "From the CLI".to_owned() },
        changed,
        requested(1),
        requested(2),
    ];
    let events: Vec<_> = (1..).zip(bodies).map(|(seq, body)| event(session, seq, body)).collect();
    store.append(session, &events, None).wait().unwrap();
    assert_eq!(row().status, Status::AwaitingApproval);
    assert_eq!((row().model, row().mode), (Some("opus".to_owned()), Some("plan".to_owned())));
    assert_eq!(row().title.as_deref(), Some("From the CLI"));
    assert_eq!(row().cli_session.as_deref(), Some("cli-1"));
    assert_eq!((row().open_approvals, row().needs_you, row().unread), (2, true, true));
    assert_eq!((row().updated_at, row().last_seq), (at(7), 7));

    let change = SessionChange {
        title: Some("Mine".to_owned()),
        tags: Some(vec!["b".to_owned(), "a".to_owned(), "b".to_owned()]),
        read_to: Some(7),
        ..SessionChange::default()
    };
    store.change(session, change).wait().unwrap();
    let news = [
        event(session, 8, Body::Renamed { title: "Another".to_owned() }),
        event(session, 9, allowed(1, "ann")),
    ];
    store.append(session, &news, None).wait().unwrap();
    assert_eq!(row().title.as_deref(), Some("Mine"));
    assert_eq!(row().tags, ["a", "b"]);
    assert_eq!((row().open_approvals, row().needs_you, row().unread), (1, true, false));
    let reason = CancelReason::RunEnded;
    let cancelled = Body::PermissionCancelled { approval: ApprovalId(2), reason };
    store.append(session, &[event(session, 10, cancelled)], None).wait().unwrap();
    assert_eq!((row().open_approvals, row().needs_you), (0, false));

    let approvals = store.approvals(session).unwrap();
    assert_eq!(approvals[0].state, ApprovalState::Decided);
    assert_eq!(approvals[1].state, ApprovalState::Void);
    assert!(approvals[0].by.is_some() && approvals[0].request.is_none());
    assert!(store.open_approvals().unwrap().is_empty());
    let audit = store.audit(None, None, 10).unwrap().items;
    assert_eq!((&*audit[0].actor, &*audit[0].action), ("ann", "approval.allowed"));
}

#[test]
fn lists_are_read_in_pages() {
    let place = Place::new();
    let store = place.open();
    let sessions: Vec<SessionId> = (0..25).map(|_| create(&store)).collect();
    for (number, session) in sessions.iter().enumerate() {
        // Far in the future, so that creation does not matter.
        let mut heard = event(*session, 1, user_message("hello"));
        heard.at = at(1_000_000_000 + i64::try_from(number).unwrap() / 3);
        store.append(*session, &[heard], None).wait().unwrap();
    }
    let asks = event(sessions[3], 2, requested(1));
    store.append(sessions[3], &[asks], None).wait().unwrap();
    let archive = SessionChange { archived: Some(true), ..SessionChange::default() };
    store.change(sessions[7], archive).wait().unwrap();

    let filter = SessionFilter { archived: Some(false), ..SessionFilter::default() };
    let mut listed = Vec::new();
    let mut after = None;
    loop {
        let page = store.sessions(&filter, after.as_deref(), 4).unwrap();
        listed.extend(page.items.into_iter().map(|row| row.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let mut expected = sessions.clone();
    expected.remove(7);
    expected.remove(3);
    expected.push(sessions[3]);
    expected.reverse();
    assert_eq!(listed, expected);

    let only = |filter: SessionFilter| {
        let page = store.sessions(&filter, None, 100).unwrap();
        page.items.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let none = SessionFilter::default();
    assert_eq!(only(none.clone()).len(), 25);
    assert_eq!(only(SessionFilter { archived: Some(true), ..none.clone() }), [sessions[7]]);
    assert_eq!(only(SessionFilter { needs_you: true, ..none.clone() }), [sessions[3]]);
    assert_eq!(only(SessionFilter { unread: true, ..none.clone() }), [sessions[3]]);
    assert_eq!(only(SessionFilter { named: Some("_".to_owned()), ..none.clone() }), []);
    assert_eq!(only(SessionFilter { named: Some("BOAT".to_owned()), ..none.clone() }).len(), 25);
    assert_eq!(only(SessionFilter { statuses: vec![Status::Idle], ..none }), []);
    let bad = store.sessions(&filter, Some("1.2"), 4);
    assert!(matches!(bad, Err(StoreError::BadCursor(_))));
}

#[test]
fn a_prompt_is_taken_once() {
    let (_place, store, session) = with_session();
    let wanted = Reservation {
        session,
        key: Some("try-1".to_owned()),
        prompt: PromptId(Uuid::now_v7()),
        digest: "abc".to_owned(),
    };
    let first = store.reserve(wanted.clone()).wait().unwrap();
    assert!(first.is_new && first.prompt == wanted.prompt);
    let again = Reservation { prompt: PromptId(Uuid::now_v7()), ..wanted.clone() };
    let second = store.reserve(again.clone()).wait().unwrap();
    assert_eq!((second.is_new, second.prompt), (false, wanted.prompt));
    assert_eq!(second.state, "reserved");
    let other = Reservation { digest: "xyz".to_owned(), ..again.clone() };
    assert_eq!(store.reserve(other).wait(), Err(StoreError::KeyReused("try-1".to_owned())));

    let said = Body::UserMessage {
        prompt: Some(wanted.prompt),
        item: ItemId(1),
        text: "go".to_owned(),
        attachments: Vec::new(),
        origin: MessageOrigin::User,
    };
    let state = PromptState::Answered { turn: TurnId(1) };
    let answered = Body::PromptUpdated { prompt: wanted.prompt, state };
    let events = [event(session, 1, said), event(session, 2, answered)];
    store.append(session, &events, None).wait().unwrap();
    assert_eq!(store.reserve(again).wait().unwrap().state, "answered");
}

#[test]
fn files_are_kept_once_and_go_with_their_last_session() {
    let place = Place::new();
    let options = Options { max_attachment: 100, max_attachments: 150, ..Options::default() };
    let store = Store::open_with(&place.file, options).unwrap();
    let (one, two) = (create(&store), create(&store));
    let bytes = Bytes::from(vec![7; 90]);
    let kept = store.attach(one, "image/png", Some("a.png"), bytes.clone()).wait().unwrap();
    let digest = kept.digest;
    assert_eq!(digest, Digest::of(&bytes));
    assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
    let again = store.attach(one, "image/png", None, bytes.clone()).wait().unwrap();
    assert_eq!(again, kept, "the same bytes again change nothing");
    store.attach(two, "image/png", None, bytes.clone()).wait().unwrap();
    assert_eq!(store.attachments(one).unwrap().len(), 1);

    let large = store.attach(one, "text/plain", None, Bytes::from(vec![1; 101])).wait();
    assert!(matches!(large, Err(StoreError::TooLarge { size: 101, limit: 100, .. })));
    let many = store.attach(one, "text/plain", None, Bytes::from(vec![1; 61])).wait();
    assert!(matches!(many, Err(StoreError::TooLarge { size: 151, limit: 150, .. })));

    store.delete(one, "ann").wait().unwrap();
    assert_eq!(store.attachment(one, digest).unwrap(), None);
    let (row, found) = store.attachment(two, digest).unwrap().unwrap();
    assert_eq!((row.size, found), (90, bytes));
    store.delete(two, "ann").wait().unwrap();
    let raw = rusqlite::Connection::open(&place.file).unwrap();
    let left: i64 = raw.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn the_audit_cannot_be_rewritten() {
    let (place, store, session) = with_session();
    for number in 0..5 {
        store.record(None, "ann", "login", json!({ "number": number })).wait().unwrap();
    }
    store.delete(session, "ann").wait().unwrap();
    let first = store.audit(None, None, 4).unwrap();
    assert_eq!(first.items.iter().map(|line| line.no).collect::<Vec<_>>(), [6, 5, 4, 3]);
    let second = store.audit(None, first.next.as_deref(), 4).unwrap();
    assert_eq!(second.items.iter().map(|line| line.no).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(second.next, None);
    let raw = rusqlite::Connection::open(&place.file).unwrap();
    for sql in ["DELETE FROM audit", "UPDATE audit SET actor = 'bob'"] {
        assert!(raw.execute(sql, []).unwrap_err().to_string().contains("only appended to"));
    }
}

#[test]
fn old_sessions_are_not_kept() {
    let place = Place::new();
    let store = place.open();
    let all: Vec<SessionId> = (0..40).map(|_| create(&store)).collect();
    let archive = SessionChange { archived: Some(true), ..SessionChange::default() };
    for session in &all[..30] {
        store.change(*session, archive.clone()).wait().unwrap();
    }
    let waits = event(all[0], 1, requested(1));
    let runs = event(all[1], 1, Body::SessionStatus { status: Status::Running });
    store.append(all[0], &[waits], None).wait().unwrap();
    store.append(all[1], &[runs], None).wait().unwrap();
    let stopped = event(all[2], 1, Body::SessionStatus { status: Status::Interrupted });
    store.append(all[2], &[stopped], None).wait().unwrap();
    assert!(store.session(all[2]).unwrap().unwrap().needs_you);
    let future = jiff::Timestamp::from_second(4_000_000_000).unwrap();
    let retention = Retention { archived_before: Some(future), idle_before: None };
    let mut gone = Vec::new();
    loop {
        let some = store.retain(&retention).wait().unwrap();
        if some.is_empty() {
            break;
        }
        for (session, status) in some {
            let was = if session == all[2] { Status::Interrupted } else { Status::Dormant };
            assert_eq!(status, was);
            gone.push(session);
        }
    }
    gone.sort();
    assert_eq!(gone, all[2..30]);
    assert_eq!(store.sessions(&SessionFilter::default(), None, 100).unwrap().items.len(), 12);
}

#[test]
fn sessions_are_created_once() {
    let (_place, store, session) = with_session();
    let again = store.create(NewSession::new(session, "/elsewhere")).wait();
    assert_eq!(again, Err(StoreError::SessionExists(session)));
    assert_eq!(store.session(session).unwrap().unwrap().cwd, "/home/ann/boat");
}
