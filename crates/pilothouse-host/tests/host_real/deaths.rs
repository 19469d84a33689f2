//! A daemon goes in mid-turn, a CLI dies in mid-turn.

use pilothouse_host::Host;
use pilothouse_session::Command;
use pilothouse_session::event::{Body, DeadRun, Outcome, Status};
use testkit::model::Recorded;

use super::bed::{Watcher, allow, decide, kill, prompt};
use super::stage::{Stage, settled};

#[tokio::test]
async fn an_approval_is_answered_by_the_next_host() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, &stage.write("note.txt")).await;
    let approval = watcher.until_asked().await;
    let before = std::mem::take(&mut watcher.events);
    host.close().await;
    drop((watcher, host));

    let host = stage.host().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    assert_eq!(host.store().open_approvals().unwrap().len(), 1);
    decide(&host, session, approval, allow()).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(stage.read("note.txt").as_deref(), Some("written\n"));
    assert_eq!(watcher.events[..before.len()], before);
    assert_eq!(watcher.texts(), ["Done."]);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 1);
    host.close().await;
}

/// Where the host holds its runs itself they end with it; the conversation goes on in the next.
#[tokio::test]
async fn a_conversation_goes_on_after_a_host_that_took_its_run_along() {
    let stage = Stage::new().await;
    let mut options = stage.options();
    options.hold = false;
    let host = Host::open(options.clone()).await.unwrap();
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, &stage.write("note.txt")).await;
    let approval = watcher.until_asked().await;
    decide(&host, session, approval, allow()).await.unwrap();
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    host.close().await;
    drop((watcher, host));

    let host = Host::open(options).await.unwrap();
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say Later.").await;
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(watcher.texts(), ["Done.", "Later."]);
    assert!(stage.last_asked().contains("note.txt"), "the conversation goes on");
    host.close().await;
}

/// Begins a second turn and kills the CLI in it, `when` the time has come; gives what the model is
/// asked in the end.
async fn killed_in_mid_turn(when: impl AsyncFn(&Stage)) -> Recorded {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "say Before.").await;
    settled(&mut watcher).await;
    prompt(&host, session, "say Half\nhold middle").await;
    stage.model.wait_held("middle").await.unwrap();
    when(&stage).await;
    let conversation = host.session(session).await.unwrap().cli_session;
    kill(stage.bed.pids(session).1);
    assert_eq!(settled(&mut watcher).await, Outcome::Lost);
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    let Body::RunEnded { meaning, exit, .. } = &ended.body else { panic!() };
    assert!(matches!(meaning, DeadRun::Resumable { .. }), "{ended:?}");
    assert_eq!(exit.signal, Some(9));
    stage.model.release("middle");
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert_eq!(watcher.count(|body| matches!(body, Body::RunStarted { .. })), 2);
    assert_eq!(host.session(session).await.unwrap().cli_session, conversation);
    let asked = stage.last_asked();
    assert!(asked.contains("Before."), "the conversation goes on");
    host.close().await;
    asked
}

#[tokio::test]
async fn a_cli_that_is_killed_in_mid_turn_is_resumed() {
    let asked = killed_in_mid_turn(async |stage| stage.written_down("hold middle").await).await;
    assert!(asked.contains("hold middle"), "with what it was told");
}

/// The CLI writes a prompt down a moment after it has begun to work on it.
#[tokio::test]
async fn a_cli_that_is_killed_before_it_has_written_the_prompt_down_is_resumed() {
    let asked = killed_in_mid_turn(async |_| ()).await;
    assert!(asked.contains("hold middle"), "with what it was told");
}

/// There may be no conversation yet that could be resumed.
#[tokio::test]
async fn a_cli_that_is_killed_in_its_first_turn_is_told_again() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "say Half\nhold first").await;
    stage.model.wait_held("first").await.unwrap();
    kill(stage.bed.pids(session).1);
    assert_eq!(settled(&mut watcher).await, Outcome::Lost);
    stage.model.release("first");
    assert_eq!(settled(&mut watcher).await, Outcome::Done);
    assert!(stage.last_asked().contains("hold first"));
    host.close().await;
}

#[tokio::test]
async fn a_session_that_was_stopped_knows_what_was_said() {
    let stage = Stage::new().await;
    let host = stage.host().await;
    let (session, mut watcher) = stage.session(&host).await;
    prompt(&host, session, "say Before.").await;
    settled(&mut watcher).await;
    watcher.until_status(Status::Idle).await;
    host.command(session, Command::Stop).await.unwrap();
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    assert!(matches!(&ended.body, Body::RunEnded { meaning: DeadRun::Finished, .. }), "{ended:?}");
    host.close().await;
    drop((watcher, host));

    let host = stage.host().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    watcher.until_live().await;
    prompt(&host, session, "say After.").await;
    settled(&mut watcher).await;
    assert_eq!(watcher.texts(), ["Before.", "After."]);
    assert!(stage.last_asked().contains("Before."));
    host.close().await;
}
