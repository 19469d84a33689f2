//! Daemons that cannot be talked to, and those that must not be.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use rustix::process::Signal;

use super::bed::{Bed, Ran, script, signal, until};
use super::gate::Gate;

/// Something that has a bed's directory, and does not answer.
struct Silent {
    listener: TcpListener,
    _lock: File,
}

impl Silent {
    fn at(bed: &Bed, more: &Value) -> Self {
        std::fs::create_dir_all(bed.data()).unwrap();
        let lock = File::create(bed.data().join("lock")).unwrap();
        flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut beacon = json!({
            "keeper": "daemon", "pid": std::process::id(), "tls": false, "version": "0.1.0",
            "addresses": [listener.local_addr().unwrap()],
        });
        for (name, value) in more.as_object().unwrap() {
            beacon[name] = value.clone();
        }
        std::fs::write(bed.data().join("daemon.json"), beacon.to_string()).unwrap();
        Self { listener, _lock: lock }
    }
}

#[test]
fn a_daemon_that_does_not_answer_is_told_of() {
    let bed = Bed::new();
    // Connections are accepted by the system; nobody ever reads them.
    let _silent = Silent::at(&bed, &json!({}));
    let commands: [&[&str]; 8] = [
        &["status"],
        &["down"],
        &["up", "--no-open"],
        &["serve"],
        &["login"],
        &["ls"],
        &["run", "hello"],
        &["doctor"],
    ];
    let running = commands.map(|args| (args, bed.start(args)));
    for (args, mut child) in running {
        until(|| child.try_wait().unwrap().is_some());
        let ran = Ran::wait(child);
        assert_eq!(ran.code, Some(1), "{args:?}: {ran:?}");
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("does not answer") && told.contains("lsof"), "{args:?}: {ran:?}");
    }
}

#[test]
fn the_token_is_not_sent_in_the_clear_to_who_should_speak_tls() {
    let bed = Bed::new();
    let silent = Silent::at(&bed, &json!({ "tls": true }));
    for args in [&["status"][..], &["down"], &["ls"]] {
        let ran = bed.run(args);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.err.contains("certificate"), "{ran:?}");
    }
    silent.listener.set_nonblocking(true).unwrap();
    let nobody = silent.listener.accept().unwrap_err();
    assert_eq!(nobody.kind(), ErrorKind::WouldBlock);
}

#[test]
fn a_turn_goes_on_when_everybody_is_logged_out() {
    let bed = Bed::new();
    let mut child = bed.start(["run", "--quiet", &script("hold here\nsay done")]);
    bed.held("here");
    // It serves itself, and its own token is no longer good.
    let listens_at = || -> Option<String> {
        let beacon = std::fs::read(bed.data().join("daemon.json")).ok()?;
        let beacon: Value = serde_json::from_slice(&beacon).ok()?;
        Some(beacon["addresses"][0].as_str()?.to_owned())
    };
    let address = listens_at().unwrap();
    let token = std::fs::read_to_string(bed.data().join("token")).unwrap();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(
        stream,
        "POST /api/v1/logout/everywhere HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Authorization: Bearer {}\r\nContent-Length: 0\r\n\r\n",
        token.trim()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    // Its stream has ended; it serves itself anew.
    until(|| listens_at().is_some_and(|now| now != address));
    bed.release("here");
    until(|| child.try_wait().unwrap().is_some());
    let ran = Ran::wait(child);
    assert_eq!((ran.code, &*ran.out), (Some(0), "done\n"), "{ran:?}");
}

#[test]
fn telemetry_that_is_meant_for_claude_code_stops_nothing() {
    let bed = Bed::new();
    let with = |args: &[&str]| {
        let mut command = bed.command(args);
        command.env("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example.org:4317");
        command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        Ran::of(&command.output().unwrap())
    };
    for args in [&["ls"][..], &["run", "--quiet", "hello"], &["up", "--no-open"]] {
        let ran = with(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
    }
    let log = std::fs::read_to_string(bed.data().join("daemon.log")).unwrap();
    assert!(log.contains("OTEL_EXPORTER_OTLP_PROTOCOL"), "{log}");
    bed.ok(["down"]);
    // What somebody has set up for Pilothouse itself is another matter.
    let ran = bed.run(["--set", "telemetry.otlp_endpoint=https://collector.example.org", "ls"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
}

/// Interrupts a command that waits for what a gate keeps; gives what came of it.
fn interrupted(bed: &Bed, keeps: fn(&str) -> bool, args: &[&str]) -> Ran {
    let gate = Gate::before(bed, keeps);
    let mut child = bed.start(args);
    gate.keeps();
    signal(child.id(), Signal::INT);
    // A daemon that says nothing is waited for much longer.
    until(|| child.try_wait().unwrap().is_some());
    Ran::wait(child)
}

#[test]
fn who_looks_is_not_kept_by_a_daemon_that_does_not_answer() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    bed.say(&["--quiet"], "say done");
    let every: [fn(&str) -> bool; 3] = [
        |asked| asked == "GET /api/v1/version",
        |asked| asked.starts_with("GET /api/v1/sessions?"),
        |asked| asked.starts_with("GET /api/v1/sessions/"),
    ];
    for (place, keeps) in every.into_iter().enumerate() {
        for args in [&["attach", "last"][..], &["logs", "last"], &["logs", "last", "--raw"]] {
            let ran = interrupted(&bed, keeps, args);
            assert_eq!(ran.code, Some(130), "{place} {args:?}: {ran:?}");
        }
    }
}

#[test]
fn a_turn_that_has_ended_is_not_kept_by_a_daemon_that_does_not_answer() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let is_stop = |asked: &str| asked.starts_with("POST ") && asked.ends_with("/stop");
    let ran = interrupted(&bed, is_stop, &["run", "--quiet", &script("say done")]);
    assert_eq!((ran.code, &*ran.out), (Some(0), "done\n"), "{ran:?}");
}
