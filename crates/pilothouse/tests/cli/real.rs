//! `run --json` with Claude Code itself, at three versions, and a scripted model on loopback.

use std::process::{Command, Stdio};

use serde_json::Value;
use testkit::cli::{CliVersion, Harness};
use testkit::model::ScriptedModel;

use super::bed::{EXE, Ran, script};

/// Runs a script with a version of the CLI; gives the events.
fn events(version: CliVersion, lines: &str) -> (Ran, Vec<Value>, Harness) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let model = runtime.block_on(ScriptedModel::start()).unwrap();
    let harness = Harness::new(version, &model.base_url()).unwrap();
    let mut command = Command::new(EXE);
    command.env_clear().envs(harness.env()).env("PILOTHOUSE_CLAUDE", harness.program());
    command.args(["run", "--json", "--policy", "autonomous", &script(lines)]);
    let ran = Ran::of(&command.current_dir(harness.cwd()).stdin(Stdio::null()).output().unwrap());
    let events = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (ran, events, harness)
}

fn check(version: CliVersion) {
    let lines = "say I will.\ntool Bash {\"command\":\"echo made > made.txt\",\"description\":\"make it\"}\n\
                 ---\nsay It is done.";
    let (ran, events, harness) = events(version, lines);
    assert_eq!(ran.code, Some(0), "{version:?}: {ran:?}");
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], number + 1, "no gap, nothing twice");
    }
    let of = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
    let texts: Vec<_> = of("message").map(|event| event["text"].clone()).collect();
    assert_eq!(texts, ["I will.", "It is done."], "{version:?}");
    assert_eq!(of("tool_call").count(), 1, "{version:?}");
    assert_eq!(of("complete").map(|event| &event["outcome"]).collect::<Vec<_>>(), ["done"]);
    assert_eq!(of("unknown").count(), 0, "{version:?}");
    let made = std::fs::read_to_string(harness.cwd().join("made.txt")).unwrap();
    assert_eq!(made, "made\n");
}

#[test]
fn with_2_1_326() {
    check(CliVersion::V2_1_326);
}

#[test]
fn with_2_1_325() {
    check(CliVersion::V2_1_325);
}

#[test]
fn with_2_1_62() {
    check(CliVersion::V2_1_62);
}

#[test]
fn with_2_1_7() {
    check(CliVersion::V2_1_7);
}
