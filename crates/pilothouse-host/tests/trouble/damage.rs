//! What is stored is gone, or makes no sense.

use pilothouse_host::{Host, HostError};
use pilothouse_session::Command;
use pilothouse_session::event::{Body, Status};
use pilothouse_session::id::SessionId;

use super::bed::{Bed, Watcher, kill, prompt};

/// Takes the session's state away, and puts this in its place.
fn spoil(bed: &Bed, session: SessionId, state: &str) {
    let other = rusqlite::Connection::open(bed.path("data/pilothouse.db")).unwrap();
    let changed = other.execute(
        "UPDATE states SET state = ?1 WHERE session = (SELECT rowid FROM sessions WHERE id = ?2)",
        rusqlite::params![state, session.0.as_bytes()],
    );
    assert_eq!(changed.unwrap(), 1);
}

#[tokio::test]
async fn a_state_that_cannot_be_read_is_told_and_others_go_on() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (broken, whole) = (bed.session(&host).await, bed.session(&host).await);
    let mut watcher = Watcher::new(&host, broken, 0).await;
    prompt(&host, broken, "say one").await;
    watcher.until_status(Status::Idle).await;
    let events = std::mem::take(&mut watcher.events);
    let (_, _, cli) = run_of(&bed, broken);
    host.close().await;
    drop((watcher, host));
    spoil(&bed, broken, "{\"half\":");

    let host = bed.host().await;
    for _ in 0..2 {
        let refused = host.command(broken, Command::Stop).await;
        let Err(HostError::Broken { session, .. }) = &refused else { panic!("{refused:?}") };
        assert_eq!(*session, broken);
        let sentence = refused.unwrap_err().to_string();
        assert!(sentence.contains("can still be read"), "{sentence}");
    }
    let mut watcher = Watcher::new(&host, broken, 0).await;
    watcher.until_live().await;
    assert_eq!(watcher.events, events);
    let mut other = Watcher::new(&host, whole, 0).await;
    prompt(&host, whole, "say hello").await;
    other.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(other.texts(), ["hello"]);

    host.delete(broken, "Ada").await.expect("as it was advised");
    assert!(!is_there(cli), "its run has gone on without it");
    assert!(!bed.path("data/runs").join(broken.to_string()).exists());
    host.close().await;
}

/// The directory of the session's live run, with its holder's and its CLI's process.
fn run_of(bed: &Bed, session: SessionId) -> (std::path::PathBuf, u32, u32) {
    let (holder, cli) = bed.pids(session);
    (bed.path("data/runs").join(session.to_string()), holder, cli)
}

fn is_there(pid: u32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}/exe")).exists()
}

#[tokio::test]
async fn a_run_whose_files_are_taken_away_goes_on_and_can_be_followed_by_another() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    watcher.until_live().await;
    prompt(&host, session, "say one\nhold a\nmore \" two\"").await;
    bed.held("a").await;
    while !watcher.pieces.contains("one") {
        watcher.next().await;
    }
    let (dir, holder, cli) = run_of(&bed, session);
    std::fs::remove_dir_all(dir).unwrap();
    bed.release("a");
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one two"]);
    kill(cli);
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    prompt(&host, session, "say three").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one two", "three"]);
    kill(holder);
    host.close().await;
}

#[tokio::test]
async fn a_run_whose_files_are_gone_when_the_host_comes_back_has_ended() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    let (dir, holder, cli) = run_of(&bed, session);
    host.close().await;
    drop((watcher, host));
    std::fs::remove_dir_all(dir).unwrap();

    let host = bed.host().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    let Body::RunEnded { stderr_tail, .. } = ended.body else { panic!() };
    assert!(stderr_tail.contains("are gone"), "{stderr_tail}");
    assert!(!is_there(cli), "two would write to one conversation");
    prompt(&host, session, "say two").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one", "two"], "what was answered is not asked again");
    kill(holder);
    host.close().await;
}

#[tokio::test]
async fn a_host_does_not_open_what_is_no_database() {
    let bed = Bed::new();
    std::fs::create_dir(bed.path("data")).unwrap();
    std::fs::write(bed.path("data/pilothouse.db"), "not a database, ".repeat(400)).unwrap();
    let refused = Host::open(bed.options("")).await.unwrap_err();
    assert!(refused.to_string().contains("damaged"), "{refused}");
    let text = std::fs::read_to_string(bed.path("data/pilothouse.db")).unwrap();
    assert!(text.starts_with("not a database"), "it is left as it is");
}
