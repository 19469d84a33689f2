//! The demo: from nothing to sessions that wait, and to nothing again.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use rustix::process::Signal;

use super::bed::{Bed, EXE, Ran, signal, until};

#[test]
fn everything_from_nothing() {
    let bed = Bed::new();
    let mut command = bed.command(["demo", "--no-open"]);
    command.env("TMPDIR", bed.path("work")).stdout(std::process::Stdio::piped());
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", collector.local_addr().unwrap());
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let origin = lines.next().unwrap();
    let address = origin.trim_start_matches("The demo runs at http://").trim_end_matches('.');
    assert!(lines.next().unwrap().contains("/login#"));
    let last = lines.find(|line| line.contains("--data-dir")).unwrap();
    let data = last.split_whitespace().nth_back(1).unwrap().to_owned();
    // Nobody has this program in their PATH.
    assert!(last.contains(&format!(" {EXE} --data-dir ")), "{last}");

    // The client's page, and the script that makes something of it.
    let page = get(address, "/");
    let (_, script) = page.split_once("src=\"/assets/").expect("no script in the page");
    let (script, _) = script.split_once('"').unwrap();
    assert!(get(address, &format!("/assets/{script}")).contains("content-type: text/javascript"));

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
    collector.set_nonblocking(true).unwrap();
    assert_eq!(collector.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "it told somebody");
}

/// What is at a path of a daemon.
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    answer
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
