//! The printer does what every contender expects of an executable.
#![allow(clippy::expect_used, reason = "a test that cannot go on should say why")]

use std::fs::File;
use std::process::Command;

use serde_json::{Value, json};

const CORPUS: &str = "{\"type\":\"result\"}\n{\"type\":\"system\"}\n";

fn printed(input: &[Value], arguments: &[&str]) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("temporary directory");
    let (corpus, stdin) = (directory.path().join("corpus"), directory.path().join("stdin"));
    std::fs::write(&corpus, CORPUS).expect("corpus");
    let lines = input.iter().map(|line| format!("{line}\n")).collect::<String>();
    std::fs::write(&stdin, lines).expect("stdin");
    let output = Command::new(env!("CARGO_BIN_EXE_printer"))
        .args(arguments)
        .env("BENCH_CORPUS", corpus)
        .stdin(File::open(stdin).expect("stdin"))
        .output()
        .expect("the printer starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn initialize_is_answered_before_the_corpus() {
    let lines = printed(
        &[
            json!({"type": "control_request", "request_id": "i1", "request": {"subtype": "initialize"}}),
            json!({"type": "user", "message": {"role": "user", "content": "go"}}),
            json!({"type": "control_request", "request_id": "late", "request": {}}),
        ],
        &["--output-format", "stream-json"],
    );
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["response"]["request_id"], "i1");
    assert_eq!(lines[0]["response"]["subtype"], "success");
    assert_eq!(lines[1]["type"], "result");
}

#[test]
fn without_a_prompt_the_end_of_stdin_starts_it() {
    let lines = printed(&[], &["--print", "--", "go"]);
    assert_eq!(lines, [json!({"type": "result"}), json!({"type": "system"})]);
}

#[test]
fn a_missing_corpus_is_said() {
    let output = Command::new(env!("CARGO_BIN_EXE_printer"))
        .env_remove("BENCH_CORPUS")
        .output()
        .expect("the printer starts");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("BENCH_CORPUS"));
}
