//! Somebody else has the database locked.

use std::time::Duration;

use pilothouse_host::host::{PromptRequest, Update};
use pilothouse_host::store::{SessionChange, StoreError};
use pilothouse_host::{Host, HostError};
use pilothouse_session::Command;
use pilothouse_session::event::{Body, Status};
use pilothouse_session::id::{RunId, SessionId};

use super::bed::{Bed, PATIENCE, Watcher, prompt, say, script};

/// Another program that has the database locked, as long as this is there.
struct Lock(rusqlite::Connection);

impl Lock {
    fn new(bed: &Bed) -> Self {
        let other = rusqlite::Connection::open(bed.path("data/pilothouse.db")).unwrap();
        other.busy_timeout(PATIENCE).unwrap();
        other.execute_batch("BEGIN EXCLUSIVE").unwrap();
        Self(other)
    }
}

/// A host that gives up on a locked database soon.
async fn hasty(bed: &Bed) -> Host {
    let mut options = bed.options("");
    options.store.patience = Duration::from_millis(20);
    Host::open(options).await.unwrap()
}

fn is_locked<T: std::fmt::Debug>(result: &Result<T, HostError>) -> bool {
    matches!(result, Err(HostError::Store(StoreError::Locked)))
}

fn keyed(text: &str) -> PromptRequest {
    PromptRequest { key: Some("k".into()), ..say(script(text)) }
}

fn think_less() -> Command {
    Command::SetThinking { max_tokens: Some(1_000) }
}

/// Begins a turn that stops in the middle of a sentence.
async fn speaking(bed: &Bed, host: &Host, session: SessionId) -> Watcher {
    let mut watcher = Watcher::new(host, session, 0).await;
    watcher.until_live().await;
    prompt(host, session, "say one\nhold a\nmore \" two\"").await;
    bed.held("a").await;
    while !watcher.pieces.contains("one") {
        watcher.next().await;
    }
    watcher
}

/// Waits until the log of the session's run has this text in it.
async fn logged(host: &Host, session: SessionId, run: RunId, text: &str) {
    let there = async {
        loop {
            let log = host.wire_log(session, run, 0, 1 << 20).await.unwrap();
            if log.windows(text.len()).any(|bytes| bytes == text.as_bytes()) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, there).await.unwrap();
}

/// Asks for something without waiting for the answer, which does not come yet.
async fn begin<F: Future<Output: std::fmt::Debug>>(asked: &mut std::pin::Pin<Box<F>>) {
    let early = tokio::time::timeout(Duration::ZERO, asked).await;
    assert!(early.is_err(), "{early:?}");
}

#[tokio::test]
async fn commands_are_refused_and_everything_goes_on_afterwards() {
    let bed = Bed::new();
    let host = hasty(&bed).await;
    let session = bed.session(&host).await;
    let mut watcher = speaking(&bed, &host, session).await;
    let run = host.runs(session).await.unwrap()[0].run;
    let before = host.session(session).await.unwrap().last_seq;

    let lock = Lock::new(&bed);
    // The first one is taken in, and acknowledged when it is stored.
    let mut taken = Box::pin(host.prompt(session, say(script("say three"))));
    begin(&mut taken).await;
    assert!(is_locked(&host.command(session, think_less()).await));
    assert!(is_locked(&host.prompt(session, keyed("say four")).await));
    assert!(is_locked(&host.create(bed.new_session()).await));
    // Nobody is told what is not stored, and whoever reads is not in the way.
    bed.release("a");
    logged(&host, session, run, " two").await;
    assert!(is_locked(&host.command(session, think_less()).await));
    begin(&mut taken).await;
    assert_eq!(host.session(session).await.unwrap().last_seq, before);
    let mut late = Watcher::new(&host, session, 0).await;
    late.until_live().await;
    assert_eq!(late.events.last().unwrap().seq, before);

    drop(lock);
    taken.await.unwrap();
    while watcher.texts().len() < 2 {
        watcher.next().await;
    }
    assert_eq!(watcher.texts(), ["one two", "three"]);
    host.command(session, think_less()).await.unwrap();
    let said = host.prompt(session, keyed("say four")).await.unwrap();
    assert_eq!(host.prompt(session, keyed("say four")).await.unwrap(), said);
    for watcher in [&mut watcher, &mut late] {
        while watcher.texts().len() < 3 {
            watcher.next().await;
        }
        assert_eq!(watcher.texts(), ["one two", "three", "four"]);
    }
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    host.close().await;
}

#[tokio::test]
async fn a_host_closes_and_the_next_one_goes_on() {
    let bed = Bed::new();
    let host = hasty(&bed).await;
    let session = bed.session(&host).await;
    let mut watcher = speaking(&bed, &host, session).await;
    let lock = Lock::new(&bed);
    let mut taken = Box::pin(host.prompt(session, say(script("say never"))));
    begin(&mut taken).await;
    assert!(is_locked(&host.command(session, think_less()).await));
    tokio::time::timeout(PATIENCE, host.close()).await.expect("it does not wait for the lock");
    assert!(matches!(taken.await, Err(HostError::Closed(_))));
    drop(lock);
    bed.release("a");

    let before = std::mem::take(&mut watcher.events);
    drop((watcher, host));
    let host = hasty(&bed).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.events[..before.len()], before);
    assert_eq!(watcher.texts(), ["one two"]);
    prompt(&host, session, "say three").await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(watcher.texts(), ["one two", "three"]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    host.close().await;
}

#[tokio::test]
async fn a_policy_that_is_changed_right_after_it_counts() {
    let bed = Bed::new();
    let host = hasty(&bed).await;
    let session = bed.session(&host).await;
    host.put_policy("mine", "[[rule]]\ntool = \"Bash\"\ndeny = \"not here\"\n").await.unwrap();
    let mut watcher = speaking(&bed, &host, session).await;
    let lock = Lock::new(&bed);
    let touch = "tool Bash {\"command\":\"touch made\"}\n---\nsay done";
    let mut taken = Box::pin(host.prompt(session, say(script(touch))));
    begin(&mut taken).await;
    // Each of these takes a while, so that the loop looks at the store ever more rarely.
    for _ in 0..10 {
        assert!(is_locked(&host.prompt(session, keyed("say x")).await));
    }
    drop(lock);
    let change = SessionChange { policy: Some("mine".into()), ..SessionChange::default() };
    host.change(session, change).await.unwrap();
    taken.await.unwrap();
    bed.release("a");
    while watcher.texts().len() < 2 {
        let update = watcher.next().await;
        if let Update::Event(event) = update {
            let body = event.read().unwrap().body;
            assert!(!matches!(body, Body::ApprovalRequested { .. }), "{body:?}");
        }
    }
    assert_eq!(watcher.texts(), ["one two", "done"]);
    assert!(!bed.path("work/made").exists());
    host.close().await;
}

#[tokio::test]
async fn what_is_asked_can_still_be_seen() {
    let bed = Bed::new();
    let host = hasty(&bed).await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
    watcher.until_asked().await;
    let _lock = Lock::new(&bed);
    // The loop has something to store now, and cannot.
    let mut waiting = Box::pin(host.command(session, think_less()));
    begin(&mut waiting).await;
    let look = async {
        loop {
            let seen = host.detail(session).await.unwrap().approvals.len();
            assert_eq!(seen, 1);
            // Whether the store has failed by then shows in that others are refused.
            if is_locked(&host.command(session, think_less()).await) {
                break;
            }
        }
        assert_eq!(host.detail(session).await.unwrap().approvals.len(), 1);
    };
    tokio::time::timeout(PATIENCE, look).await.unwrap();
}
