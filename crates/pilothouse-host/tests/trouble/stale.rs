//! Approvals that have outlived their run, and sessions that have outlived everything.

use pilothouse_host::http::Problem;
use pilothouse_host::{Host, HostError};
use pilothouse_session::approval::Decision;
use pilothouse_session::event::{Body, CancelReason, DeadRun, RunOrigin, Status};
use pilothouse_session::id::{ApprovalId, SessionId};
use pilothouse_session::{Command, Refusal};

use super::bed::{Bed, Watcher, allow, decide, kill, prompt};

const TOUCH: &str = "tool Bash {\"command\":\"touch made\"}\n---\nsay done";

async fn asking(bed: &Bed, host: &Host) -> (SessionId, Watcher, ApprovalId) {
    let session = bed.session(host).await;
    let mut watcher = Watcher::new(host, session, 0).await;
    prompt(host, session, TOUCH).await;
    let approval = watcher.until_asked().await;
    (session, watcher, approval)
}

/// Every answer comes too late, and says so.
async fn is_void(host: &Host, session: SessionId, approval: ApprovalId) {
    let deny = Decision::Deny { message: None, stop: false };
    for decision in [allow(), deny] {
        let late = decide(host, session, approval, decision).await.unwrap_err();
        assert!(
            matches!(&late, HostError::Refused(Refusal::ApprovalVoid { approval: told })
                if *told == approval),
            "{late:?}"
        );
        let problem = Problem::from(late);
        assert_eq!(problem.status(), 410);
        let json = serde_json::to_value(problem.document()).unwrap();
        assert_eq!(json["refusal"]["kind"], "approval_void");
    }
}

#[tokio::test]
async fn an_approval_dies_with_its_run() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (session, mut watcher, approval) = asking(&bed, &host).await;
    host.command(session, Command::Stop).await.unwrap();
    // The CLI withdraws it if it has the time.
    let wanted = |body: &Body| matches!(body, Body::PermissionCancelled { approval: told, .. } if *told == approval);
    watcher.until(wanted).await;
    watcher.until_status(Status::Ended).await;
    is_void(&host, session, approval).await;
    assert!(host.store().open_approvals().unwrap().is_empty());
    assert!(!bed.path("work/made").exists());
    let nobody = decide(&host, session, ApprovalId(4711), allow()).await;
    assert!(matches!(nobody, Err(HostError::Refused(Refusal::UnknownApproval { .. }))));
    host.close().await;
}

#[tokio::test]
async fn an_approval_is_void_for_the_next_host_when_its_run_has_died_meanwhile() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (session, watcher, approval) = asking(&bed, &host).await;
    let (holder, _) = bed.pids(session);
    host.close().await;
    drop((watcher, host));
    kill(holder);

    let mut options = bed.options("");
    // Otherwise the next run would ask the same again.
    options.resume_attempts = 0;
    let host = Host::open(options).await.unwrap();
    let mut watcher = Watcher::new(&host, session, 0).await;
    let ended = watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    assert!(
        matches!(&ended.body, Body::RunEnded { meaning: DeadRun::Resumable { .. }, .. }),
        "{ended:?}"
    );
    let reason = CancelReason::RunEnded;
    assert_eq!(watcher.count(|body| *body == Body::PermissionCancelled { approval, reason }), 1);
    is_void(&host, session, approval).await;
    assert!(host.store().open_approvals().unwrap().is_empty());
    assert!(!bed.path("work/made").exists());
    host.close().await;
}

#[tokio::test]
async fn a_session_is_resumed_after_everything_was_gone() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    let conversation = host.session(session).await.unwrap().cli_session.unwrap();
    let (holder, cli) = bed.pids(session);
    host.close().await;
    drop((watcher, host));
    kill(holder);
    kill(cli);

    let host = bed.host().await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    watcher.until(|body| matches!(body, Body::RunEnded { .. })).await;
    prompt(&host, session, "say two").await;
    let started = watcher.until(|body| matches!(body, Body::RunStarted { .. })).await;
    let Body::RunStarted { origin, .. } = started.body else { panic!() };
    assert_eq!(
        origin,
        RunOrigin::Resumed { cli_session: conversation.clone(), at: None },
        "it goes on where it was"
    );
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one", "two"]);
    assert_eq!(host.session(session).await.unwrap().cli_session, Some(conversation));
    host.close().await;
}

/// A session that nobody has looked at since: listed, and no process.
#[tokio::test]
async fn a_session_that_has_ended_is_resumed_by_a_later_host() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    host.command(session, Command::Stop).await.unwrap();
    watcher.until_status(Status::Ended).await;
    host.close().await;
    drop((watcher, host));

    let host = bed.host().await;
    assert_eq!(host.served(), 0);
    assert_eq!(host.session(session).await.unwrap().status, Status::Ended);
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say two").await;
    watcher.until_status(Status::Ended).await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one", "two"]);
    host.close().await;
}
