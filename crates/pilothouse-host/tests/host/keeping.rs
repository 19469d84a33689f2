//! Which sessions are not kept, and how many there are.

use std::time::Duration;

use pilothouse_host::Host;
use pilothouse_host::holder::{RunState, look};
use pilothouse_host::host::Keep;
use pilothouse_host::store::{SessionChange, SessionFilter};
use pilothouse_host::wirelog::{ARCHIVE, FILE, Log};
use pilothouse_session::event::Status;
use pilothouse_session::id::SessionId;

use super::bed::{Bed, PATIENCE, Watcher, allow, decide, prompt};

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
    host.close().await;
    assert_eq!((counted(&host, "dormant"), counted(&host, "awaiting_approval")), (0, 1));
    drop(host);

    let host = bed.host().await;
    host.delete(asking, "Ada").await.unwrap();
    for status in ["dormant", "awaiting_approval", "ended", "idle"] {
        assert_eq!(counted(&host, status), 0, "{status}");
    }
    host.close().await;
}

/// What looks for runs that belong to nobody must not take those of a host that ends for such.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_closes_as_soon_as_it_is_open_stops_no_run() {
    let bed = Bed::new();
    let host = bed.host().await;
    let mut asking = Vec::new();
    for _ in 0..6 {
        let session = bed.session(&host).await;
        prompt(&host, session, TOUCH).await;
        Watcher::new(&host, session, 0).await.until_asked().await;
        asking.push(session);
    }
    host.close().await;
    drop(host);
    for round in 0..150 {
        let host = bed.host().await;
        for _ in 0..round % 4 {
            listed(&host).await;
        }
        host.close().await;
    }
    let host = bed.host().await;
    for session in asking {
        let mut watcher = Watcher::new(&host, session, 0).await;
        let approval = watcher.until_asked().await;
        decide(&host, session, approval, allow()).await.unwrap();
        watcher.until_status(Status::Idle).await;
    }
    host.close().await;
}

/// Where the sessions' runs are.
fn runs_of(bed: &Bed, session: SessionId) -> std::path::PathBuf {
    bed.path("data/runs").join(session.to_string())
}

#[tokio::test]
async fn what_is_left_of_a_deleted_session_is_removed_and_its_run_ended() {
    let bed = Bed::new();
    let host = bed.host().await;
    let (kept, deleted) = (bed.session(&host).await, bed.session(&host).await);
    let mut watcher = Watcher::new(&host, deleted, 0).await;
    prompt(&host, deleted, "say one").await;
    watcher.until_status(Status::Idle).await;
    prompt(&host, kept, "say two").await;
    let mut other = Watcher::new(&host, kept, 0).await;
    other.until_status(Status::Idle).await;
    let (_, cli) = bed.pids(deleted);
    // As if the daemon had died before it came to the files.
    host.store().delete(deleted, "Ada").await.unwrap();
    drop((watcher, other));
    host.close().await;
    drop(host);
    assert!(runs_of(&bed, deleted).exists());

    let host = bed.host().await;
    host.close().await;
    assert!(!runs_of(&bed, deleted).exists());
    assert!(!std::path::Path::new(&format!("/proc/{cli}/exe")).exists());
    assert!(runs_of(&bed, kept).exists());
}

/// A session that has run and was stopped; gives the directory of its run.
async fn stopped_run(bed: &Bed, host: &Host) -> std::path::PathBuf {
    let session = bed.session(host).await;
    let mut watcher = Watcher::new(host, session, 0).await;
    prompt(host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    host.command(session, pilothouse_session::Command::Stop).await.unwrap();
    watcher.until_status(Status::Ended).await;
    bed.runs(session).remove(0).dir
}

fn is_packed(run: &std::path::Path) -> bool {
    !run.join(FILE).exists() && Log::open(run).is_ok_and(|mut log| log.exit().is_ok())
}

/// However soon a host closes: nobody holds what has ended in it, and nobody else packs the log at
/// the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_of_a_run_that_has_ended_is_packed_when_the_host_has_closed() {
    let bed = Bed::new();
    for hold in [true, false, true, false] {
        let mut options = bed.options("");
        options.hold = hold;
        let host = Host::open(options).await.unwrap();
        let run = stopped_run(&bed, &host).await;
        host.close().await;
        assert!(is_packed(&run), "hold: {hold}");
        assert_ne!(look(&run).unwrap(), Some(RunState::Live), "hold: {hold}");
    }
}

/// The next host may be of another version: what this one has read it need not read again.
#[tokio::test]
async fn a_host_that_closes_stores_where_its_sessions_stand() {
    let bed = Bed::new();
    let host = bed.host().await;
    let session = bed.session(&host).await;
    let mut watcher = Watcher::new(&host, session, 0).await;
    prompt(&host, session, "say one").await;
    watcher.until_status(Status::Idle).await;
    host.close().await;
    let stored = host.store().load(session).unwrap().unwrap();
    assert_eq!(stored.seq, host.store().last_seq(session).unwrap(), "all that was told");
}

#[tokio::test]
async fn what_a_killed_host_has_not_packed_the_next_one_packs() {
    let bed = Bed::new();
    let host = bed.host().await;
    let run = stopped_run(&bed, &host).await;
    host.close().await;
    drop(host);
    let mut log = Log::open(&run).unwrap();
    let end = usize::try_from(log.end().unwrap()).unwrap();
    let plain = log.range(0, end).unwrap();
    std::fs::write(run.join(FILE), &plain).unwrap();
    std::fs::remove_file(run.join(ARCHIVE)).unwrap();
    std::fs::write(run.join(format!("{ARCHIVE}.new")), "half").unwrap();

    let host = bed.host().await;
    let packed = async {
        while !is_packed(&run) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, packed).await.unwrap();
    host.close().await;
}

/// A run that a prompt starts while its session is deleted would be left to itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_is_spoken_to_while_it_is_deleted_leaves_no_process() {
    let bed = Bed::new();
    let host = bed.host().await;
    for _ in 0..5 {
        let session = bed.session(&host).await;
        prompt(&host, session, "say one").await;
        let talker = tokio::spawn({
            let host = host.clone();
            async move {
                while host.prompt(session, super::bed::say("#script\nsay x\n#end")).await.is_ok() {}
            }
        });
        host.delete(session, "Ada").await.unwrap();
        talker.await.unwrap();
        assert!(!runs_of(&bed, session).exists());
        assert_eq!(marked(session), None);
    }
    host.close().await;
}

/// A process of this session.
fn marked(session: SessionId) -> Option<String> {
    let name = session.to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let mut lines = lines.map(|line| String::from_utf8_lossy(&line).into_owned());
    lines.find(|line| line.contains(&name))
}
