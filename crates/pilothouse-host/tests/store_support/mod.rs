//! Events and places for tests of the store.

#![allow(dead_code, reason = "no test uses all of it")]

use std::path::PathBuf;

use jiff::Timestamp;
use pilothouse_host::store::{NewSession, Store};
use pilothouse_session::approval::{Approval, Decider, Decision, Resolution, Subject};
use pilothouse_session::event::{Body, Event, MessageOrigin};
use pilothouse_session::id::{ApprovalId, ItemId, SessionId};
use tempfile::TempDir;
use uuid::Uuid;

/// A directory for one database.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
    pub(crate) file: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("data").join("store.db");
        Self { directory, file }
    }

    pub(crate) fn open(&self) -> Store {
        Store::open(&self.file).unwrap()
    }

    /// Everything that is on disk, the log included.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let directory = self.file.parent().unwrap();
        let files = std::fs::read_dir(directory).unwrap();
        files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
    }
}

/// A store with a session in it.
pub(crate) fn with_session() -> (Place, Store, SessionId) {
    let place = Place::new();
    let store = place.open();
    let session = create(&store);
    (place, store, session)
}

pub(crate) fn create(store: &Store) -> SessionId {
    let session = SessionId(Uuid::now_v7());
    store.create(NewSession::new(session, "/home/ann/boat")).wait().unwrap();
    session
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

pub(crate) fn event(session: SessionId, seq: u64, body: Body) -> Event {
    let at = at(i64::try_from(seq).unwrap());
    Event { session, seq, at, turn: None, parent_tool_call_id: None, wire: None, body }
}

pub(crate) fn message(text: &str) -> Body {
    Body::Message { item: ItemId(1), text: text.to_owned(), uuid: None, partial: false }
}

pub(crate) fn user_message(text: &str) -> Body {
    Body::UserMessage {
        prompt: None,
        item: ItemId(1),
        text: text.to_owned(),
        attachments: Vec::new(),
        origin: MessageOrigin::User,
    }
}

/// Messages numbered `from..=to`.
pub(crate) fn messages(session: SessionId, from: u64, to: u64) -> Vec<Event> {
    (from..=to).map(|seq| event(session, seq, message(&format!("message {seq}")))).collect()
}

pub(crate) fn approval(number: u64) -> Approval {
    Approval {
        approval: ApprovalId(number),
        tool_call_id: None,
        agent_id: None,
        subject: Subject::EnterPlan,
        title: Some("May planning begin?".to_owned()),
        reason: None,
        suggestions: Vec::new(),
        blocked_path: None,
        default_to_no: false,
        requires_user_interaction: false,
        policy: None,
    }
}

pub(crate) fn requested(number: u64) -> Body {
    Body::ApprovalRequested { approval: Box::new(approval(number)) }
}

pub(crate) fn allowed(number: u64, name: &str) -> Body {
    let resolution = Resolution {
        approval: ApprovalId(number),
        tool_call_id: None,
        tool_name: None,
        decision: Decision::Allow { input: None, updates: Vec::new() },
        by: Decider::Client { name: Some(name.to_owned()), identity: None },
    };
    Body::ApprovalResolved { resolution: Box::new(resolution) }
}

/// The numbers of all events, which are checked to be what their JSON says.
pub(crate) fn numbers(store: &Store, session: SessionId) -> Vec<u64> {
    let stored = store.read_after(session, 0, usize::MAX).unwrap();
    let check = |stored: &pilothouse_host::store::StoredEvent| {
        assert_eq!(stored.read().unwrap().seq, stored.seq);
        stored.seq
    };
    stored.iter().map(check).collect()
}
