//! What becomes of sessions when something dies.

use std::fs::File;
use std::path::Path;

use pilothouse_host::Host;
use pilothouse_host::holder::{HolderProgram, PID_FILE};
use pilothouse_session::Command;
use pilothouse_session::command::From;
use pilothouse_session::event::{Body, DeadRun, Status};

use super::bed::{Bed, PATIENCE, Watcher, allow, decide, kill, prompt, stop};

#[tokio::test]
async fn an_approval_that_a_daemon_left_behind_is_answered_by_the_next() {
    let bed = Bed::new();
    let first = bed.host().await;
    let session = bed.session(&first).await;
    let mut watcher = Watcher::new(&first, session, 0).await;
    prompt(&first, session, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
    let approval = watcher.until_asked().await;
    let before = watcher.events;
    first.close().await;
    drop(first);

    let second = bed.host().await;
    let mut watcher = Watcher::new(&second, session, 0).await;
    decide(&second, session, approval, allow()).await.unwrap();
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.events[..before.len()], before);
    assert_eq!(watcher.texts(), ["done"]);
    assert!(bed.path("work/made").exists());
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    second.close().await;
}

#[tokio::test]
async fn what_the_cli_said_while_nobody_listened_is_not_lost() {
    let bed = Bed::new();
    let first = bed.host().await;
    let session = bed.session(&first).await;
    let mut watcher = Watcher::new(&first, session, 0).await;
    prompt(&first, session, "say one\nhold b\n---\n").await;
    prompt(&first, session, "say two").await;
    bed.held("b").await;
    watcher.until_status(Status::Running).await;
    first.close().await;
    drop(first);
    bed.release("b");

    let second = bed.host().await;
    let mut watcher = Watcher::new(&second, session, 0).await;
    while watcher.texts().len() < 2 {
        watcher.next().await;
    }
    assert_eq!(watcher.texts(), ["one", "two"]);
    second.close().await;
}

#[tokio::test]
async fn a_cli_that_dies_in_mid_turn_is_resumed() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one\nhold b").await;
    bed.held("b").await;
    watcher.until_status(Status::Running).await;
    kill(bed.pids(session).1);
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    assert!(
        matches!(&ended.body, Body::RunEnded { meaning: DeadRun::Resumable { .. }, .. }),
        "{ended:?}"
    );
    bed.release("b");
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 2);
    host.close().await;
}

#[tokio::test]
async fn a_holder_that_dies_takes_its_cli_along_and_the_session_goes_on() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    kill(bed.pids(session).0);
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    prompt(&host, session, "say two").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one", "two"]);
    host.close().await;
}

/// What a CLI has said and its holder has not read dies with the holder: here, all of it.
#[tokio::test]
async fn a_holder_that_dies_before_anything_was_said_is_made_up_for() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    host.command(session, Command::Start(From::End)).await.unwrap();
    watcher.until(|body| matches!(body, Body::RunReady { .. })).await;
    let (holder, cli) = bed.pids(session);
    stop(cli);
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Running).await;
    kill(holder);
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one"]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 2);
    host.close().await;
}

/// A machine that stops takes daemon, holder and CLI along.
#[tokio::test]
async fn what_the_machine_has_cut_off_goes_on_when_somebody_says_so() {
    let bed = Bed::new();
    let before = bed.host().await;
    let session = bed.session(&before).await;
    let mut watcher = Watcher::new(&before, session, 0).await;
    prompt(&before, session, "say one\nhold b").await;
    bed.held("b").await;
    watcher.until(|body| matches!(body, Body::TurnStarted { .. })).await;
    prompt(&before, session, "say two").await;
    let (holder, cli) = bed.pids(session);
    before.close().await;
    drop(before);
    kill(holder);
    kill(cli);
    let [run] = &bed.runs(session)[..] else { panic!("one run") };
    std::fs::write(run.dir.join("boot"), "another one\n").unwrap();

    let after = bed.host().await;
    let mut watcher = Watcher::new(&after, session, 0).await;
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    let Body::RunEnded { stderr_tail, .. } = ended.body else { panic!("{ended:?}") };
    assert_eq!(stderr_tail, "the machine has stopped");
    watcher.until_status(Status::Interrupted).await;
    bed.release("b");
    after.command(session, Command::Start(From::End)).await.unwrap();
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts().last().unwrap(), "two", "what was not taken up has waited");
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 2);
    after.close().await;
}

