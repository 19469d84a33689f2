//! The official SDKs run their usual uses against the simulated CLI.
//!
//! `sdks/uses.json` says what they do and what they have to see; both SDKs have to see the same.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::process::Command;
use tokio::time::timeout;

const SETUP: &str = "bench/setup-sdks.sh";
const PATIENCE: Duration = Duration::from_secs(60);

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where the SDK is; installs it if it is not there yet.
async fn installed(sdk: &str) -> String {
    let setup =
        Command::new(workspace().join(SETUP)).arg(sdk).stderr(Stdio::piped()).output().await;
    let output = setup.unwrap_or_else(|fault| panic!("cannot run {SETUP}: {fault}"));
    let said = String::from_utf8_lossy(&output.stdout);
    let place = said.lines().find_map(|line| line.strip_prefix(&format!("{sdk}=")));
    place.map(str::to_owned).unwrap_or_else(|| {
        let why = String::from_utf8_lossy(&output.stderr);
        panic!("the SDK is missing; `{SETUP} {sdk}` installs it and said:\n{why}")
    })
}

/// Plays every use with `command`, which gets the program and the use as its last arguments.
async fn play(command: &[String]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdks/uses.json");
    let uses: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(script).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for one in &uses {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).map(|path| (path, root)).unwrap();
        let [home, project, holds] = ["home", "project", "holds"].map(|name| root.0.join(name));
        for directory in [&home, &project, &holds] {
            std::fs::create_dir(directory).unwrap();
        }
        let run = Command::new(&command[0])
            .args(&command[1..])
            .arg(env!("CARGO_BIN_EXE_sim"))
            .arg(one.to_string())
            .current_dir(&project)
            .env("HOME", &home)
            .env("TMPDIR", &home)
            .env("SIM_HOLD_DIR", &holds)
            .env("SIM_FAULT", one["faults"].as_str().unwrap_or_default())
            .env_remove("CLAUDE_CONFIG_DIR")
            .kill_on_drop(true)
            .output();
        let output = timeout(PATIENCE, run).await;
        let output =
            output.unwrap_or_else(|_| panic!("no end within {PATIENCE:?}: {one}")).unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let seen: Value = serde_json::from_str(stdout.trim()).unwrap_or(Value::Null);
        for (fact, expected) in one["expect"].as_object().unwrap() {
            if &seen[fact] != expected {
                let stderr = String::from_utf8_lossy(&output.stderr);
                wrong.push(format!(
                    "{one}\n  {fact}: {} instead of {expected}\n{stderr}",
                    seen[fact]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[tokio::test]
async fn the_python_sdk_takes_it_for_the_cli() {
    let python = installed("python").await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdks/usual.py");
    play(&[python, script.to_owned()]).await;
}

#[tokio::test]
async fn the_typescript_sdk_takes_it_for_the_cli() {
    let directory = installed("ts").await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdks/usual.mjs");
    play(&["node".to_owned(), script.to_owned(), directory]).await;
}
