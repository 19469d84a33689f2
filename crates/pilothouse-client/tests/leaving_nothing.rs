//! No process is left behind: not by a stop, not by a drop, not when the host is killed.
//!
//! The CLI here is a shell script that does what the worst CLI could: it ignores the end of its
//! stdin and SIGTERM, and starts a process in a session of its own.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use pilothouse_client::wire::invocation::Invocation;
use pilothouse_client::{Cli, Client, Options, StopLadder};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};

/// The variable that makes this test binary act as the host that is killed.
const HOST: &str = "LEAVING_NOTHING_HOST";

/// More than any ladder takes.
const PATIENCE: Duration = Duration::from_secs(30);

const SCRIPT: &str = r#"#!/bin/sh
trap '' TERM
read -r line
id=${line#*\"request_id\":\"}; id=${id%%\"*}
setsid sh -c 'echo $$ > "$1/stray"; exec sleep 1000' sh "$PIDS" &
sleep 1000 &
echo $! > "$PIDS/child"
echo $$ > "$PIDS/cli"
until [ -s "$PIDS/stray" ]; do :; done
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
while :; do wait; sleep 1000; done
"#;

struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let script = dir.path().join("claude");
        // Written by another process: a file that this one has open for writing while another
        // thread forks cannot be executed for a moment.
        let write = r#"printf %s "$1" > "$2" && chmod +x "$2""#;
        let mut shell = Command::new("/bin/sh");
        let status = shell.args(["-c", write, "sh", SCRIPT]).arg(&script).status();
        assert!(status.expect("sh runs").success());
        // A named pipe blocks its reader until there is a writer: no polling, no sleeping.
        let ready = dir.path().join("ready");
        mkfifoat(CWD, &ready, Mode::RWXU).expect("a named pipe");
        Self { dir }
    }

    /// Handles of everything the script has started.
    fn processes(&self) -> Vec<(&'static str, OwnedFd)> {
        let handle = |name| {
            let text = fs::read_to_string(self.dir.path().join(name)).expect("a pid was written");
            let pid = text.trim().parse().ok().and_then(Pid::from_raw).expect("a pid");
            (name, pidfd_open(pid, PidfdFlags::empty()).expect("it runs"))
        };
        vec![handle("cli"), handle("child"), handle("stray")]
    }
}

fn options(dir: &Path) -> Options {
    let invocation = Invocation::new().env_var("PIDS", dir);
    let mut options = Options::new(invocation).cli(Cli::At(dir.join("claude")));
    let moment = Duration::from_millis(200);
    options.stop_ladder = StopLadder { after_eof: moment, after_term: moment };
    options
}

/// Waits until every process has ended.
fn assert_all_end(processes: Vec<(&'static str, OwnedFd)>) {
    for (name, handle) in processes {
        let mut ended = [PollFd::new(&handle, PollFlags::IN)];
        let patience = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
        let count = poll(&mut ended, Some(&patience)).expect("poll works");
        assert_eq!(count, 1, "{name} is still running");
    }
}

async fn start(scene: &Scene) -> (Client, Vec<(&'static str, OwnedFd)>) {
    let (client, _messages) = Client::start(options(scene.dir.path())).await.expect("it starts");
    (client, scene.processes())
}

#[tokio::test]
async fn a_stop_ends_everything() {
    let scene = Scene::new();
    let (client, processes) = start(&scene).await;
    let exit = client.stop().await;
    assert_eq!(exit.signal, Some(9), "it ignores everything else");
    assert_all_end(processes);
}

#[tokio::test]
async fn a_drop_ends_everything() {
    let scene = Scene::new();
    let (client, processes) = start(&scene).await;
    drop(client);
    tokio::task::spawn_blocking(move || assert_all_end(processes)).await.expect("all end");
}

#[tokio::test]
async fn a_cli_that_dies_takes_everything_along() {
    let scene = Scene::new();
    let (client, processes) = start(&scene).await;
    let pid = client.pid().and_then(|pid| Pid::from_raw(pid as i32)).expect("it has a pid");
    kill_process(pid, Signal::KILL).expect("it is killed");
    assert_eq!(client.wait().await.signal, Some(9));
    assert_all_end(processes);
}

#[test]
#[allow(clippy::disallowed_methods)] // starts a host, not a CLI
fn a_killed_host_takes_everything_along() {
    let scene = Scene::new();
    let mut host = Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "the_host_that_is_killed", "--nocapture"])
        .env(HOST, scene.dir.path())
        .stdout(Stdio::null())
        .stdin(Stdio::null())
        .spawn()
        .expect("the host starts");
    fs::read(scene.dir.path().join("ready")).expect("the host says that it is ready");
    let processes = scene.processes();
    host.kill().expect("SIGKILL");
    host.wait().expect("it is dead");
    assert_all_end(processes);
}

/// Not a test of its own: the host of the test above.
#[tokio::test]
async fn the_host_that_is_killed() {
    let Some(dir) = std::env::var_os(HOST).map(PathBuf::from) else { return };
    let (client, _messages) = Client::start(options(&dir)).await.expect("it starts");
    fs::write(dir.join("ready"), "ready").expect("written");
    client.wait().await;
}
