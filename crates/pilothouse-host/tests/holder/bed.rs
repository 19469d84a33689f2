//! A place for runs, which leaves no process behind.

use std::cell::RefCell;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pilothouse_host::holder::{HoldSpec, HolderProgram, Link, Started, Times, look, start};
use pilothouse_host::wirelog::{Located, Log, Record};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// More than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What a holder may ever have had, code included, in KiB. A debug build, whose code is larger, has
/// about 3 MiB, less than half of one its own; the rest is room for other kernels and C libraries.
const MOST_MEMORY: u64 = 4 * 1024;

pub(crate) struct Bed {
    home: tempfile::TempDir,
    runs: RefCell<Vec<(String, OwnedFd)>>,
}

/// A started run.
pub(crate) struct Run {
    pub(crate) dir: PathBuf,
    pub(crate) started: Started,
}

pub(crate) fn program() -> HolderProgram {
    HolderProgram { exe: env!("CARGO_BIN_EXE_pilothouse-daemon-hold").into(), args: Vec::new() }
}

/// Times that a test does not reach, but for the ladder.
pub(crate) fn times() -> Times {
    let moment = Duration::from_millis(200);
    Times { after_eof: moment, after_term: moment, linger: PATIENCE * 10, alone: PATIENCE * 10 }
}

impl Bed {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        Self { home, runs: RefCell::default() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn runs(&self) -> PathBuf {
        let runs = self.path().join("runs");
        std::fs::create_dir_all(&runs).expect("a directory");
        runs
    }

    /// A named pipe: who opens it waits for who opens the other end.
    pub(crate) fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        mkfifoat(CWD, &path, Mode::RWXU).expect("a named pipe");
        path
    }

    pub(crate) fn spec(&self, script: &str) -> HoldSpec {
        let run = uuid::Uuid::new_v4().to_string();
        let mut spec = HoldSpec::new(run, "/bin/sh", self.path()).args(["-c", script]);
        spec.times = times();
        spec
    }

    pub(crate) fn start(&self, spec: &HoldSpec) -> Run {
        self.start_in(&self.runs(), spec)
    }

    pub(crate) fn start_in(&self, runs: &Path, spec: &HoldSpec) -> Run {
        let dir = runs.join(&spec.run);
        let started = start(&program(), &dir, spec).expect("a holder starts");
        self.runs.borrow_mut().push((spec.run.clone(), handle(started.holder)));
        Run { dir, started }
    }

    /// A run that another process has started.
    pub(crate) fn adopt(&self, dir: PathBuf, started: Started) -> Run {
        let run = dir.file_name().expect("a name").to_string_lossy().into_owned();
        self.runs.borrow_mut().push((run, handle(started.holder)));
        Run { dir, started }
    }

    pub(crate) fn sh(&self, script: &str) -> Run {
        self.start(&self.spec(script))
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        for (run, holder) in self.runs.borrow_mut().drain(..) {
            let _ = pidfd_send_signal(&holder, Signal::KILL);
            pilothouse_client::mark::end_marked(&run);
        }
    }
}

impl Run {
    pub(crate) fn attach(&self, offset: u64) -> Link {
        let link = Link::attach(&self.dir, offset).expect("a holder answers");
        link.set_patience(PATIENCE).expect("a socket");
        link
    }

    /// Everything in the log, from its file.
    pub(crate) fn log(&self) -> Vec<Record> {
        let records = Log::open(&self.dir).expect("a log").records(0);
        records.map(|found| found.expect("a readable log").record).collect()
    }

    pub(crate) fn kill_holder(&self) {
        kill(self.started.holder);
        assert_ends(handle_of(self.started.holder));
    }

    /// The holder's memory was always small.
    pub(crate) fn assert_small(&self) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.started.holder));
        let status = status.expect("it lives");
        let kib = |name: &str| -> u64 {
            let line = status.lines().find(|line| line.starts_with(name)).expect("a field");
            line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).expect("a number")
        };
        let (own, most) = (kib("RssAnon:"), kib("VmHWM:"));
        assert!(own <= 1024 && most <= MOST_MEMORY, "{own} KiB of its own, at most {most} KiB");
    }

    pub(crate) fn is_live(&self) -> bool {
        look(&self.dir).expect("a run").expect("a run") == pilothouse_host::holder::RunState::Live
    }
}

/// Reads until a record that the test wants; gives all of them.
pub(crate) fn until(link: &mut Link, last: impl Fn(&Record) -> bool) -> Vec<Located> {
    let mut all = Vec::new();
    loop {
        let found = link.next_record().expect("a record comes").expect("the holder stays");
        let over = last(&found.record);
        all.push(found);
        if over {
            return all;
        }
    }
}

pub(crate) fn is_exit(record: &Record) -> bool {
    matches!(record, Record::Exited { .. })
}

pub(crate) fn is_out(text: &str) -> impl Fn(&Record) -> bool {
    move |record| matches!(record, Record::Out { line, .. } if line == text)
}

/// The lines of stdout.
pub(crate) fn outs<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<String> {
    let text = |record: &Record| match record {
        Record::Out { line, .. } => Some(String::from_utf8_lossy(line).into_owned()),
        _ => None,
    };
    records.into_iter().filter_map(text).collect()
}

/// The numbers of the lines that were written to stdin.
pub(crate) fn ins<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u64> {
    let number = |record: &Record| match record {
        Record::In { number, .. } => Some(*number),
        _ => None,
    };
    records.into_iter().filter_map(number).collect()
}

pub(crate) fn plain(found: &[Located]) -> Vec<Record> {
    found.iter().map(|found| found.record.clone()).collect()
}

pub(crate) fn pid(pid: u32) -> Pid {
    i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a pid")
}

pub(crate) fn handle(number: u32) -> OwnedFd {
    pidfd_open(pid(number), PidfdFlags::empty()).expect("it runs")
}

/// Nothing if it has ended already.
pub(crate) fn handle_of(number: u32) -> Option<OwnedFd> {
    pidfd_open(pid(number), PidfdFlags::empty()).ok()
}

pub(crate) fn kill(number: u32) {
    kill_process(pid(number), Signal::KILL).expect("it can be killed");
}

/// Waits for the end of a process.
pub(crate) fn assert_ends(handle: impl Into<Option<OwnedFd>>) {
    let Some(handle) = handle.into() else { return };
    let timeout = Timespec { tv_sec: 60, tv_nsec: 0 };
    let mut fds = [PollFd::new(&handle, PollFlags::IN)];
    assert_eq!(poll(&mut fds, Some(&timeout)), Ok(1), "it still runs");
}
