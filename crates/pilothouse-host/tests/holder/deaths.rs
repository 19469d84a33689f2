//! Every process dies at some time, and leaves no other behind.

use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use pilothouse_host::holder::protocol::Command;
use pilothouse_host::holder::{HoldSpec, Link, RunState, Started, look, start, stop};
use pilothouse_host::wirelog::{Closed, Exit, Log, Record};
use rustix::process::{Signal, kill_process_group};

use super::bed::{
    Bed, Run, assert_ends, handle, is_exit, is_out, kill, outs, pid, plain, program, until,
};

/// Ignores SIGTERM and the end of stdin, and has a child and a stray in a session of its own. Says
/// their pids.
const STUBBORN: &str = r#"trap '' TERM
setsid sh -c 'echo "stray $$"; exec sleep 1000' &
sleep 1000 &
echo "child $!"
while :; do wait; sleep 1000; done"#;

/// Handles of the CLI, its child and the stray.
fn all_of(run: &Run) -> Vec<OwnedFd> {
    let mut link = run.attach(0);
    let mut handles = vec![handle(run.started.cli)];
    while handles.len() < 3 {
        let found = link.next_record().expect("a record").expect("the holder stays");
        for line in outs([&found.record]) {
            let (_, pid) = line.split_once(' ').expect("a name and a pid");
            handles.push(handle(pid.parse().expect("a pid")));
        }
    }
    handles
}

#[test]
fn stopping_a_stubborn_cli_leaves_nothing() {
    let bed = Bed::new();
    let run = bed.sh(STUBBORN);
    let processes = all_of(&run);
    let mut link = run.attach(0);
    link.say(Command::Stop { grace: Duration::from_millis(50) }).expect("said");
    let seen = plain(&until(&mut link, is_exit));
    assert!(seen.iter().any(|it| matches!(it, Record::InClosed { why: Closed::Stop, .. })));
    let exit = Exit { code: None, signal: Some(9) };
    assert!(matches!(seen.last(), Some(Record::Exited { exit: last, .. }) if *last == exit));
    processes.into_iter().for_each(assert_ends);
}

#[test]
fn a_polite_cli_is_not_signalled() {
    let bed = Bed::new();
    let run = bed.sh("trap 'echo term' TERM; cat; echo flushed; exit 7");
    let mut link = run.attach(0);
    link.send(1, b"last words").expect("sent");
    link.say(Command::Stop { grace: Duration::from_secs(50) }).expect("said");
    let seen = plain(&until(&mut link, is_exit));
    assert_eq!(outs(&seen), ["last words", "flushed"], "what was sent is written before the end");
    let exit = Exit { code: Some(7), signal: None };
    assert!(matches!(seen.last(), Some(Record::Exited { exit: last, .. }) if *last == exit));
}

#[test]
fn a_cli_that_ends_leaves_no_stray() {
    let bed = Bed::new();
    let script = STUBBORN.replace("while :; do wait; sleep 1000; done", "cat");
    let run = bed.sh(&script);
    let processes = all_of(&run);
    let mut link = run.attach(0);
    link.say(Command::Eof).expect("said");
    let seen = plain(&until(&mut link, is_exit));
    let exit = Exit { code: Some(0), signal: None };
    assert!(matches!(seen.last(), Some(Record::Exited { exit: last, .. }) if *last == exit));
    processes.into_iter().for_each(assert_ends);
}

#[test]
fn a_process_that_hides_and_keeps_the_pipe_delays_the_end_but_does_not_prevent_it() {
    let bed = Bed::new();
    // Without the mark nobody can find it. It has the pipes of the CLI.
    let run = bed.sh("env -i setsid sh -c 'echo hidden $$; exec sleep 1000' & read -r line");
    let mut link = run.attach(0);
    let seen = until(&mut link, |record| matches!(record, Record::Out { .. }));
    let line = outs(&plain(&seen)).pop().expect("a line");
    let hidden: u32 = line.split_once(' ').and_then(|it| it.1.parse().ok()).expect("a pid");
    link.say(Command::Eof).expect("said");
    until(&mut link, is_exit);
    kill(hidden);
}

#[test]
fn a_killed_cli_is_reported_with_its_signal() {
    let bed = Bed::new();
    let run = bed.sh("printf 'up\nhalf a li'; exec cat");
    let mut link = run.attach(0);
    until(&mut link, is_out("up"));
    kill(run.started.cli);
    let seen = plain(&until(&mut link, is_exit));
    assert_eq!(outs(&seen), ["half a li"]);
    let exit = Exit { code: None, signal: Some(9) };
    assert!(matches!(seen.last(), Some(Record::Exited { exit: last, .. }) if *last == exit));
}

