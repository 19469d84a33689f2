//! Much at once, long lines, and bytes that are no text, in little memory.

use std::io::Write;

use pilothouse_host::holder::protocol::Command;
use pilothouse_host::holder::stop;
use pilothouse_host::wirelog::{Decoder, Exit, Record};

use super::bed::{Bed, PATIENCE, ins, is_exit, is_out, outs, plain, until};

#[test]
fn a_line_of_64_mib_costs_little_memory_and_comes_whole() {
    let bed = Bed::new();
    let run = bed.sh("head -c 33554432 /dev/zero | tr '\\0' a; echo in between >&2; \
         head -c 33554432 /dev/zero | tr '\\0' b; echo; echo after; cat");
    let mut link = run.attach(0);
    let seen = plain(&until(&mut link, is_out("after")));
    let line = seen.iter().find_map(|record| match record {
        Record::Out { line, .. } if line.len() > 100 => Some(line),
        _ => None,
    });
    let line = line.expect("the long line");
    assert_eq!(line.len(), 64 << 20);
    assert!(line[..32 << 20].iter().all(|byte| *byte == b'a'));
    assert!(line[32 << 20..].iter().all(|byte| *byte == b'b'));
    assert!(seen.iter().any(|it| matches!(it, Record::Err { line, .. } if line == "in between")));
    run.assert_small();
}

#[test]
fn what_the_cli_writes_is_kept_byte_for_byte() {
    let bed = Bed::new();
    let run = bed.sh(r"printf '\377\376 no text\n\n{}\r\nx 1 0 -\n\000\n'; \
          printf '\200 err\nhalf' >&2; printf 'no newline'; exit 3");
    let mut link = run.attach(0);
    let seen = plain(&until(&mut link, is_exit));
    let out: Vec<&[u8]> = seen
        .iter()
        .filter_map(|record| match record {
            Record::Out { line, .. } => Some(&line[..]),
            _ => None,
        })
        .collect();
    let expected: [&[u8]; 6] =
        [b"\xff\xfe no text", b"", b"{}\r", b"x 1 0 -", b"\0", b"no newline"];
    assert_eq!(out, expected);
    let err: Vec<&[u8]> = seen
        .iter()
        .filter_map(|record| match record {
            Record::Err { line, .. } => Some(&line[..]),
            _ => None,
        })
        .collect();
    assert_eq!(err, [&b"\x80 err"[..], b"half"]);
    let exit = Exit { code: Some(3), signal: None };
    assert!(matches!(seen.last(), Some(Record::Exited { exit: last, .. }) if *last == exit));
}

#[test]
fn a_flood_of_short_lines_is_all_there() {
    let bed = Bed::new();
    let run = bed.sh("seq 1 300000; seq 1 1000 >&2; cat");
    let mut link = run.attach(0);
    link.say(Command::Eof).expect("said");
    let seen = plain(&until(&mut link, is_exit));
    assert_eq!(outs(&seen), (1..=300_000).map(|n| n.to_string()).collect::<Vec<_>>());
    let errs = seen.iter().filter(|record| matches!(record, Record::Err { .. })).count();
    assert_eq!(errs, 1000);
    run.assert_small();
}

#[test]
fn a_cli_that_does_not_read_holds_up_nobody_but_the_sender() {
    const LINES: u64 = 160;
    let bed = Bed::new();
    let go = bed.fifo("go");
    // It says something while it does not read, and then says back what it hears.
    let run =
        bed.sh(&format!("echo waiting; read -r word < {}; echo $word; exec cat", go.display()));
    let mut link = run.attach(0);
    let mut raw = link.raw().expect("a socket");
    let sender = std::thread::spawn(move || {
        for number in 1..=LINES {
            let line = vec![b'a' + u8::try_from(number % 26).unwrap_or(0); 64 * 1024 + 1];
            let mut bytes = Vec::new();
            Command::Send { number, line: &line }.encode(&mut bytes).expect("one line");
            raw.write_all(&bytes).expect("taken in the end");
        }
    });
    until(&mut link, is_out("waiting"));
    std::fs::write(&go, "now\n").expect("it waits for that");
    sender.join().expect("everything was sent, though nobody has read what came back");
    link.say(Command::Eof).expect("said");
    let seen = plain(&until(&mut link, is_exit));
    assert_eq!(ins(&seen), (1..=LINES).collect::<Vec<_>>());
    let lines = outs(&seen);
    assert_eq!(lines.len() as u64, LINES + 1, "and the word");
    for (number, line) in (1..).zip(&lines[1..]) {
        assert!(
            line.len() == 64 * 1024 + 1 && line.as_bytes()[9] == b'a' + number % 26,
            "{number}"
        );
    }
    run.assert_small();
}

