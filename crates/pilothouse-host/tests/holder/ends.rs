//! When holders end, how runs are found, and what cannot be started.

use std::time::Duration;

use pilothouse_host::holder::protocol::Command;
use pilothouse_host::holder::{HoldSpec, HolderProgram, Link, RunState, StartError, find, start};
use pilothouse_host::wirelog::{Exit, Record, compress};

use super::bed::{Bed, assert_ends, handle, handle_of, is_exit, is_out, outs, program, until};

const DONE: Exit = Exit { code: Some(0), signal: None };

#[test]
fn a_holder_ends_when_all_is_read_and_said() {
    let bed = Bed::new();
    let run = bed.sh("echo done");
    let holder = handle(run.started.holder);
    let mut link = run.attach(0);
    until(&mut link, is_exit);
    link.say(Command::Bye).expect("said");
    assert_ends(holder);
    assert!(!run.dir.join("sock").exists());
    assert!(!run.is_live());
    assert!(Link::attach(&run.dir, 0).is_err());
}

#[test]
fn a_holder_ends_when_the_daemon_leaves_after_the_end() {
    let bed = Bed::new();
    let run = bed.sh("echo done");
    let holder = handle(run.started.holder);
    let mut link = run.attach(0);
    until(&mut link, is_exit);
    drop(link);
    assert_ends(holder);
}

#[test]
fn a_daemon_that_says_goodbye_early_only_detaches() {
    let bed = Bed::new();
    let run = bed.sh("exec cat");
    let mut link = run.attach(0);
    link.say(Command::Bye).expect("said");
    while link.next_record().expect("the end of the connection").is_some() {}
    let mut link = run.attach(0);
    link.send(1, b"still here").expect("sent");
    until(&mut link, is_out("still here"));
    link.say(Command::Detach).expect("said");
    while link.next_record().expect("the end of the connection").is_some() {}
    run.attach(0);
}

#[test]
fn a_holder_waits_for_a_daemon_only_so_long() {
    let bed = Bed::new();
    let mut spec = bed.spec("echo done");
    spec.times.linger = Duration::from_millis(100);
    let run = bed.start(&spec);
    assert_ends(handle_of(run.started.holder));
    assert!(matches!(run.log().last(), Some(Record::Exited { exit: DONE, .. })));
}

#[test]
fn a_cli_without_a_daemon_works_on() {
    let bed = Bed::new();
    // More than a pipe holds.
    let mut spec = bed.spec("seq 1 300000; echo trouble >&2");
    spec.times.linger = Duration::ZERO;
    let run = bed.start(&spec);
    assert_ends(handle_of(run.started.holder));
    let log = run.log();
    assert_eq!(outs(&log).len(), 300_000);
    assert!(matches!(log.last(), Some(Record::Exited { exit: DONE, .. })));
}

#[test]
fn a_silent_cli_without_a_daemon_is_stopped() {
    let bed = Bed::new();
    let mut spec = bed.spec("trap '' TERM; while :; do sleep 1000; done");
    spec.times.alone = Duration::from_millis(100);
    spec.times.linger = Duration::from_millis(100);
    let run = bed.start(&spec);
    assert_ends(handle_of(run.started.holder));
    let log = run.log();
    assert!(matches!(log.last(), Some(Record::Exited { exit, .. }) if exit.signal == Some(9)));
    assert!(
        log.iter()
            .any(|it| matches!(it, Record::Note { text, .. } if text.starts_with(b"no daemon")))
    );
}

#[test]
fn runs_are_found_as_what_they_are() {
    let bed = Bed::new();
    let mut runs = ["exec cat", "exec cat", "exit 4", "exit 5"].map(|script| bed.sh(script));
    runs[1].kill_holder();
    for run in &runs[2..] {
        let holder = handle(run.started.holder);
        until(&mut run.attach(0), is_exit);
        assert_ends(holder);
    }
    compress(&runs[3].dir).expect("it has ended");
    std::fs::create_dir(bed.runs().join("not-a-run")).expect("a directory");
    std::fs::write(bed.runs().join("a-file"), "").expect("a file");
    let found = find(&bed.runs()).expect("a directory");
    runs.sort_by(|a, b| a.dir.cmp(&b.dir));
    assert_eq!(
        found.iter().map(|it| &it.dir).collect::<Vec<_>>(),
        runs.iter().map(|it| &it.dir).collect::<Vec<_>>()
    );
    let mut states: Vec<_> = found.iter().map(|found| found.state).collect();
    states.sort_by_key(|state| format!("{state:?}"));
    let ended = |code| RunState::Ended(Exit { code: Some(code), signal: None });
    assert_eq!(states, [RunState::Dead, ended(4), ended(5), RunState::Live]);
    assert_eq!(find(&bed.path().join("nowhere")).expect("no runs"), []);
}

#[test]
fn what_cannot_be_started_says_why_and_leaves_nothing() {
    let bed = Bed::new();
    let dir = bed.runs().join("run");
    let try_it = |spec: &HoldSpec| start(&program(), &dir, spec).expect_err("it cannot start");
    let error = try_it(&HoldSpec::new("r", "/no/such/claude", bed.path()));
    assert!(matches!(&error, StartError::NoCli(exe) if exe == "/no/such/claude"), "{error}");
    let error = try_it(&HoldSpec::new("r", "/bin/sh", bed.path().join("gone")));
    assert!(matches!(&error, StartError::NoDirectory(_)), "{error}");
    let error = try_it(&HoldSpec::new("r", "/bin/sh", "some/where"));
    assert!(matches!(&error, StartError::Relative(_)), "{error}");
    let error = try_it(&HoldSpec::new("r", "/etc/passwd", bed.path()));
    assert!(matches!(&error, StartError::Other(_)), "{error}");
    let nothing = HolderProgram { exe: "/no/such/holder".into(), args: Vec::new() };
    let spec = bed.spec("exec cat");
    let error = start(&nothing, &dir, &spec).expect_err("it cannot start");
    assert!(matches!(&error, StartError::NoHolder { .. }), "{error}");
    let silent = HolderProgram { exe: "/bin/true".into(), args: Vec::new() };
    let error = start(&silent, &dir, &spec).expect_err("it cannot start");
    assert!(matches!(&error, StartError::NoAnswer(_)), "{error}");
    assert!(!dir.exists());
    assert_eq!(find(&bed.runs()).expect("a directory"), []);

    let run = bed.start(&spec);
    let error = start(&program(), &run.dir, &spec).expect_err("it is there");
    assert!(matches!(&error, StartError::Exists(_)), "{error}");
    assert!(run.is_live());
}

#[test]
fn secrets_are_on_no_command_line_and_in_no_file() {
    let bed = Bed::new();
    let spec = bed.spec(r#"echo "${#SECRET}"; exec cat"#).env("SECRET", "s3cret-value");
    let run = bed.start(&spec);
    until(&mut run.attach(0), is_out("12"));
    let holder = run.started.holder;
    for what in ["cmdline", "environ"] {
        let text = std::fs::read(format!("/proc/{holder}/{what}")).expect("it lives");
        assert!(!String::from_utf8_lossy(&text).contains("s3cret"), "{what}");
    }
    for file in ["pid", "wire.log"] {
        let text = std::fs::read_to_string(run.dir.join(file)).expect("a file");
        assert!(!text.contains("s3cret"), "{file}");
    }
}
