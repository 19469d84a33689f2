//! Attaching, coming back, and sending what may have been sent before.

use std::io::Write;

use pilothouse_host::holder::protocol::Command;
use pilothouse_host::holder::{Link, connect};
use pilothouse_host::wirelog::{Closed, Record};

use super::bed::{Bed, ins, is_exit, is_out, outs, pid, plain, until};

/// Says back what it hears.
const ECHO: &str = r#"while read -r line; do echo "got $line"; done; echo bye"#;

#[test]
fn from_the_beginning_and_from_the_middle() {
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let mut link = run.attach(0);
    assert_eq!(link.greeting().accepted, 0);
    for number in 1..=3 {
        link.send(number, format!("line {number}").as_bytes()).expect("sent");
    }
    let first = until(&mut link, is_out("got line 3"));
    assert!(matches!(&first[0].record, Record::Started { pid, .. } if *pid == run.started.cli));
    assert_eq!(first[0].offset, 0);
    assert!(first.windows(2).all(|pair| pair[0].end == pair[1].offset));
    drop(link);

    // From every place between two records: exactly what comes after.
    for (index, found) in first.iter().enumerate() {
        let mut again = run.attach(found.offset);
        assert_eq!(again.greeting().accepted, 3);
        assert!(again.greeting().end >= first.last().expect("some").end);
        assert_eq!(until(&mut again, is_out("got line 3")), first[index..]);
    }
    let mut last = run.attach(first.last().expect("some").end);
    last.say(Command::Eof).expect("said");
    let rest = plain(&until(&mut last, is_exit));
    assert_eq!(outs(&rest), ["bye"]);
    assert!(rest.iter().any(|it| matches!(it, Record::InClosed { why: Closed::Eof, .. })));
}

#[test]
fn a_new_daemon_misses_nothing_and_gets_nothing_twice() {
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let (mut seen, mut offset, mut number) = (Vec::new(), 0, 0);
    for daemon in 0..40 {
        let mut link = run.attach(offset);
        // Some were sent by the daemon before, which did not live to see whether they arrived.
        let again = link.greeting().accepted.saturating_sub(2).max(1);
        for repeated in again..=link.greeting().accepted {
            link.send(repeated, format!("{repeated}").as_bytes()).expect("sent");
        }
        number = number.max(link.greeting().accepted);
        for _ in 0..5 {
            number += 1;
            link.send(number, format!("{number}").as_bytes()).expect("sent");
        }
        // It dies after it has read some more.
        for _ in 0..daemon % 7 {
            let found = link.next_record().expect("a record").expect("the holder stays");
            offset = found.end;
            seen.push(found.record);
        }
        // Its last words may be lost with it; the number says so to the next.
        number = 0;
    }
    let mut link = run.attach(offset);
    link.say(Command::Eof).expect("said");
    seen.extend(plain(&until(&mut link, is_exit)));
    let sent = ins(&seen);
    assert!(sent.len() >= 100, "most of them arrived: {}", sent.len());
    assert_eq!(sent, (1..=sent.len() as u64).collect::<Vec<_>>());
    let mut expected: Vec<_> = sent.iter().map(|number| format!("got {number}")).collect();
    expected.push("bye".to_owned());
    assert_eq!(outs(&seen), expected);
    assert_eq!(seen, run.log(), "what was streamed is what is in the file");
}

#[test]
fn the_same_line_twice_is_written_once_and_a_gap_is_refused() {
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let mut link = run.attach(0);
    for number in [1, 1, 2, 1, 2, 3] {
        link.send(number, format!("{number}").as_bytes()).expect("sent");
    }
    let seen = plain(&until(&mut link, is_out("got 3")));
    assert_eq!((ins(&seen), outs(&seen).len()), (vec![1, 2, 3], 3));
    // The holder may have closed the connection before all of this is written.
    let _ = link.send(5, b"5");
    while link.next_record().expect("the end of the connection").is_some() {}
    let mut next = run.attach(0);
    assert_eq!(next.greeting().accepted, 3);
    next.send(4, b"4").expect("sent");
    let seen = plain(&until(&mut next, is_out("got 4")));
    assert!(
        seen.iter().any(|it| matches!(it, Record::Note { text, .. } if text.ends_with(b"was 3")))
    );
    assert_eq!(ins(&seen), [1, 2, 3, 4]);
}

