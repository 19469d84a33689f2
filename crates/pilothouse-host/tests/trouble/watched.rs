//! Those who watch: of a session that is deleted, and too slowly.

use pilothouse_host::HostError;
use pilothouse_host::host::{Subscription, Update};
use pilothouse_host::store::StoreError;
use pilothouse_session::event::{Body, Status};

use super::bed::{Bed, PATIENCE, Watcher, prompt};

async fn next(subscription: &mut Subscription) -> Result<Update, HostError> {
    let next = tokio::time::timeout(PATIENCE, subscription.next()).await.expect("an update");
    next.map(|(_, update)| update)
}

/// Reads on until there is nothing more to come.
async fn last_word(subscription: &mut Subscription) -> HostError {
    loop {
        if let Err(error) = next(subscription).await {
            return error;
        }
    }
}

#[tokio::test]
async fn who_watches_a_session_is_told_that_it_was_deleted() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (busy, dormant) = (bed.session(&host).await, bed.session(&host).await);
    let mut watcher = Watcher::new(&host, busy, 0).await;
    prompt(&host, busy, "say one\nhold never").await;
    bed.held("never").await;
    watcher.until_status(Status::Running).await;
    for session in [busy, dormant] {
        let mut early = host.watch(session, 0).await.unwrap();
        while !matches!(next(&mut early).await.unwrap(), Update::Live { .. }) {}
        // Has not begun to read.
        let mut late = host.watch(session, 0).await.unwrap();
        host.delete(session, "Ada").await.unwrap();
        for subscription in [&mut early, &mut late] {
            let told = last_word(subscription).await;
            assert!(
                matches!(&told, HostError::Store(StoreError::UnknownSession(id)) if *id == session),
                "{told:?}"
            );
        }
        assert!(host.watch(session, 0).await.is_err());
    }
    assert_eq!(host.served(), 0);
    host.close().await;
}

/// More than is kept for those who watch, however it is cut.
fn torrent() -> String {
    format!("chunk 20000\nsay {}", "x".repeat(3 << 20))
}

#[tokio::test]
async fn who_has_missed_something_is_told_once_and_given_the_rest() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut slow = host.watch(session, 0).await.unwrap();
    while !matches!(next(&mut slow).await.unwrap(), Update::Live { .. }) {}
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, &torrent()).await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    watcher.until_status(Status::Idle).await;
    // The loop of the session is gone as well when the slow one reads on.
    host.close().await;
    let (mut lagged, mut events) = (0, Vec::new());
    loop {
        match next(&mut slow).await.unwrap() {
            Update::Lagged => lagged += 1,
            Update::Event(event) => events.push(event.read().unwrap()),
            Update::Live { seq, .. } => {
                assert_eq!(seq, events.last().unwrap().seq);
                break;
            }
            Update::Delta(_) => {}
        }
    }
    assert_eq!(lagged, 1);
    assert_eq!(events, watcher.events);
    let more = tokio::time::timeout(std::time::Duration::ZERO, slow.next()).await;
    assert!(more.is_err(), "nothing happens any more: {more:?}");
}
