//! No room is left.

use std::time::Duration;

use pilothouse_host::store::StoreError;
use pilothouse_host::{Host, HostError};
use pilothouse_session::Command;
use pilothouse_session::event::Body;

use super::bed::{Bed, Watcher, prompt, say, script};

/// Takes all the room there is; gives how many pieces there are to give back.
async fn fill(host: &Host) -> usize {
    let mut pieces = 0;
    for size in [16 << 10, 1 << 10, 100] {
        let ballast = "x".repeat(size);
        loop {
            let name = format!("ballast.{pieces}");
            match host.store().set_meta(&name, Some(&ballast)).await {
                Ok(()) => pieces += 1,
                Err(StoreError::Full(_)) => break,
                Err(error) => panic!("{error}"),
            }
        }
    }
    pieces
}

async fn give_back(host: &Host, pieces: usize) {
    for piece in 0..pieces {
        host.store().set_meta(&format!("ballast.{piece}"), None).await.unwrap();
    }
}

#[tokio::test]
async fn it_is_told_and_everything_goes_on_when_there_is_room_again() {
    let bed = Bed::new();
    let mut options = bed.options("");
    options.store.max_bytes = Some(3 << 20);
    let host = Host::open(options).await.unwrap();
    let (session, other) = (bed.session(&host).await, bed.session(&host).await);
    let mut watcher = Watcher::new(&host, session, 0).await;
    watcher.until_live().await;
    prompt(&host, session, "say one\nhold a\nmore \" two\"").await;
    bed.held("a").await;
    while !watcher.pieces.contains("one") {
        watcher.next().await;
    }
    let pieces = fill(&host).await;
    let before = host.session(session).await.unwrap().last_seq;

    let large = "three".repeat(20_000);
    let mut taken = Box::pin(host.prompt(session, say(script(&format!("say {large}")))));
    let early = tokio::time::timeout(Duration::ZERO, &mut taken).await;
    assert!(early.is_err(), "{early:?}");
    for session in [session, session] {
        let stop = host.command(session, Command::Interrupt { cancel_queued: false }).await;
        assert!(matches!(stop, Err(HostError::Store(StoreError::Full(_)))), "{stop:?}");
    }
    // Others can be read, and the one that waits as well.
    assert_eq!(host.session(other).await.unwrap().last_seq, 0);
    assert_eq!(host.session(session).await.unwrap().last_seq, before);
    bed.release("a");
    let mut late = Watcher::new(&host, session, 0).await;
    late.until_live().await;
    assert_eq!(late.events.last().unwrap().seq, before);

    give_back(&host, pieces).await;
    taken.await.unwrap();
    while watcher.texts().len() < 2 {
        watcher.next().await;
    }
    assert_eq!(watcher.texts(), ["one two", &large]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    prompt(&host, other, "say hello").await;
    let mut watcher = Watcher::new(&host, other, 0).await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    host.store().check().unwrap();
    host.close().await;
}
