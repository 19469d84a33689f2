//! What the process ends with, and that it ends quietly where nobody reads.

use std::io::Read;

use rustix::process::Signal;

use super::bed::{Bed, Ran, fed, script, signal, until};

#[test]
fn a_turn_that_settles() {
    let bed = Bed::new();
    let ran = bed.say(&["--quiet"], "say It is so.");
    assert_eq!((ran.code, &*ran.out, &*ran.err), (Some(0), "It is so.\n", ""));
    assert_eq!(bed.live_runs(), 0, "nothing is left behind");
}

#[test]
fn a_turn_that_fails() {
    let bed = Bed::new();
    let ran = bed.say(&["--quiet"], "error 400 x99 invalid_request_error message=No such thing.");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("No such thing"), "{ran:?}");
    assert_eq!(bed.live_runs(), 0);
}

#[test]
fn a_limit_that_is_reached() {
    let bed = Bed::new();
    let lines = "tool Bash {\"command\":\"true\"}\n---\nsay never";
    let ran = bed.say(&["--policy", "autonomous", "--max-turns", "1"], lines);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.contains("stopped at a limit"), "{ran:?}");
}

#[test]
fn a_command_line_that_makes_no_sense() {
    let bed = Bed::new();
    std::fs::write(bed.path("work/policy.toml"), "[[rule]]\ntol = \"Bash\"\n").unwrap();
    for args in [
        &["nonsense"][..],
        &["run", "--max-turns", "many", "x"],
        &["run", "--json", "--quiet", "x"],
        &["run"],
        &["run", "--fork", "x"],
        &["run", "--continue", "x"],
        &["run", "--resume", "nobody", "x"],
        &["run", "--cwd", "nowhere", "x"],
        &["run", "--policy", "policy.toml", "x"],
        &["run", "--policy", "nobody", "x"],
        &["run", "--max-budget-usd", "nan", "x"],
        &["ls", "-n", "0"],
        &["show", "nobody"],
        &["show", "last"],
        &["approve"],
        &["config", "nonsense"],
        &["--set", "nonsense=1", "ls"],
        &["replay", "--speed", "0", "x"],
        &["rm", "last"],
    ] {
        let ran = bed.run(args);
        assert_eq!(ran.code, Some(2), "{args:?}: {ran:?}");
        assert!(!ran.err.is_empty(), "{args:?}");
    }
}

#[test]
fn a_claude_that_cannot_be_used() {
    let bed = Bed::new();
    let missing = bed.run(["run", "--claude", "nowhere", "x"]);
    assert_eq!(missing.code, Some(3), "{missing:?}");
    let claude = |exe: &str| {
        Ran::of(&bed.command(["run", "x"]).env("PILOTHOUSE_CLAUDE", exe).output().unwrap())
    };
    for exe in ["/bin/false", "/nowhere/claude", "/etc/passwd"] {
        let ran = claude(exe);
        assert_eq!(ran.code, Some(3), "{exe}: {ran:?}");
        assert!(ran.err.contains("doctor"), "{exe}: {ran:?}");
    }
    let mut command = bed.command(["run", "x"]);
    let logged_out = Ran::of(&command.env("SIM_FAULT", "not-logged-in").output().unwrap());
    assert_eq!(logged_out.code, Some(3), "{logged_out:?}");
    assert!(logged_out.err.contains("/login"), "{logged_out:?}");
    assert_eq!(bed.live_runs(), 0);
}

#[test]
fn a_policy_that_refuses() {
    let bed = Bed::new();
    let policy = "[[rule]]\ntool = \"Bash\"\ndeny = \"Not here.\"\n";
    std::fs::write(bed.path("work/strict.toml"), policy).unwrap();
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay So be it.";
    let ran = bed.say(&["--policy", "strict.toml"], lines);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.out.contains("So be it.") && ran.out.contains("refused"), "{ran:?}");
    assert!(!bed.path("work/made").exists());
}