#[test]
fn half_a_line_from_a_dying_daemon_never_reaches_the_cli() {
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let mut dying = run.attach(0).raw().expect("a socket");
    dying.write_all(b"send 1 100\nonly half of wh").expect("written");
    drop(dying);
    let mut link = run.attach(0);
    link.send(1, b"all of it").expect("sent");
    let seen = plain(&until(&mut link, is_out("got all of it")));
    assert_eq!(outs(&seen), ["got all of it"]);
}

#[test]
fn a_line_with_a_newline_is_not_two_lines() {
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let mut link = run.attach(0);
    assert!(link.send(1, b"a\nb").is_err(), "our own end refuses");
    link.raw().and_then(|mut raw| raw.write_all(b"send 1 3\na\nb")).expect("written");
    while link.next_record().expect("the end of the connection").is_some() {}
    let mut next = run.attach(0);
    next.send(1, b"one").expect("sent");
    assert_eq!(outs(&plain(&until(&mut next, is_out("got one")))), ["got one"]);
}

#[test]
fn the_second_who_attaches_replaces_the_first() {
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let mut first = run.attach(0);
    first.send(1, b"1").expect("sent");
    until(&mut first, is_out("got 1"));
    let mut second = run.attach(0);
    assert_eq!(first.next_record().expect("a closed connection"), None);
    second.send(2, b"2").expect("sent");
    assert_eq!(outs(&plain(&until(&mut second, is_out("got 2")))), ["got 1", "got 2"]);
}

#[test]
fn strangers_do_no_harm() {
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let mut link = run.attach(0);
    let refused = Link::attach(&run.dir, 1 << 40).expect_err("there is no such offset");
    assert!(refused.to_string().contains("bytes"), "{refused}");
    let mut idle = Vec::new();
    for words in ["GET / HTTP/1.1\r\n\r\n", "send 1 1\nx", "attach\n", "\n", "bye\n", "", ""] {
        for _ in 0..5 {
            let mut stranger = connect(&run.dir).expect("it listens");
            // It may have been shown out already.
            let _ = stranger.write_all(words.as_bytes());
            idle.push(stranger);
        }
    }
    link.send(1, b"still here").expect("sent");
    until(&mut link, is_out("got still here"));
}

#[test]
fn a_path_too_long_for_a_socket_is_no_obstacle() {
    let bed = Bed::new();
    let deep = bed.path().join("a".repeat(100)).join("b".repeat(100));
    std::fs::create_dir_all(&deep).expect("a directory");
    let run = bed.start_in(&deep, &bed.spec(ECHO));
    let mut link = run.attach(0);
    link.send(1, b"deep").expect("sent");
    until(&mut link, is_out("got deep"));
}

#[test]
fn a_holder_belongs_to_nobody_and_its_files_to_the_owner() {
    use std::os::unix::fs::PermissionsExt;
    let bed = Bed::new();
    let run = bed.sh(ECHO);
    let holder = pid(run.started.holder);
    assert_eq!(rustix::process::getsid(Some(holder)), Ok(holder), "a session of its own");
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", run.started.holder));
    let stat = stat.expect("it lives");
    let after_name = &stat[stat.rfind(')').expect("a name")..];
    let parent: u32 = after_name.split(' ').nth(2).and_then(|it| it.parse().ok()).expect("a pid");
    assert_ne!(parent, std::process::id(), "not a child of the daemon");
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!(mode(&run.dir), 0o700);
    for file in ["sock", "pid", "wire.log"] {
        assert_eq!(mode(&run.dir.join(file)), 0o600, "{file}");
    }
    let pids = std::fs::read_to_string(run.dir.join("pid")).expect("a pid file");
    assert_eq!(pids, format!("{} {}\n", run.started.holder, run.started.cli));
}