/// Two would write to one conversation.
#[tokio::test]
async fn a_cli_that_outlives_its_holder_has_ended_before_the_next_begins() {
    let bed = Bed::new();
    let host = bed.faulty("ignore-eof,ignore-sigterm").await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one\nhold b").await;
    bed.held("b").await;
    watcher.until_status(Status::Running).await;
    let (holder, cli) = bed.pids(session);
    kill(holder);
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    watcher.until(|body| matches!(body, Body::RunStarted { .. })).await;
    assert!(!std::path::Path::new(&format!("/proc/{cli}/exe")).exists());
    bed.release("b");
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    host.close().await;
}

/// While a CLI does not read, its holder hears nothing more over the connection that is attached.
#[tokio::test]
async fn a_cli_that_hangs_can_be_ended() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    let (_, cli) = bed.pids(session);
    stop(cli);
    let long = format!("say {}", "x".repeat(100_000));
    for _ in 0..30 {
        prompt(&host, session, &long).await;
    }
    let deleted = tokio::time::timeout(super::bed::PATIENCE, host.delete(session, "Ada")).await;
    deleted.expect("it ends").unwrap();
    assert!(!std::path::Path::new(&format!("/proc/{cli}/exe")).exists());
    assert!(!bed.path("data/runs").join(session.to_string()).exists());
    host.close().await;
}

#[tokio::test]
async fn a_cli_that_cannot_be_started_is_told_of_with_what_it_said() {
    let bed = Bed::new();
    let host = bed.faulty("exit-at-once=3").await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    assert!(
        matches!(&ended.body, Body::RunEnded { exit, meaning: DeadRun::Failed { .. }, .. }
            if exit.code == Some(3)),
        "{ended:?}"
    );
    host.close().await;
    drop(host);

    let mut options = bed.options("");
    options.cli = pilothouse_client::Cli::At(bed.path("no-claude-here"));
    let host = pilothouse_host::Host::open(options).await.unwrap();
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    let error = watcher.until(|body| matches!(body, Body::Error { .. })).await;
    assert!(format!("{:?}", error.body).contains("no-claude-here"), "{error:?}");
    host.close().await;
}

/// A stopped holder answers nobody, and its socket takes whoever comes.
#[tokio::test]
async fn a_holder_that_says_nothing_holds_up_its_own_session_and_not_the_host() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (stuck, other) = (bed.session(&host).await, bed.session(&host).await);
    let mut watcher = Watcher::new(&host, stuck, 0).await;
    prompt(&host, stuck, "say one").await;
    watcher.until_status(Status::Idle).await;
    let (holder, _) = bed.pids(stuck);
    drop(watcher);
    host.close().await;
    drop(host);
    stop(holder);

    let host = bed.host().await;
    let mut watcher = Watcher::new(&host, other, 0).await;
    prompt(&host, other, "say two").await;
    watcher.until_status(Status::Idle).await;
    let closed = tokio::time::timeout(std::time::Duration::from_secs(10), host.close()).await;
    assert!(closed.is_ok(), "the host closes");
}

fn copy(from: &Path, to: &Path) {
    let copied = std::process::Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}

#[tokio::test]
async fn a_run_that_was_begun_and_does_not_listen_keeps_no_host_from_closing() {
    let bed = Bed::new();
    // A holder that does not come to listening.
    let pipe = bed.path("holds/launch");
    let script = format!("mkfifo {0} && touch {0}.held; read -r x < {0}", pipe.display());
    let mut options = bed.options("");
    options.holder =
        HolderProgram { exe: "/bin/sh".into(), args: vec!["-c".into(), script.into()] };
    let killed = Host::open(options).await.unwrap();
    let session = bed.session(&killed).await;
    prompt(&killed, session, "say done").await;
    bed.held("launch").await;
    // What a host leaves that is killed now.
    copy(&bed.path("data"), &bed.path("left"));
    bed.release("launch");
    killed.close().await;
    drop(killed);
    std::fs::remove_dir_all(bed.path("data")).unwrap();
    std::fs::rename(bed.path("left"), bed.path("data")).unwrap();
    let run = bed.runs(session).remove(0);
    let holder = File::open(run.dir.join(PID_FILE)).unwrap();
    holder.lock().unwrap();

    let second = bed.host().await;
    tokio::time::timeout(PATIENCE / 3, second.close()).await.unwrap();
    drop(second);

    // Nothing was said of the run, so the next one goes on where the first was.
    drop(holder);
    let third = bed.host().await;
    let mut watcher = Watcher::new(&third, session, 0).await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["done"]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunEnded { .. })), 0);
    third.close().await;
}