#[test]
fn a_cli_that_never_reads_can_still_be_stopped() {
    let bed = Bed::new();
    let run = bed.sh("echo up; exec sleep 1000");
    let mut link = run.attach(0);
    until(&mut link, is_out("up"));
    let mut raw = link.raw().expect("a socket");
    let (full, is_full) = std::sync::mpsc::channel();
    let sender = std::thread::spawn(move || {
        // Until the connection is closed.
        raw.set_write_timeout(Some(std::time::Duration::from_millis(300))).expect("a socket");
        for number in 1.. {
            let mut bytes = Vec::new();
            Command::Send { number, line: &[b'x'; 10_000] }.encode(&mut bytes).expect("one line");
            if raw.write_all(&bytes).is_err() {
                let _ = full.send(());
                return;
            }
        }
    });
    is_full.recv_timeout(PATIENCE).expect("the holder takes no more");
    stop(&run.dir, std::time::Duration::ZERO).expect("said");
    let seen = plain(&until(&mut link, is_exit));
    let exit = Exit { code: None, signal: Some(15) };
    assert!(matches!(seen.last(), Some(Record::Exited { exit: last, .. }) if *last == exit));
    sender.join().expect("it has ended");
}

#[test]
fn a_line_of_20_mib_can_be_sent() {
    let bed = Bed::new();
    let run = bed.sh("wc -c");
    let mut link = run.attach(0);
    let line = vec![b'z'; 20 << 20];
    link.send(1, &line).expect("sent");
    link.say(Command::Eof).expect("said");
    let seen = plain(&until(&mut link, is_exit));
    assert_eq!(outs(&seen), [((20 << 20) + 1).to_string()]);
    let written = seen.iter().any(|it| matches!(it, Record::In { line: l, .. } if *l == line));
    assert!(written, "it is in the log as it was sent");
    run.assert_small();
}

#[test]
fn an_idle_holder_is_small() {
    let bed = Bed::new();
    let run = bed.sh("echo up; exec cat");
    let mut link = run.attach(0);
    until(&mut link, is_out("up"));
    run.assert_small();
}

#[test]
fn the_stream_is_the_file() {
    use std::io::Read;
    let bed = Bed::new();
    let run = bed.sh("seq 1 20000; printf 'half'");
    let mut raw = run.attach(0).raw().expect("a socket");
    // A second attach, to see its bytes from the first on.
    drop(raw);
    raw = pilothouse_host::holder::connect(&run.dir).expect("it listens");
    raw.write_all(b"attach 0\n").expect("written");
    let (mut bytes, mut decoder) = (Vec::new(), Decoder::new(0));
    let mut room = [0; 10_000];
    let mut greeting = None;
    loop {
        let read = raw.read(&mut room).expect("more");
        assert_ne!(read, 0, "the holder stays");
        bytes.extend_from_slice(&room[..read]);
        if greeting.is_none() {
            let found =
                pilothouse_host::holder::protocol::Greeting::take(&bytes).expect("a greeting");
            let Some((_, used)) = found else { continue };
            greeting = Some(used);
            bytes.drain(..used);
            decoder.feed(&bytes);
        } else {
            decoder.feed(&room[..read]);
        }
        if std::iter::from_fn(|| decoder.next_record()).any(|found| is_exit(&found.record)) {
            break;
        }
    }
    assert_eq!(bytes, std::fs::read(run.dir.join("wire.log")).expect("a log"));
}
