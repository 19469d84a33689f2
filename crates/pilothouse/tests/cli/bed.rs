//! A throw-away home, a simulated Claude, and the binary.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use pilothouse_host::holder::{RunState, find};
use rustix::process::{Pid, Signal, kill_process};

/// More than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const EXE: &str = env!("CARGO_BIN_EXE_pilothouse");

/// Where a test happens.
pub(crate) struct Bed {
    dir: tempfile::TempDir,
    port: u16,
}

impl Bed {
    /// Its daemons listen on any port that is free.
    pub(crate) fn new() -> Self {
        Self::listening(0)
    }

    /// Its daemons listen on this port.
    pub(crate) fn listening(port: u16) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["work", "holds", "home"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let bed = Self { dir, port };
        // Another process writes it: one that this test starts meanwhile must not have it open.
        let text = r#"printf '#!/bin/sh\nexec %s sim "$@"\n' "$1" > "$2" && chmod 755 "$2""#;
        let mut writing = Command::new("sh");
        writing.args(["-c", text, "sh", EXE]).arg(bed.path("claude"));
        assert!(writing.status().unwrap().success());
        bed
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path("home/.local/share/pilothouse")
    }

    /// The binary, with nothing of this machine's own around it.
    pub(crate) fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(EXE);
        command.args(args).current_dir(self.path("work")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path("home")).env("COLUMNS", "80");
        command.env("PILOTHOUSE_CLAUDE", self.path("claude"));
        command.env("PILOTHOUSE_SERVER_LISTEN", format!("127.0.0.1:{}", self.port));
        command.env("SIM_HOLD_DIR", self.path("holds"));
        command.stdin(Stdio::null());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Ran {
        Ran::of(&self.command(args).output().unwrap())
    }

    /// Runs it, and expects it to work.
    pub(crate) fn ok<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.out
    }

    /// Says something to a new session.
    pub(crate) fn say(&self, more: &[&str], lines: &str) -> Ran {
        let mut args = vec!["run"];
        args.extend(more);
        let script = script(lines);
        args.push(&script);
        self.run(args)
    }

    /// Starts it, and gives back how to wait for its end.
    pub(crate) fn start<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Child {
        let mut command = self.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Lets the simulated Claude go on.
    pub(crate) fn release(&self, name: &str) {
        std::fs::write(self.path("holds").join(name), "").unwrap();
    }

    /// Waits until the simulated Claude waits.
    pub(crate) fn held(&self, name: &str) {
        let mark = self.path("holds").join(format!("{name}.held"));
        until(|| mark.exists());
    }

    /// Waits until Claude has said something in the latest session. Prompts are in the log too, with
    /// a sign before them.
    pub(crate) fn said(&self, text: &str) {
        until(|| self.ok(["logs", "last"]).lines().any(|line| line == text));
    }

    /// The ids of all sessions, as they are listed.
    pub(crate) fn sessions(&self) -> Vec<serde_json::Value> {
        let listed = self.ok(["ls", "--json", "--all"]);
        listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// How many runs have a process.
    pub(crate) fn live_runs(&self) -> usize {
        let Ok(sessions) = std::fs::read_dir(self.data().join("runs")) else { return 0 };
        let runs = sessions.flatten().flat_map(|session| find(&session.path()).unwrap_or_default());
        runs.filter(|run| run.state == RunState::Live).count()
    }
}

/// Nothing is left behind, whatever becomes of a test.
impl Drop for Bed {
    fn drop(&mut self) {
        let _ = self.command(["down"]).output();
        let Ok(sessions) = std::fs::read_dir(self.data().join("runs")) else { return };
        for session in sessions.flatten() {
            for run in find(&session.path()).unwrap_or_default() {
                let pids = std::fs::read_to_string(run.dir.join("pid")).unwrap_or_default();
                let holder = pids.split_whitespace().next().and_then(|pid| pid.parse().ok());
                if let (RunState::Live, Some(holder)) = (run.state, holder) {
                    signal(holder, Signal::KILL);
                }
                pilothouse_client::mark::end_marked(&run.run);
            }
        }
    }
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn wait(child: Child) -> Self {
        Self::of(&child.wait_with_output().unwrap())
    }
}

/// A port that nobody has at the moment.
pub(crate) fn free_port() -> u16 {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    nobody.local_addr().unwrap().port()
}

pub(crate) fn script(lines: &str) -> String {
    format!("#script\n{lines}\n#end")
}

pub(crate) fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let _ = kill_process(pid, signal);
}

/// Waits for something that comes by itself.
pub(crate) fn until(mut come: impl FnMut() -> bool) {
    let late = Instant::now() + PATIENCE;
    while !come() {
        assert!(Instant::now() < late, "it did not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Runs a command with something on its stdin.
pub(crate) fn fed(mut command: Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may not read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    Ran::wait(child)
}

/// A recorded conversation.
pub(crate) fn transcript(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts/2.1.325");
    root.join(format!("{name}.jsonl"))
}
