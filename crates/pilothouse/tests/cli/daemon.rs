//! The daemon from outside.

use serde_json::Value;

use super::bed::{Bed, Ran, script};

#[test]
fn it_comes_and_goes() {
    let bed = Bed::new();
    let before = bed.run(["status"]);
    assert_eq!(before.code, Some(1), "{before:?}");
    let up = bed.ok(["up", "--no-open"]);
    assert!(up.contains("runs now at http://127.0.0.1:") && up.contains("/login#"), "{up}");
    assert!(bed.ok(["up", "--no-open"]).contains("runs already"));
    let told: Value = serde_json::from_str(&bed.ok(["status", "--json"])).unwrap();
    assert_eq!((&told["running"], &told["keeper"]), (&true.into(), &"daemon".into()));
    assert!(bed.ok(["login", "--name", "phone"]).contains("/login#"));
    assert!(bed.ok(["down"]).contains("has stopped"));
    assert!(bed.ok(["down"]).contains("No daemon runs"));
    let login = bed.run(["login"]);
    assert_eq!(login.code, Some(1), "{login:?}");
}

#[test]
fn a_second_one_is_told_of_the_first() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let second = bed.run(["serve"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.err.contains("pilothouse down"), "{second:?}");
}

#[test]
fn why_it_does_not_start_is_told() {
    let bed = Bed::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("server.listen={}", taken.local_addr().unwrap());
    let up = bed.run(["--set", &listen, "up", "--no-open"]);
    assert_eq!(up.code, Some(1), "{up:?}");
    assert!(up.err.contains("cannot listen on") && up.err.contains("daemon.log"), "{up:?}");
}

#[test]
fn a_turn_outlives_the_daemon_that_it_began_with() {
    let bed = Bed::new();
    bed.ok(["up", "--no-open"]);
    let child = bed.start(["run", "--json", &script("say first\nhold here\nmore , then the rest")]);
    bed.held("here");
    bed.ok(["down"]);
    bed.release("here");
    let ran = Ran::wait(child);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    check_numbers(&ran);
}

#[test]
fn a_turn_that_began_without_a_daemon_goes_on_with_one() {
    let bed = Bed::new();
    let child = bed.start(["run", "--json", &script("say first\nhold here\nmore , then the rest")]);
    bed.held("here");
    assert!(bed.ok(["up", "--no-open"]).contains("runs now"));
    bed.release("here");
    let ran = Ran::wait(child);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    check_numbers(&ran);
    assert!(bed.ok(["status"]).contains("1 sessions"));
}

fn check_numbers(ran: &Ran) {
    assert!(ran.out.contains("first, then the rest"), "{ran:?}");
    let numbers = ran.out.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["seq"].as_u64().unwrap()
    });
    let numbers: Vec<_> = numbers.collect();
    let expected: Vec<_> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expected, "no gap, nothing twice");
}

#[test]
fn two_without_a_daemon_share_one() {
    let bed = Bed::new();
    let first = bed.start(["run", "--quiet", &script("hold one\nsay first")]);
    bed.held("one");
    let second = bed.start(["run", "--quiet", &script("hold two\nsay second")]);
    bed.held("two");
    // The one that serves both ends first; the other goes on by itself.
    bed.release("one");
    assert_eq!(Ran::wait(first).out, "first\n");
    bed.release("two");
    let second = Ran::wait(second);
    assert_eq!((second.code, &*second.out), (Some(0), "second\n"), "{second:?}");
}

#[test]
fn the_doctor_finds_everything() {
    let bed = Bed::new();
    let report: Value = serde_json::from_str(&bed.ok(["doctor", "--json"])).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let state = |id: &str| {
        let check = checks.iter().find(|check| check["id"] == id);
        check.unwrap_or_else(|| panic!("no {id}: {report}"))["state"].clone()
    };
    for id in ["cli.found", "cli.version", "cli.handshake", "holder", "port", "unknown_messages"] {
        assert_eq!(state(id), "ok", "{id}: {report}");
    }
    let mut without = bed.command(["doctor"]);
    let without = Ran::of(&without.env("PILOTHOUSE_CLAUDE", "/nowhere").output().unwrap());
    assert_eq!(without.code, Some(3), "{without:?}");
    assert!(without.out.contains("FAIL") && without.out.contains("→ Install"), "{without:?}");
}

#[test]
fn the_doctor_counts_what_nobody_knows() {
    let bed = Bed::new();
    let mut command = bed.command(["run", "--quiet", &script("say strange")]);
    command.env("SIM_FAULT", "unknown-types").output().unwrap();
    let report: Value = serde_json::from_str(&bed.ok(["doctor", "--json"])).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let unknown = checks.iter().find(|check| check["id"] == "unknown_messages").unwrap();
    assert_eq!(unknown["state"], "warn", "{unknown}");
}

#[test]
fn the_configuration_says_where_it_comes_from() {
    let bed = Bed::new();
    let config = bed.ok(["--set", "log.filter=debug", "config"]);
    assert!(config.contains("filter = \"debug\" # --set log.filter"), "{config}");
    assert!(config.contains("# PILOTHOUSE_CLAUDE"), "{config}");
    assert_eq!(bed.ok(["config", "holder.enabled"]), "true\n");
}
