//! What a session does while nothing goes wrong.

use pilothouse_host::host::{Beginning, NewSession, PromptRequest, Update};
use pilothouse_host::store::{SessionChange, StoreError};
use pilothouse_host::{Host, HostError};
use pilothouse_session::event::{Body, Status};
use pilothouse_session::{Command, Refusal};

use super::bed::{Bed, Watcher, allow, decide, prompt, say, script};

#[tokio::test]
async fn a_session_is_created_without_a_process_and_starts_with_its_first_prompt() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    assert_eq!(host.session(session).await.unwrap().status, Status::Dormant);
    assert_eq!(host.served(), 0);

    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "think hm\nsay hello there").await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert_eq!(watcher.texts(), ["hello there"]);
    assert!(watcher.pieces.contains("hello there"), "{}", watcher.pieces);
    watcher.until_status(Status::Idle).await;
    assert_eq!(host.session(session).await.unwrap().status, Status::Idle);
    host.close().await;
}

#[tokio::test]
async fn who_comes_late_reads_everything_and_gets_the_half_written_sentence() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut early = Watcher::new(&host, session, 0).await;
    assert_eq!(early.until_live().await, []);
    prompt(&host, session, "say first half\nhold b\nmore \" second half\"").await;
    bed.held("b").await;
    while !early.pieces.contains("first half") {
        early.next().await;
    }
    let mut late = Watcher::new(&host, session, 0).await;
    let half = late.until_live().await;
    assert_eq!(half.len(), 1);
    assert_eq!(half[0].text, "first half");
    bed.release("b");
    for watcher in [&mut early, &mut late] {
        watcher.until(|body| matches!(body, Body::Complete { .. })).await;
        assert_eq!(watcher.texts(), ["first half second half"]);
    }
    assert_eq!(early.events, late.events);
    assert!(late.pieces.ends_with("second half") && !late.pieces.contains("first"));
    host.close().await;
}

#[tokio::test]
async fn an_approval_is_answered_once() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "tool Bash {\"command\":\"touch made\"}\n---\nsay done").await;
    let approval = watcher.until_asked().await;
    assert_eq!(host.store().open_approvals().unwrap().len(), 1);
    assert_eq!(host.detail(session).await.unwrap().approvals.len(), 1);
    let both = tokio::join!(
        decide(&host, session, approval, allow()),
        decide(&host, session, approval, allow())
    );
    let refused = [both.0, both.1].into_iter().filter_map(Result::err).collect::<Vec<_>>();
    assert_eq!(refused.len(), 1);
    assert!(matches!(refused[0], HostError::Refused(Refusal::AlreadyAnswered { .. })));
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert!(bed.path("work/made").exists());
    let audit = host.store().audit(Some(session), None, 10).unwrap().items;
    assert!(audit.iter().any(|line| line.action == "approval.allowed" && line.actor == "Ada"));
    host.close().await;
}

#[tokio::test]
async fn a_policy_answers_and_can_be_changed_while_the_session_runs() {
    let bed = Bed::new();
    let host = bed.host().await;
    let new = NewSession { policy: Some("autonomous".into()), ..bed.new_session() };
    let session = host.create(new).await.unwrap().id;
    let mut watcher = Watcher::new(&host, session, 0).await;
    let touch = |name| format!("tool Bash {{\"command\":\"touch {name}\"}}\n---\nsay done");
    prompt(&host, session, &touch("one")).await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert!(bed.path("work/one").exists());
    assert_eq!(watcher.count(|body| matches!(body, Body::ApprovalResolved { .. })), 1);

    host.put_policy("mine", "[[rule]]\ntool = \"Bash\"\ndeny = \"not here\"\n").await.unwrap();
    let change = SessionChange { policy: Some("mine".into()), ..SessionChange::default() };
    host.change(session, change).await.unwrap();
    prompt(&host, session, &touch("two")).await;
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    assert!(!bed.path("work/two").exists());
    let missing = SessionChange { policy: Some("nobody".into()), ..SessionChange::default() };
    assert!(matches!(host.change(session, missing).await, Err(HostError::NoPolicy(_))));
    host.close().await;
}

#[tokio::test]
async fn a_prompt_with_a_key_is_said_once() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    let keyed = |text: &str| PromptRequest { key: Some("k".into()), ..say(script(text)) };
    let one = host.prompt(session, keyed("say once")).await.unwrap();
    let two = host.prompt(session, keyed("say once")).await.unwrap();
    assert_eq!(one, two);
    watcher.until(|body| matches!(body, Body::Complete { .. })).await;
    let three = host.prompt(session, keyed("say once")).await.unwrap();
    assert_eq!(one, three);
    let other = host.prompt(session, keyed("say something else")).await;
    assert!(matches!(other, Err(HostError::Store(StoreError::KeyReused(_)))));
    assert_eq!(watcher.count(|body| matches!(body, Body::UserMessage { .. })), 1);
    host.close().await;
}

