//! The demo: from nothing to sessions that wait, and to nothing again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;

use rustix::process::Signal;

use super::bed::{Bed, Ran, signal, until};

#[test]
fn everything_from_nothing() {
    let bed = Bed::new();
    let mut command = bed.command(["demo", "--no-open"]);
    command.env("TMPDIR", bed.path("work")).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let origin = lines.next().unwrap();
    let address = origin.trim_start_matches("The demo runs at http://").trim_end_matches('.');
    assert!(lines.next().unwrap().contains("/login#"));
    let last = lines.find(|line| line.contains("--data-dir")).unwrap();
    let data = last.split_whitespace().nth_back(1).unwrap().to_owned();

    let mut page = TcpStream::connect(address).unwrap();
    let host = format!("Host: {address}\r\nConnection: close\r\n\r\n");
    write!(page, "GET /api/v1/health HTTP/1.1\r\n{host}").unwrap();
    let mut answer = String::new();
    page.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

    let with = |more: &[&str]| bed.ok(["--data-dir", &*data].iter().chain(more));
    until(|| with(&["ls", "--waiting"]).matches("waiting ?").count() == 3);
    let waiting = with(&["ls", "--waiting"]);
    for title in ["The tests fail", "The moon, too", "Which harbours?"] {
        assert!(waiting.contains(title), "{waiting}");
    }
    let line = waiting.lines().find(|line| line.contains("The tests fail")).unwrap();
    let tests = line.split_whitespace().next().unwrap();
    with(&["approve", tests]);
    until(|| with(&["logs", tests]).contains("Both tests pass now"));
    let project = Path::new(&data).parent().unwrap().to_owned();
    let mended = std::fs::read_to_string(project.join("harbour/tides.sh")).unwrap();
    assert!(mended.contains("745"), "{mended}");

    signal(child.id(), Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!project.exists(), "nothing is left");
}

#[test]
fn it_answers_whatever_it_is_told() {
    let bed = Bed::new();
    let ran = bed.run(["run", "--quiet", "what is the meaning of xyzzy?"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("> what is the meaning of xyzzy?"), "{ran:?}");
    // Refused, because nobody can be asked: it has an answer to that too.
    let refused: Ran = bed.run(["run", "--quiet", "note that ships float"]);
    assert_eq!((refused.code, &*refused.out), (Some(4), "Then it stays between us.\n"));
}