/// The variable that makes this test act as the daemon that is killed; it has the run's directory.
const DAEMON: &str = "HOLDER_TEST_DAEMON";

#[test]
#[allow(clippy::disallowed_methods)]
fn a_killed_daemon_is_not_missed() {
    if let Some(dir) = std::env::var_os(DAEMON) {
        daemon(dir.as_ref());
    }
    let bed = Bed::new();
    let dir = bed.runs().join("run-of-a-killed-daemon");
    let mut daemon = std::process::Command::new(std::env::current_exe().expect("a path"));
    daemon.args(["--exact", "deaths::a_killed_daemon_is_not_missed", "--nocapture"]);
    daemon.env(DAEMON, &dir).stdout(Stdio::piped()).process_group(0);
    let mut daemon = daemon.spawn().expect("it starts");
    let lines = BufReader::new(daemon.stdout.take().expect("a pipe")).lines();
    let pids = lines.map(|line| line.expect("a line")).find_map(|line| {
        let (holder, cli) = line.split_once("started ")?.1.split_once(' ')?;
        Some((holder.parse().ok()?, cli.parse().ok()?))
    });
    let (holder, cli) = pids.expect("it says what it has started");
    let run = bed.adopt(dir, Started { holder, cli });
    // With everyone in its group, as a terminal would.
    kill_process_group(pid(daemon.id()), Signal::KILL).expect("it can be killed");
    daemon.wait().expect("it ends");

    let mut link = run.attach(0);
    assert_eq!(link.greeting().accepted, 1);
    link.send(2, b"next").expect("sent");
    let seen = plain(&until(&mut link, is_out("next")));
    assert_eq!(outs(&seen), ["first", "next"]);
}

/// Starts a run, sends a line, and waits to be killed.
fn daemon(dir: &Path) -> ! {
    let home = dir.parent().expect("a parent");
    let name = dir.file_name().expect("a name").to_string_lossy();
    let spec = HoldSpec::new(name, "/bin/cat", home);
    let started = start(&program(), dir, &spec).expect("a holder starts");
    let mut link = Link::attach(dir, 0).expect("it answers");
    link.send(1, b"first").expect("sent");
    until(&mut link, is_out("first"));
    println!("\nstarted {} {}", started.holder, started.cli);
    let _ = link.next_record();
    panic!("nobody has killed this");
}

#[test]
fn a_killed_holder_takes_its_cli_along_and_leaves_a_log() {
    let bed = Bed::new();
    let run = bed.sh(STUBBORN);
    let processes = all_of(&run);
    assert_eq!(look(&run.dir).expect("a run"), Some(RunState::Live));
    run.kill_holder();
    assert_eq!(look(&run.dir).expect("a run"), Some(RunState::Dead));
    processes.into_iter().for_each(assert_ends);
    let log = run.log();
    assert!(matches!(log[0], Record::Started { .. }));
    assert_eq!(outs(&log).len(), 2);
    assert!(stop(&run.dir, Duration::ZERO).is_err(), "nobody is there");
}

#[test]
fn a_holder_killed_in_the_middle_of_a_flood_leaves_whole_records() {
    let bed = Bed::new();
    for run in 0..5 {
        let run = {
            let script = "i=0; while :; do i=$((i+1)); echo $i; done";
            let started = bed.sh(script);
            let mut link = started.attach(0);
            until(&mut link, is_out(&(run * 700 + 1).to_string()));
            started
        };
        let cli = handle(run.started.cli);
        run.kill_holder();
        assert_ends(cli);
        let lines = outs(&run.log());
        let expected: Vec<_> = (1..=lines.len()).map(|n| n.to_string()).collect();
        assert_eq!(lines, expected);
    }
}

#[test]
fn a_torn_tail_is_dropped() {
    use std::io::Write;
    let bed = Bed::new();
    let run = bed.sh("echo up; exec cat");
    let mut link = run.attach(0);
    let end = until(&mut link, is_out("up")).last().expect("some").end;
    run.kill_holder();
    // As a holder leaves it that was killed while it wrote.
    let mut log =
        std::fs::OpenOptions::new().append(true).open(run.dir.join("wire.log")).expect("it");
    log.write_all(b"x 1700000000000 0 ").expect("written");
    let mut reader = Log::open(&run.dir).expect("a log").records(0);
    let records = reader.by_ref().map(|found| found.expect("readable").record).collect::<Vec<_>>();
    assert_eq!(outs(&records), ["up"]);
    assert!(!records.iter().any(is_exit));
    assert_eq!((reader.offset(), reader.torn()), (end, 18));
    assert_eq!(look(&run.dir).expect("a run"), Some(RunState::Dead));
}