#[tokio::test]
async fn a_fork_knows_what_was_said_and_leaves_the_original_alone() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let begin = Beginning::Fork { session, at: None };
    let fork = || NewSession { begin: begin.clone(), ..bed.new_session() };
    assert!(matches!(host.create(fork()).await, Err(HostError::NoConversation(_))));
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say original").await;
    watcher.until_status(Status::Idle).await;

    let copy = host.create(fork()).await.unwrap().id;
    let mut other = Watcher::new(&host, copy, 0).await;
    prompt(&host, copy, "say copy").await;
    other.until_status(Status::Idle).await;
    assert_eq!(other.texts(), ["copy"]);
    let (one, two) = (host.session(session).await.unwrap(), host.session(copy).await.unwrap());
    assert_ne!(one.cli_session, two.cli_session);

    let taken = Beginning::Resume { cli_session: one.cli_session.unwrap() };
    let refused = host.create(NewSession { begin: taken, ..bed.new_session() }).await;
    assert!(matches!(refused, Err(HostError::ConversationInUse { .. })));
    host.close().await;
}

#[tokio::test]
async fn a_session_that_was_stopped_is_resumed_by_a_prompt() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    let before = host.session(session).await.unwrap().cli_session;
    host.command(session, Command::Stop).await.unwrap();
    watcher.until_status(Status::Ended).await;
    prompt(&host, session, "say two").await;
    watcher.until_status(Status::Idle).await;
    assert_eq!(watcher.texts(), ["one", "two"]);
    assert_eq!(host.session(session).await.unwrap().cli_session, before);
    let runs = host.runs(session).await.unwrap();
    assert_eq!(runs.iter().map(|run| run.is_live).collect::<Vec<_>>(), [false, true]);
    let log = host.wire_log(session, runs[0].run, 0, 1 << 20).await.unwrap();
    assert_eq!(log.len() as u64, runs[0].bytes);
    host.close().await;
}

#[tokio::test]
async fn a_deleted_session_leaves_nothing_behind() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one\nhold never").await;
    bed.held("never").await;
    watcher.until_status(Status::Running).await;
    let (_, cli) = bed.pids(session);
    host.delete(session, "Ada").await.unwrap();
    assert!(!bed.path("data/runs").join(session.to_string()).exists());
    assert!(!std::path::Path::new(&format!("/proc/{cli}")).exists());
    assert!(matches!(
        host.session(session).await,
        Err(HostError::Store(StoreError::UnknownSession(_)))
    ));
    assert!(host.command(session, Command::Stop).await.is_err());
    assert_eq!(host.served(), 0);
    host.close().await;
}

#[tokio::test]
async fn what_cannot_be_started_is_refused_before_anything_is_stored() {
    let bed = Bed::new();
    let host = bed.host().await;
    let nowhere = NewSession { cwd: "/nowhere/at/all".into(), ..NewSession::default() };
    assert!(matches!(host.create(nowhere).await, Err(HostError::NoDirectory(_))));
    let mut bad = bed.new_session();
    bad.profile.mcp_servers.insert("x".into(), serde_json::json!("a carrier pigeon"));
    assert!(matches!(host.create(bad).await, Err(HostError::Profile(_))));
    let policy = NewSession { policy: Some("nobody".into()), ..bed.new_session() };
    assert!(matches!(host.create(policy).await, Err(HostError::NoPolicy(_))));
    let all = host.sessions(Default::default(), None, 10).await.unwrap();
    assert!(all.items.is_empty());
    host.close().await;
}

#[tokio::test]
async fn two_hosts_do_not_share_a_directory() {
    let bed = Bed::new();
    let host = bed.host().await;
    let second = pilothouse_host::Host::open(bed.options("")).await;
    assert!(matches!(second, Err(HostError::InUse(_))));
    host.close().await;
}

