//! What goes on in a session, as those see it who follow it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout};

use rustix::process::Signal;

use super::bed::{Bed, Ran, script, signal};

/// A command that goes on until it is interrupted.
struct Following {
    child: Child,
    out: BufReader<ChildStdout>,
    seen: String,
}

impl Following {
    fn start(bed: &Bed, args: &[&str]) -> Self {
        let mut child = bed.start(args);
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out, seen: String::new() }
    }

    /// Reads until a line comes that is meant.
    fn until(&mut self, is_meant: impl Fn(&str) -> bool) {
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended: {}", self.seen);
            self.seen.push_str(&line);
            if is_meant(&line) {
                return;
            }
        }
    }

    /// Interrupts it; gives what it ended with, and all that it wrote.
    fn interrupt(mut self) -> (Option<i32>, String) {
        signal(self.child.id(), Signal::INT);
        self.out.read_to_string(&mut self.seen).unwrap();
        (self.child.wait().unwrap().code(), self.seen)
    }
}

/// A turn that stands still, under a daemon.
fn held_turn(bed: &Bed) -> Child {
    bed.ok(["up", "--no-open"]);
    let run = bed.start(["run", "--quiet", &script("say first\nhold here\nmore , then the rest")]);
    bed.held("here");
    run
}

#[test]
fn the_log_goes_on() {
    let bed = Bed::new();
    let run = held_turn(&bed);
    let mut log = Following::start(&bed, &["logs", "last", "--follow"]);
    log.until(|line| line.starts_with("> "));
    let mut events = Following::start(&bed, &["logs", "last", "--follow", "--json"]);
    events.until(|line| line.contains("\"turn_started\""));
    bed.release("here");
    log.until(|line| line == "first, then the rest\n");
    events.until(|line| line.contains("\"complete\""));
    assert_eq!(Ran::wait(run).code, Some(0));
    // It does not end with the run: the next may come.
    bed.say(&["--quiet", "--continue"], "say second");
    log.until(|line| line == "second\n");
    assert_eq!(log.interrupt().0, Some(130));
    let (code, seen) = events.interrupt();
    assert_eq!(code, Some(130));
    let numbers = seen.lines().map(|line| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        usize::try_from(event["seq"].as_u64().unwrap()).unwrap()
    });
    assert!(numbers.eq(1..=seen.lines().count()), "no gap, nothing twice");
}

#[test]
fn the_wire_goes_on_from_run_to_run() {
    let bed = Bed::new();
    let run = held_turn(&bed);
    let mut raw = Following::start(&bed, &["logs", "last", "--raw", "--follow"]);
    raw.until(|line| line.contains("first") && line.starts_with("o "));
    bed.release("here");
    raw.until(|line| line.contains("\"type\":\"result\""));
    assert_eq!(Ran::wait(run).code, Some(0));
    raw.until(|line| line.starts_with("x "));
    bed.say(&["--quiet", "--continue"], "say second");
    raw.until(|line| line.contains("second") && line.contains("\"type\":\"result\""));
    raw.until(|line| line.starts_with("x "));
    let (code, seen) = raw.interrupt();
    assert_eq!(code, Some(130));
    assert_eq!(seen, bed.ok(["logs", "last", "--raw"]), "nothing is missing, nothing comes twice");
}

#[test]
fn who_is_attached_without_a_terminal_sees_what_goes_on() {
    let bed = Bed::new();
    let run = held_turn(&bed);
    let mut attached = Following::start(&bed, &["attach", "last"]);
    attached.until(|line| line.contains("(Ctrl-C leaves)"));
    attached.until(|line| line.starts_with("> "));
    bed.release("here");
    attached.until(|line| line == "first, then the rest\n");
    assert_eq!(Ran::wait(run).code, Some(0));
    assert_eq!(attached.interrupt().0, Some(0), "to leave is no failure");
}

#[test]
fn a_turn_waits_for_a_daemon_that_takes_its_time() {
    let bed = Bed::new();
    let run = held_turn(&bed);
    // As a daemon does that waits for the directory: nobody else begins to serve meanwhile.
    let claim = std::fs::File::create(bed.data().join("next")).unwrap();
    claim.lock_shared().unwrap();
    bed.ok(["down"]);
    bed.release("here");
    // Longer than what is drawn on the screen meanwhile takes, twenty times.
    std::thread::sleep(std::time::Duration::from_secs(6));
    drop(claim);
    let ran = Ran::wait(run);
    assert_eq!((ran.code, &*ran.out), (Some(0), "first, then the rest\n"), "{ran:?}");
}

#[test]
fn a_recording_takes_its_time_and_says_the_same() {
    let bed = Bed::new();
    bed.say(&["--policy", "autonomous"], "tool Bash {\"command\":\"true\"}\n---\nsay Done.");
    let session = bed.sessions()[0]["id"].as_str().unwrap().to_owned();
    let runs = bed.data().join("runs").join(session);
    let mut entries = std::fs::read_dir(runs).unwrap().map(|entry| entry.unwrap().path());
    let run = entries.find(|path| path.is_dir()).unwrap();
    let run = run.to_str().unwrap();
    for form in [&[][..], &["--json"]] {
        let replayed = |more: &[&str]| bed.ok([&["replay", run][..], form, more].concat());
        let at_once = replayed(&[]);
        assert!(at_once.contains("Done."), "{at_once}");
        assert_eq!(replayed(&["--speed", "50"]), at_once);
    }
}