#[test]
fn nobody_who_could_be_asked() {
    let bed = Bed::new();
    let lines = "tool Bash {\"command\":\"touch made\"}\n---\nsay So be it.";
    let ran = bed.say(&["--json"], lines);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.out.contains("Nobody is there to be asked"), "{ran:?}");
    assert!(!bed.path("work/made").exists());
}

#[test]
fn an_interrupt_ends_the_turn() {
    let bed = Bed::new();
    let child = bed.start(["run", &script("say first\nhold here\nsay never")]);
    bed.held("here");
    signal(child.id(), Signal::INT);
    let ran = Ran::wait(child);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.out.contains("interrupted") && !ran.out.contains("never"), "{ran:?}");
    assert_eq!(bed.live_runs(), 0);
}

#[test]
fn an_interrupt_while_claude_starts_is_heard() {
    let bed = Bed::new();
    let claude = bed.path("slow");
    // Another process writes it: see `Bed::new`.
    let text = r#"printf '#!/bin/sh\ncase "$*" in *--version*) ;; *) echo > "$SIM_HOLD_DIR/start.held"; read -r line;; esac\nread -r line; exec %s sim "$@"\n' "$1" > "$2" && chmod 755 "$2""#;
    let mut writing = std::process::Command::new("sh");
    writing.args(["-c", text, "sh", super::bed::EXE]).arg(&claude);
    assert!(writing.status().unwrap().success());
    let mut command = bed.command(["run", &script("say never")]);
    command.env("PILOTHOUSE_CLAUDE", &claude);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    bed.held("start");
    signal(child.id(), Signal::INT);
    until(|| child.try_wait().unwrap().is_some());
    let ran = Ran::wait(child);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert_eq!(bed.live_runs(), 0);
    assert!(!bed.ok(["logs", "last"]).lines().any(|line| line == "never"));
}

#[test]
fn a_second_interrupt_does_not_wait() {
    let bed = Bed::new();
    let mut command = bed.command(["run", &script("hold here\nsay never")]);
    command.env("SIM_FAULT", "deaf=interrupt");
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    bed.held("here");
    signal(child.id(), Signal::INT);
    // It tells that it has heard the first.
    let mut told = [0; 12];
    child.stdout.as_mut().unwrap().read_exact(&mut told).unwrap();
    assert_eq!(&told, b"interrupting");
    signal(child.id(), Signal::INT);
    let ran = Ran::wait(child);
    assert_eq!(ran.code, Some(130), "{ran:?}");
}

#[test]
fn who_stops_reading_is_left_in_peace() {
    let bed = Bed::new();
    bed.say(&["--quiet"], "say something to list");
    let file = super::bed::transcript("permission-allow");
    let replay = ["replay", "--json", file.to_str().unwrap()];
    for args in [
        &["--help"][..],
        &["ls"],
        &["show", "last"],
        &["logs", "last"],
        &["logs", "last", "--json"],
        &["logs", "last", "--raw"],
        &["export", "last"],
        &["config"],
        &["doctor"],
        &["completions", "bash"],
        &replay,
    ] {
        let mut command = bed.command(args);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = Ran::of(&command.stdout(writer).output().unwrap());
        assert_eq!((ran.code, &*ran.err), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn what_is_piped_in_is_said() {
    let bed = Bed::new();
    let alone = fed(bed.command(["run", "--quiet"]), script("say from the pipe").as_bytes());
    assert_eq!((alone.code, &*alone.out), (Some(0), "from the pipe\n"));
    let behind = fed(bed.command(["run", "--json", "Look:"]), script("say both").as_bytes());
    let said = behind.out.lines().find(|line| line.contains("\"user_message\"")).unwrap();
    let said: serde_json::Value = serde_json::from_str(said).unwrap();
    assert_eq!(said["text"], "Look:\n\n#script\nsay both\n#end");
}
