//! Which sessions are not kept, and how many there are.

use std::time::Duration;

use pilothouse_host::Host;
use pilothouse_host::host::Keep;
use pilothouse_host::store::{SessionChange, SessionFilter};
use pilothouse_session::id::SessionId;

use super::bed::{Bed, PATIENCE, Watcher, prompt};

const TOUCH: &str = "tool Bash {\"command\":\"touch made\"}\n---\nsay done";

async fn keeping(bed: &Bed, keep: Keep) -> Host {
    let mut options = bed.options("");
    options.keep = keep;
    Host::open(options).await.unwrap()
}

async fn listed(host: &Host) -> Vec<SessionId> {
    let page = host.sessions(SessionFilter::default(), None, 100).await.unwrap();
    let mut all: Vec<_> = page.items.into_iter().map(|row| row.id).collect();
    all.sort();
    all
}

/// Waits until a session is gone, then gives the rest.
async fn without(host: &Host, gone: SessionId) -> Vec<SessionId> {
    let mut changes = host.changes();
    loop {
        let all = listed(host).await;
        if !all.contains(&gone) {
            return all;
        }
        tokio::time::timeout(PATIENCE, changes.next()).await.expect("it is deleted");
    }
}

/// How many sessions of a status there are, as it is told to Prometheus.
fn counted(host: &Host, status: &str) -> i64 {
    let page = host.telemetry().metrics().render();
    let name = format!("pilothouse_sessions{{status=\"{status}\"}} ");
    let line = page.lines().find_map(|line| line.strip_prefix(&*name));
    line.unwrap_or_else(|| panic!("no {name} in {page}")).parse().unwrap()
}

#[tokio::test]
async fn what_is_old_goes_and_what_is_needed_stays() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (idle, archived, asking) =
        (bed.session(&host).await, bed.session(&host).await, bed.session(&host).await);
    let archive = SessionChange { archived: Some(true), ..SessionChange::default() };
    for session in [archived, asking] {
        host.change(session, archive.clone()).await.unwrap();
    }
    let mut watcher = Watcher::new(&host, asking, 0).await;
    prompt(&host, asking, TOUCH).await;
    watcher.until_asked().await;
    assert_eq!((counted(&host, "dormant"), counted(&host, "awaiting_approval")), (2, 1));
    host.close().await;
    drop((watcher, host));

    let hour = Duration::from_secs(60 * 60);
    let host = keeping(&bed, Keep { archived: Some(hour), idle: Some(hour) }).await;
    assert_eq!(listed(&host).await.len(), 3);
    host.close().await;
    drop(host);

    let host = keeping(&bed, Keep { archived: Some(Duration::ZERO), idle: Some(hour) }).await;
    assert_eq!(without(&host, archived).await, [idle, asking]);
    host.close().await;
    assert_eq!(listed(&host).await, [idle, asking], "nothing more is deleted");
    assert_eq!((counted(&host, "dormant"), counted(&host, "awaiting_approval")), (1, 1));
    drop(host);

    let host = keeping(&bed, Keep { archived: None, idle: Some(Duration::ZERO) }).await;
    assert_eq!(without(&host, idle).await, [asking]);
    assert_eq!((counted(&host, "dormant"), counted(&host, "awaiting_approval")), (0, 1));
    host.delete(asking, "Ada").await.unwrap();
    for status in ["dormant", "awaiting_approval", "ended", "idle"] {
        assert_eq!(counted(&host, status), 0, "{status}");
    }
    host.close().await;
}