#[tokio::test]
async fn a_cli_that_works_without_a_word_is_told_of_once() {
    let bed = Bed::new();
    let stall = std::time::Duration::from_millis(200);
    let mut options = bed.options("");
    options.stall = Some(stall);
    let host = Host::open(options).await.unwrap();
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    let is_stall =
        |body: &Body| matches!(body, Body::Notice { text, .. } if text.contains("said nothing"));
    let told = || {
        let stored = host.store().read_after(session, 0, usize::MAX).unwrap();
        stored.iter().filter(|event| is_stall(&event.read().unwrap().body)).count()
    };
    prompt(&host, session, "say one\nhold b").await;
    bed.held("b").await;
    watcher.until(is_stall).await;
    let once = told();
    tokio::time::sleep(stall * 3).await;
    assert_eq!(told(), once);
    bed.release("b");
    watcher.until_status(Status::Idle).await;

    // Who waits for a person may wait.
    prompt(&host, session, "tool Bash {\"command\":\"touch x\"}\n---\nsay done").await;
    watcher.until_asked().await;
    watcher.until_status(Status::AwaitingApproval).await;
    let before = told();
    tokio::time::sleep(stall * 3).await;
    assert_eq!(told(), before);
    host.close().await;
}

#[tokio::test]
async fn what_a_session_does_not_say_the_host_does() {
    let bed = Bed::new();
    let mut options = bed.options("");
    options.defaults.policy = Some("autonomous".into());
    options.defaults.profile.model = Some("opus".into());
    let host = Host::open(options).await.unwrap();
    let row = host.session(bed.session(&host).await).await.unwrap();
    assert_eq!((row.policy.as_deref(), row.model.as_deref()), (Some("autonomous"), Some("opus")));
    let mut own = bed.new_session();
    own.profile.model = Some("haiku".into());
    assert_eq!(host.create(own).await.unwrap().model.as_deref(), Some("haiku"));
    host.close().await;
}

#[tokio::test]
async fn what_happens_is_counted() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    let metrics = host.telemetry().metrics();
    assert_eq!(metrics.events_appended.get(), watcher.events.len() as u64);
    let page = metrics.render();
    let settled = page.lines().find(|line| line.starts_with("pilothouse_turns_settled_total{"));
    assert!(settled.is_some_and(|line| line.ends_with(" 1")), "{settled:?}");
    host.close().await;
}

/// What is stored while somebody still reads the past comes after the pieces that it ends: else an
/// item that was complete would be half-written again.
#[tokio::test]
async fn what_happens_while_the_past_is_read_comes_in_its_order() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut live = Watcher::new(&host, session, 0).await;
    // More than is read from the store at once.
    while live.events.len() < 600 {
        prompt(&host, session, "say one").await;
        live.until_status(Status::Idle).await;
    }
    prompt(&host, session, "say half\nhold here\nmore \" whole\"").await;
    bed.held("here").await;
    while !live.pieces.ends_with("half") {
        live.next().await;
    }

    let mut late = host.watch(session, 0).await.unwrap();
    let mut seen = vec![late.next().await.unwrap().1];
    bed.release("here");
    live.until_status(Status::Idle).await;
    let last = live.events.last().unwrap().seq;
    while late.seq() < last {
        seen.push(late.next().await.unwrap().1);
    }
    let live_at = seen.iter().position(|update| matches!(update, Update::Live { .. })).unwrap();
    let Update::Live { seq, open_items } = &seen[live_at] else { unreachable!() };
    assert_eq!(open_items.len(), 1, "{open_items:?}");
    let number = |update: &Update| match update {
        Update::Event(event) => Some(event.seq),
        _ => None,
    };
    let (before, after) = seen.split_at(live_at);
    assert!(before.iter().filter_map(number).eq(1..=*seq), "all that was stored, and no more");
    assert!(after.iter().filter_map(number).eq(seq + 1..=last), "then all that happened since");
    host.close().await;
}

#[tokio::test]
async fn whoever_takes_the_lock_removes_a_stale_beacon() {
    let bed = Bed::new();
    let beacon = bed.path("data/daemon.json");
    bed.host().await.close().await;
    std::fs::write(&beacon, "{}").unwrap();
    let host = bed.host().await;
    assert!(!beacon.exists(), "it is of a daemon that was killed");
    std::fs::write(&beacon, "{}").unwrap();
    Host::open(bed.options("")).await.unwrap_err();
    assert!(beacon.exists(), "it is of the host that has the lock");
    host.close().await;
}

#[tokio::test]
async fn rejects_a_data_directory_that_others_can_write() {
    use std::os::unix::fs::PermissionsExt;
    let bed = Bed::new();
    bed.host().await.close().await;
    for name in ["data", "data/pilothouse.db"] {
        let path = bed.path(name);
        let before = path.metadata().unwrap().permissions();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o777)).unwrap();
        let refused = Host::open(bed.options("")).await.unwrap_err();
        assert!(matches!(refused, HostError::DataDir(_)), "{refused}");
        std::fs::set_permissions(&path, before).unwrap();
    }
    bed.host().await.close().await;
}
