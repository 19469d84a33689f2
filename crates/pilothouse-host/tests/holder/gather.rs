//! Lines that a holder gathers because its daemon has much to do.

use std::time::Duration;

use pilothouse_host::holder::protocol::Command;
use pilothouse_host::wirelog::Record;

use super::bed::{Bed, Run, is_exit, is_out, outs, plain, until};

const GATHER: u64 = 100;

/// Every moment at which the holder read something, after it was told to gather.
fn reads(run: &Run) -> Vec<u64> {
    let log = run.log();
    let told = |record: &Record| matches!(record, Record::Note { text, .. } if text == "gathers lines for 100 ms");
    let begun = log.iter().position(told).expect("the log says that lines are gathered");
    let mut reads: Vec<u64> = log[begun..]
        .iter()
        .filter_map(|record| match record {
            Record::Out { at, .. } => Some(*at),
            _ => None,
        })
        .collect();
    reads.dedup();
    reads
}

#[test]
fn the_clis_output_is_left_alone_for_a_while_after_each_read() {
    let bed = Bed::new();
    let run = bed.sh(r#"while read -r line; do echo "got $line"; done; echo bye"#);
    let mut link = run.attach(0);
    link.say(Command::Gather { time: Duration::from_millis(GATHER) }).expect("said");
    for number in 1..=20 {
        link.send(number, number.to_string().as_bytes()).expect("sent");
        // Half of them one by one: each may have to wait for the look after it.
        if number % 2 == 0 {
            until(&mut link, is_out(&format!("got {number}")));
        }
    }
    let reads = reads(&run);
    // The clock of the log counts whole milliseconds.
    assert!(reads.windows(2).all(|pair| pair[1] - pair[0] >= GATHER - 1), "{reads:?}");
    link.say(Command::Eof).expect("said");
    let rest = plain(&until(&mut link, is_exit));
    assert_eq!(outs(&rest), ["bye"], "what was written last is read as well");
}

#[test]
fn who_writes_much_is_not_kept_waiting() {
    let bed = Bed::new();
    let run =
        bed.sh("read -r line; i=0; while [ $i -lt 3000 ]; do echo $i $line; i=$((i+1)); done");
    let mut link = run.attach(0);
    link.say(Command::Gather { time: Duration::from_millis(GATHER) }).expect("said");
    link.send(1, "x".repeat(1000).as_bytes()).expect("sent");
    let seen = plain(&until(&mut link, is_exit));
    assert_eq!(outs(&seen).len(), 3000);
    let reads = reads(&run);
    // 3 MB in pieces of at most 64 KiB: a rest after each would have been 45 of them.
    let (first, last) = (reads[0], reads[reads.len() - 1]);
    assert!(last - first < 45 * GATHER, "{} ms", last - first);
}

#[test]
fn the_next_daemon_begins_without() {
    let bed = Bed::new();
    let run = bed.sh(r#"while read -r line; do echo "got $line"; done"#);
    let mut link = run.attach(0);
    // Longer than a holder lets itself be told, and than this test would wait for twenty times.
    link.say(Command::Gather { time: Duration::from_secs(3600) }).expect("said");
    link.send(1, b"1").expect("sent");
    until(&mut link, is_out("got 1"));
    drop(link);
    let mut link = run.attach(0);
    for number in 2..=20 {
        link.send(number, number.to_string().as_bytes()).expect("sent");
        until(&mut link, is_out(&format!("got {number}")));
    }
    let log = run.log();
    let notes = log.iter().filter(|record| matches!(record, Record::Note { .. })).count();
    assert_eq!(notes, 1, "{log:?}");
}
