//! A host with a data directory of its own and the simulated CLI, which leaves no process behind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_client::Cli;
use pilothouse_host::Host;
use pilothouse_host::holder::{FoundRun, HolderProgram, Times, find};
use pilothouse_host::host::{NewSession, Options, PromptRequest, Subscription, Update};
use pilothouse_session::Command;
use pilothouse_session::approval::Decision;
use pilothouse_session::command::Urgency;
use pilothouse_session::event::{Body, Event, OpenItem, Status};
use pilothouse_session::id::{ApprovalId, PromptId, SessionId};
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};

/// More than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The simulated CLI, built if it is not there.
pub(crate) fn sim() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let target = exe.ancestors().nth(2).unwrap();
    let sim = target.join(format!("sim{}", std::env::consts::EXE_SUFFIX));
    if !sim.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "-q", "-p", "testkit", "--bin", "sim"];
        let status = std::process::Command::new(cargo).args(build).status().unwrap();
        assert!(status.success(), "cannot build the simulated CLI");
    }
    sim
}

/// Where hosts live, one after the other.
pub(crate) struct Bed {
    pub(crate) dir: tempfile::TempDir,
}

impl Bed {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["work", "holds", "home"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        Self { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn options(&self, fault: &str) -> Options {
        let exe = env!("CARGO_BIN_EXE_pilothouse-daemon-hold").into();
        let holder = HolderProgram { exe, args: Vec::new() };
        let mut options = Options::new(self.path("data"), holder);
        options.cli = Cli::At(sim());
        options.clear_env = true;
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        options.env = vec![
            ("HOME".into(), text(self.path("home"))),
            ("PATH".into(), std::env::var("PATH").unwrap()),
            ("SIM_HOLD_DIR".into(), text(self.path("holds"))),
            ("SIM_FAULT".into(), fault.into()),
        ];
        options.browse = vec![self.path("work")];
        let moment = Duration::from_millis(300);
        options.times = Times {
            after_eof: moment,
            after_term: moment,
            linger: PATIENCE * 10,
            alone: PATIENCE * 10,
        };
        options
    }

    pub(crate) async fn host(&self) -> Host {
        Host::open(self.options("")).await.unwrap()
    }

    pub(crate) async fn faulty(&self, fault: &str) -> Host {
        Host::open(self.options(fault)).await.unwrap()
    }

    pub(crate) fn new_session(&self) -> NewSession {
        let cwd = self.path("work").to_string_lossy().into_owned();
        NewSession { cwd, ..NewSession::default() }
    }

    pub(crate) async fn session(&self, host: &Host) -> SessionId {
        host.create(self.new_session()).await.unwrap().id
    }

    /// Lets the simulated CLI go on.
    pub(crate) fn release(&self, name: &str) {
        std::fs::write(self.path("holds").join(name), "").unwrap();
    }

    pub(crate) async fn held(&self, name: &str) {
        let mark = self.path("holds").join(format!("{name}.held"));
        let there = async {
            while !mark.exists() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(PATIENCE, there).await.unwrap();
    }

    pub(crate) fn runs(&self, session: SessionId) -> Vec<FoundRun> {
        find(&self.path("data/runs").join(session.to_string())).unwrap()
    }

    /// The holder and the CLI of a session's live run.
    pub(crate) fn pids(&self, session: SessionId) -> (u32, u32) {
        let runs = self.runs(session);
        let live = runs.iter().find(|run| pid_file(&run.dir).is_some()).unwrap();
        pid_file(&live.dir).unwrap()
    }
}

pub(crate) fn pid_file(dir: &Path) -> Option<(u32, u32)> {
    if pilothouse_host::holder::look(dir).ok()?? != pilothouse_host::holder::RunState::Live {
        return None;
    }
    let text = std::fs::read_to_string(dir.join("pid")).ok()?;
    let (holder, cli) = text.trim().split_once(' ')?;
    Some((holder.parse().ok()?, cli.parse().ok()?))
}

/// No run is left behind, whatever becomes of a test.
#[cfg(unix)]
impl Drop for Bed {
    fn drop(&mut self) {
        let Ok(sessions) = std::fs::read_dir(self.path("data/runs")) else { return };
        for session in sessions.flatten() {
            for run in find(&session.path()).unwrap_or_default() {
                end_holder(&run.dir);
                pilothouse_client::mark::end_marked(&run.run);
            }
        }
    }
}

/// Ends the holder of a run. One that is being started is not named yet; its daemon may have been
/// killed on it, so nobody else would end it.
#[cfg(unix)]
fn end_holder(dir: &Path) {
    use pilothouse_host::holder::{RunState, look};
    let deadline = std::time::Instant::now() + PATIENCE;
    while matches!(look(dir), Ok(Some(RunState::Live))) && std::time::Instant::now() < deadline {
        match pid_file(dir) {
            // The host that held it went with the test.
            Some((holder, _)) if holder == std::process::id() => return,
            Some((holder, _)) => return kill(holder),
            None => {}
        }
        std::thread::yield_now();
    }
}

#[cfg(unix)]
pub(crate) fn kill(pid: u32) {
    signal(pid, Signal::KILL);
}

/// It neither reads nor writes any more.
#[cfg(unix)]
pub(crate) fn stop(pid: u32) {
    signal(pid, Signal::STOP);
}

#[cfg(unix)]
fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let _ = kill_process(pid, signal);
}

pub(crate) fn script(lines: &str) -> String {
    format!("#script\n{lines}\n#end")
}

pub(crate) fn say(text: impl Into<String>) -> PromptRequest {
    let content = text.into().as_str().into();
    let files = Vec::new();
    PromptRequest { key: None, prompt: None, content, files, urgency: Urgency::Next }
}

pub(crate) async fn prompt(host: &Host, session: SessionId, lines: &str) -> PromptId {
    host.prompt(session, say(script(lines))).await.unwrap()
}

pub(crate) async fn decide(
    host: &Host,
    session: SessionId,
    approval: ApprovalId,
    decision: Decision,
) -> Result<(), pilothouse_host::HostError> {
    let (name, identity) = (Some("Ada".to_owned()), None);
    let command = Command::Decide { approval, decision, name, identity };
    host.command(session, command).await.map(drop)
}

pub(crate) fn allow() -> Decision {
    Decision::Allow { input: None, updates: Vec::new() }
}

/// One who watches a session.
pub(crate) struct Watcher {
    subscription: Subscription,
    pub(crate) events: Vec<Event>,
    /// Pieces of items, by what was shown.
    pub(crate) pieces: String,
}

impl Watcher {
    pub(crate) async fn new(host: &Host, session: SessionId, after: u64) -> Self {
        let subscription = host.watch(session, after).await.unwrap();
        Self { subscription, events: Vec::new(), pieces: String::new() }
    }

    pub(crate) async fn next(&mut self) -> Update {
        let next = self.subscription.next();
        let (_, update) = tokio::time::timeout(PATIENCE, next).await.expect("an update").unwrap();
        match &update {
            Update::Event(event) => {
                let event = event.read().unwrap();
                if let Some(last) = self.events.last() {
                    assert_eq!(event.seq, last.seq + 1, "no gap, nothing twice");
                }
                self.events.push(event);
            }
            Update::Delta(delta) => self.pieces.push_str(&delta.text),
            Update::Live { .. } | Update::Lagged => {}
        }
        update
    }

    /// Reads what is stored; gives what is half-written.
    pub(crate) async fn until_live(&mut self) -> Vec<OpenItem> {
        loop {
            if let Update::Live { open_items, .. } = self.next().await {
                return open_items;
            }
        }
    }

    /// Watches until such an event comes, and gives it.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Body) -> bool) -> Event {
        loop {
            if let Update::Event(_) = self.next().await
                && let Some(event) = self.events.last().filter(|event| wanted(&event.body))
            {
                return event.clone();
            }
        }
    }

    pub(crate) async fn until_status(&mut self, wanted: Status) {
        self.until(|body| matches!(body, Body::SessionStatus { status } if *status == wanted))
            .await;
    }

    pub(crate) async fn until_asked(&mut self) -> ApprovalId {
        let asked = self.until(|body| matches!(body, Body::ApprovalRequested { .. })).await;
        match asked.body {
            Body::ApprovalRequested { approval } => approval.approval,
            other => panic!("{other:?}"),
        }
    }

    /// The texts of the model.
    pub(crate) fn texts(&self) -> Vec<String> {
        let text = |event: &Event| match &event.body {
            Body::Message { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.events.iter().filter_map(text).collect()
    }

    pub(crate) fn count(&self, wanted: impl Fn(&Body) -> bool) -> usize {
        self.events.iter().filter(|event| wanted(&event.body)).count()
    }
}
