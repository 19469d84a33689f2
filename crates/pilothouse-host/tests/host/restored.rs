//! A database that was restored from a backup: what it does not know is left as it is.

use pilothouse_host::doctor::{Examination, State};
use pilothouse_host::holder::RunState;
use pilothouse_session::Command;
use pilothouse_session::command::From;
use pilothouse_session::event::{Body, Status};

use super::bed::{Bed, PATIENCE, Watcher, kill, prompt};

const FILES: [&str; 3] = ["pilothouse.db", "pilothouse.db-wal", "pilothouse.db-shm"];

fn back_up(bed: &Bed) {
    std::fs::create_dir(bed.path("backup")).unwrap();
    for name in FILES {
        let _ = std::fs::copy(bed.path("data").join(name), bed.path("backup").join(name));
    }
}

fn restore(bed: &Bed) {
    for name in FILES {
        let _ = std::fs::remove_file(bed.path("data").join(name));
        let _ = std::fs::copy(bed.path("backup").join(name), bed.path("data").join(name));
    }
}

#[tokio::test]
async fn runs_that_a_restored_database_does_not_know_are_neither_stopped_nor_deleted() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (known, deleted) = (bed.session(&host).await, bed.session(&host).await);
    let mut watcher = Watcher::new(&host, known, 0).await;
    prompt(&host, known, "say one").await;
    watcher.until_status(Status::Idle).await;
    host.command(known, Command::Stop).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    host.delete(deleted, "a test").await.unwrap();
    host.close().await;
    drop(host);
    back_up(&bed);

    let host = bed.host().await;
    let unknown = bed.session(&host).await;
    prompt(&host, known, "say two\nhold a").await;
    prompt(&host, unknown, "say three\nhold b").await;
    bed.held("a").await;
    bed.held("b").await;
    host.close().await;
    drop(host);
    let (known_pids, unknown_pids) = (bed.pids(known), bed.pids(unknown));
    restore(&bed);
    // A delete that was interrupted.
    let left = bed.path("data/runs").join(deleted.to_string());
    std::fs::create_dir_all(left.join("a")).unwrap();

    let host = bed.host().await;
    let gone = async {
        while left.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.expect("the delete is finished");
    assert_eq!(host.session(known).await.unwrap().id, known);
    assert!(host.session(unknown).await.is_err());
    let doctor = Examination::of(bed.path("data"), Err("not asked".into())).run();
    let check = doctor.check("runs.unknown").unwrap();
    assert_eq!(check.state, State::Warn, "{check:?}");
    assert!(check.detail.starts_with("2 (2 live)"), "{check:?}");
    // The conversation has a driver already.
    let mut watcher = Watcher::new(&host, known, 0).await;
    watcher.until_live().await;
    prompt(&host, known, "say four").await;
    let refused = watcher.until(|body| matches!(body, Body::Error { .. })).await;
    let text = format!("{:?}", refused.body);
    assert!(text.contains("database does not know") && text.contains("kill"), "{text}");
    assert_eq!((bed.pids(known), bed.pids(unknown)), (known_pids, unknown_pids), "both are live");

    // Without it the session goes on, under a name of its own for the run.
    kill(known_pids.0);
    bed.release("a");
    let ended = async {
        while bed.runs(known).iter().any(|run| run.state == RunState::Live) {
            tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("its holder is dead");
    let before = bed.runs(known).len();
    host.command(known, Command::Start(From::End)).await.unwrap();
    while !watcher.texts().iter().any(|text| text == "four") {
        watcher.next().await;
    }
    assert_eq!(bed.runs(known).len(), before + 1, "all logs are there");
    host.close().await;
    assert_eq!(bed.pids(unknown), unknown_pids, "it is live");
}
