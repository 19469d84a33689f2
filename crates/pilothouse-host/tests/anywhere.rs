//! What a host does on every system: with the simulated CLI, in runs that it holds itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what went wrong by panicking"
)]
#![allow(dead_code, reason = "the bed is shared")]

#[path = "host/bed.rs"]
mod bed;

use bed::{Bed, PATIENCE, Watcher, allow, decide, prompt};
use pilothouse_host::Host;
use pilothouse_host::daemon::{Daemon, DaemonOptions};
use pilothouse_host::holder::RunState;
use pilothouse_host::host::Options;
use pilothouse_session::Command;
use pilothouse_session::event::{Body, Outcome, Status};

fn options(bed: &Bed) -> Options {
    Options { hold: false, ..bed.options("") }
}

/// A script that writes a file and says a word.
fn write(bed: &Bed, name: &str) -> String {
    let path = bed.path("work").join(name);
    let input = serde_json::json!({"file_path": path, "content": "written\n"});
    format!("tool Write {input}\n---\nsay done")
}

async fn completed(watcher: &mut Watcher) -> Outcome {
    let done = watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    match done.body {
        Body::Complete { completion } => completion.outcome,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_session_is_asked_stopped_resumed_and_deleted() {
    let bed = Bed::new();
    let host = Host::open(options(&bed)).await.unwrap();
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, &write(&bed, "note.txt")).await;
    let approval = watcher.until_asked().await;
    assert!(!bed.path("work/note.txt").exists());
    decide(&host, session, approval, allow()).await.unwrap();
    assert_eq!(completed(&mut watcher).await, Outcome::Done);
    assert_eq!(std::fs::read_to_string(bed.path("work/note.txt")).unwrap(), "written\n");

    host.command(session, Command::Stop).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    prompt(&host, session, "say again").await;
    assert_eq!(completed(&mut watcher).await, Outcome::Done);
    assert_eq!(watcher.texts(), ["done", "again"]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 2);

    // While it works: what it runs is ended first.
    prompt(&host, session, "hold here").await;
    bed.held("here").await;
    host.delete(session, "Ada").await.unwrap();
    assert_eq!(bed.runs(session), []);
    assert!(host.session(session).await.is_err());
    host.close().await;
}

#[tokio::test]
async fn a_run_ends_with_its_host_and_the_next_one_goes_on() {
    let bed = Bed::new();
    let first = Host::open(options(&bed)).await.unwrap();
    let session = bed.session(&first).await;
    let mut watcher = Watcher::new(&first, session, 0).await;
    prompt(&first, session, "say one\nhold b").await;
    bed.held("b").await;
    watcher.until_status(Status::Running).await;
    let again = Host::open(options(&bed)).await;
    assert!(again.is_err(), "two hosts do not share a directory");
    tokio::time::timeout(PATIENCE, first.close()).await.unwrap();
    drop(first);
    assert!(matches!(&bed.runs(session)[..], [run] if matches!(run.state, RunState::Ended(_))));
    let before = watcher.events;

    bed.release("b");
    let second = Host::open(options(&bed)).await.unwrap();
    let mut watcher = Watcher::new(&second, session, 0).await;
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.events[..before.len()], before);
    second.close().await;
}

#[tokio::test]
async fn a_daemon_answers_who_knows_its_token() {
    let bed = Bed::new();
    let mut daemon = DaemonOptions::new(options(&bed));
    daemon.listen = vec!["127.0.0.1:0".parse().unwrap()];
    let daemon = Daemon::open(daemon).await.unwrap();
    let url = format!("http://{}/api/v1/sessions", daemon.addresses()[0]);
    let token = daemon.token().reveal().to_owned();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(daemon.run(async move { _ = ended.await }));
    let body = serde_json::json!({"cwd": bed.path("work")}).to_string();
    let asked = tokio::task::spawn_blocking(move || {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let stranger = agent.get(&url).call().unwrap().status();
        let bearer = format!("Bearer {token}");
        let mut made = agent
            .post(&url)
            .header("Authorization", &bearer)
            .content_type("application/json")
            .send(body)
            .unwrap();
        let mut list = agent.get(&url).header("Authorization", &bearer).call().unwrap();
        let read = |body: &mut ureq::Body| body.read_to_string().unwrap();
        (stranger, made.status(), read(made.body_mut()), read(list.body_mut()))
    });
    let (stranger, status, made, list) = asked.await.unwrap();
    assert_eq!((stranger.as_u16(), status.as_u16()), (401, 201), "{made}");
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    assert_eq!(list["items"][0]["id"], made["id"]);
    end.send(()).unwrap();
    tokio::time::timeout(PATIENCE, running).await.unwrap().unwrap();
}
