//! Runs that the host holds itself, and that end with it.

use pilothouse_host::Host;
use pilothouse_session::Command;
use pilothouse_session::event::{Body, DeadRun, Status};

use super::bed::{Bed, PATIENCE, Watcher, allow, decide, kill, prompt};

async fn host(bed: &Bed, fault: &str) -> Host {
    let mut options = bed.options(fault);
    options.hold = false;
    Host::open(options).await.unwrap()
}

async fn until_gone(pid: u32) {
    let gone = async {
        while std::path::Path::new(&format!("/proc/{pid}")).exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.unwrap();
}

#[tokio::test]
async fn a_session_from_its_first_word_to_its_end() {
    let bed = Bed::new();
    let host = host(&bed, "").await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
    let approval = watcher.until_asked().await;
    let (holder, _) = bed.pids(session);
    assert_eq!(holder, std::process::id(), "nobody else holds it");
    decide(&host, session, approval, allow()).await.unwrap();
    watcher.until_status(Status::Idle).await;
    assert!(bed.path("work/made").exists());

    prompt(&host, session, "say one\nhold here\nmore \" two\"").await;
    bed.held("here").await;
    let (_, cli) = bed.pids(session);
    kill(cli);
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    let is_resumable = |body: &Body| {
        matches!(body, Body::RunEnded { meaning: DeadRun::Resumable { .. }, exit, .. }
            if exit.signal == Some(9))
    };
    assert!(is_resumable(&ended.body), "{ended:?}");
    bed.release("here");
    watcher.until_status(Status::Idle).await;

    let (_, cli) = bed.pids(session);
    host.command(session, Command::Stop).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    until_gone(cli).await;
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 2);

    prompt(&host, session, "hold again").await;
    bed.held("again").await;
    let (_, cli) = bed.pids(session);
    host.delete(session, "Ada").await.unwrap();
    until_gone(cli).await;
    assert_eq!(bed.runs(session), []);
    host.close().await;
}

#[tokio::test]
async fn a_cli_that_does_not_read_can_be_stopped() {
    let bed = Bed::new();
    let host = host(&bed, "").await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one\nhold b").await;
    bed.held("b").await;
    super::bed::stop(bed.pids(session).1);
    for _ in 0..8 {
        prompt(&host, session, &format!("say {}", "much".repeat(20_000))).await;
    }
    host.command(session, Command::Stop).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    host.close().await;
}
