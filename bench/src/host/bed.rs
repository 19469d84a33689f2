//! Where a daemon lives for one measurement. No process outlives it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use pilothouse_client::Cli;
use pilothouse_host::Host;
use pilothouse_host::holder::{FoundRun, HolderProgram, RunState, find, stop};
use pilothouse_host::host::{NewSession, Options};
use pilothouse_session::id::SessionId;

use super::Outcome;
use super::process::runs;

/// A directory for a daemon, and our programs.
#[derive(Debug)]
pub struct Bed {
    dir: tempfile::TempDir,
    programs: PathBuf,
}

/// A daemon that runs. It is killed when it goes.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    /// Where it listens.
    pub address: String,
    /// What it wants to see.
    pub token: String,
    /// When it was started.
    pub started_at: Instant,
}

/// Speaks for all generators. It is killed when it goes.
#[derive(Debug)]
pub struct Speaker(Child);

impl Drop for Speaker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How a daemon sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// As everywhere: pieces are gathered for a frame. Every message says how long that was.
    Framed,
    /// Everything at once.
    AtOnce,
}

impl Bed {
    /// A new one. Its files are on a disk, as a daemon's are: `/tmp` may be memory.
    pub fn new(programs: &Path) -> Outcome<Self> {
        let dir = tempfile::Builder::new().prefix("host-bench").tempdir_in(programs)?;
        std::fs::create_dir(dir.path().join("work"))?;
        Ok(Self { dir, programs: programs.to_owned() })
    }

    /// Where the daemon keeps everything.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// One of our programs.
    #[must_use]
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// A place for anything.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Starts a speaker for the generators to come.
    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    pub fn speaker(&self) -> Outcome<Speaker> {
        let mut command = Command::new(self.program("generator"));
        command.arg("--speak").arg(self.path("work")).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut ready = [0];
        child.stdout.take().ok_or("the speaker has no stdout")?.read_exact(&mut ready)?;
        Ok(Speaker(child))
    }

    /// Creates sessions, while no daemon runs.
    pub async fn sessions(&self, count: usize) -> Outcome<Vec<SessionId>> {
        let holder =
            HolderProgram { exe: self.program("pilothouse-daemon-hold"), args: Vec::new() };
        let mut options = Options::new(self.data(), holder);
        options.cli = Cli::At(self.program("generator"));
        let host = Host::open(options).await?;
        let cwd = self.path("work").to_string_lossy().into_owned();
        let mut ids = Vec::with_capacity(count);
        for _ in 0..count {
            let new = NewSession { cwd: cwd.clone(), ..NewSession::default() };
            ids.push(host.create(new).await?.id);
        }
        host.close().await;
        Ok(ids)
    }

    /// Starts the daemon as it is, and waits until it listens.
    pub fn daemon(&self) -> Outcome<Daemon> {
        let mut command = Command::new(self.program("pilothouse-daemon"));
        command.arg(self.data()).arg(self.program("generator"));
        self.start(command)
    }

    /// Starts one that sends in a certain way.
    pub fn daemon_sending(&self, sending: Sending) -> Outcome<Daemon> {
        let mut command = Command::new(self.program("host-daemon"));
        command.arg(self.data()).arg(self.program("generator"));
        command.arg(match sending {
            Sending::Framed => "framed",
            Sending::AtOnce => "at-once",
        });
        self.start(command)
    }

    #[expect(clippy::disallowed_methods, reason = "this is not the CLI")]
    fn start(&self, mut command: Command) -> Outcome<Daemon> {
        let started_at = Instant::now();
        // Nothing of the person who measures: neither settings nor history.
        command.env("HOME", self.dir.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().ok_or("the daemon has no stdout")?;
        let mut daemon = Daemon { child, address: String::new(), token: String::new(), started_at };
        let mut first = String::new();
        BufReader::new(stdout).read_line(&mut first)?;
        let address = first.trim().strip_prefix("listening on ");
        daemon.address = address.ok_or("the daemon has not started")?.to_owned();
        let token = std::fs::read_to_string(self.data().join("token"))?;
        daemon.token = token.trim().to_owned();
        Ok(daemon)
    }

    /// Ends what a measurement that was broken off has left behind.
    #[expect(clippy::disallowed_methods, reason = "nothing tells when a foreign process has ended")]
    fn end_runs(&self) {
        let Ok(sessions) = std::fs::read_dir(self.data().join("runs")) else { return };
        let live: Vec<_> = sessions
            .flatten()
            .flat_map(|session| find(&session.path()).unwrap_or_default())
            .filter(|run| run.state == RunState::Live)
            .collect();
        // Asked first: whoever is killed wakes a guard that looks for what is left.
        let is_left = |run: &FoundRun| {
            let asked = stop(&run.dir, Duration::from_millis(500)).is_ok();
            (!asked).then(|| pilothouse_client::mark::end_marked(&run.run));
            asked
        };
        let asked: Vec<_> = live.into_iter().filter(is_left).collect();
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(5)
            && runs(&self.data()).iter().any(|(_, cli)| self.owns(*cli))
        {
            std::thread::sleep(Duration::from_millis(50));
        }
        // They wait for somebody to read their logs; here nobody comes.
        for (holder, _) in runs(&self.data()) {
            self.kill(holder);
        }
        asked.iter().for_each(|run| pilothouse_client::mark::end_marked(&run.run));
    }

    /// Whether a process works below this directory.
    fn owns(&self, pid: u32) -> bool {
        let cwd = std::fs::read_link(format!("/proc/{pid}/cwd"));
        cwd.is_ok_and(|cwd| cwd.starts_with(self.dir.path()))
    }

    fn kill(&self, pid: u32) {
        use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
        let Some(number) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
        // Open first, look after: the number cannot come to mean another process in between.
        let Ok(handle) = pidfd_open(number, PidfdFlags::empty()) else { return };
        if self.owns(pid) {
            let _ = pidfd_send_signal(&handle, Signal::KILL);
        }
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        self.end_runs();
    }
}

impl Daemon {
    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
