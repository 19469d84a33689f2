//! A holder and the simulated CLI: a conversation that outlives its daemons.

use std::path::PathBuf;

use pilothouse_host::holder::HoldSpec;
use pilothouse_host::holder::protocol::Command;
use pilothouse_host::wirelog::Record;

use super::bed::{Bed, is_exit, plain, times, until};

/// The simulated CLI, built if it is not there.
fn sim() -> PathBuf {
    let exe = std::env::current_exe().expect("this test has a path");
    let target = exe.ancestors().nth(2).expect("it is in target/debug/deps");
    let sim = target.join("sim");
    if !sim.exists() {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "-q", "-p", "testkit", "--bin", "sim"];
        let status = std::process::Command::new(cargo).args(build).status().expect("cargo runs");
        assert!(status.success(), "cannot build the simulated CLI");
    }
    sim
}

fn spec(bed: &Bed, fault: &str) -> HoldSpec {
    let flags = ["--input-format=stream-json", "--output-format=stream-json", "--verbose"];
    let run = uuid::Uuid::new_v4().to_string();
    let mut spec = HoldSpec::new(run, sim(), bed.path())
        .args(flags)
        .env("HOME", bed.path())
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("SIM_FAULT", fault);
    spec.clear_env = true;
    spec.times = times();
    spec
}

fn says(part: &'static str) -> impl Fn(&Record) -> bool {
    move |record| matches!(record, Record::Out { line, .. } if String::from_utf8_lossy(line).contains(part))
}

const INITIALIZE: &[u8] =
    br#"{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}"#;

fn prompt(text: &str) -> Vec<u8> {
    let message = serde_json::json!({"role": "user", "content": text});
    serde_json::json!({"type": "user", "message": message}).to_string().into_bytes()
}

#[test]
fn a_conversation_goes_on_from_daemon_to_daemon() {
    let bed = Bed::new();
    let run = bed.start(&spec(&bed, "torn,stderr-flood=300000"));
    let mut first = run.attach(0);
    first.send(1, INITIALIZE).expect("sent");
    let offset = until(&mut first, says("control_response")).last().expect("some").end;
    first.send(2, &prompt("hi\n#script\nsay hello there")).expect("sent");
    // It dies before it has seen an answer.
    until(&mut first, |record| matches!(record, Record::In { number: 2, .. }));
    drop(first);

    let mut second = run.attach(offset);
    assert_eq!(second.greeting().accepted, 2);
    let seen = plain(&until(&mut second, says(r#""type":"result""#)));
    assert_eq!(seen.iter().filter(|record| says("hello there")(record)).count(), 2, "text, result");
    second.say(Command::Eof).expect("said");
    until(&mut second, is_exit);
    let flood = run.log();
    let flood = flood.iter().filter(|record| matches!(record, Record::Err { .. })).count();
    assert!(flood > 1000, "{flood} lines of stderr");
}

#[test]
fn a_cli_that_reads_slowly_gets_every_line() {
    let bed = Bed::new();
    let run = bed.start(&spec(&bed, "slow-stdin"));
    let mut link = run.attach(0);
    link.send(1, INITIALIZE).expect("sent");
    for number in 2..=30 {
        link.send(number, br#"{"type":"keep_alive"}"#).expect("sent");
    }
    link.send(31, &prompt("hi\n#script\nsay well read")).expect("sent");
    until(&mut link, says("well read"));
}
