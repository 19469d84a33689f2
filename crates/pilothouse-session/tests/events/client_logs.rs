//! What recorded conversations look like to a client, as files that the browser client is tested
//! with: a line for each event or piece, in the order in which they were shown.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::recording::{Played, Shown, scenarios};

/// Those in which a client has something to keep apart.
const SCENARIOS: [&str; 30] = [
    "api-cut",
    "api-retry",
    "attachments",
    "background-bash-ends",
    "clear",
    "compact",
    "eof-streaming",
    "hello",
    "hooks-tools",
    "image",
    "interrupt-bash",
    "interrupt-streaming",
    "mcp-elicitation",
    "permission-allow",
    "permission-deny",
    "permission-parallel",
    "plan",
    "prompt-suggestion",
    "question",
    "queued",
    "resume",
    "slash-commands",
    "steer-tool",
    "subagent",
    "subagent-background",
    "subagent-retry",
    "thinking",
    "tools-files",
    "tools-tasks",
    "two-turns",
];

/// Those that only the oldest CLI shows: there an attempt that failed is taken back.
const OLDEST: [&str; 1] = ["api-cut"];

fn lines(played: &Played) -> String {
    let mut text = String::new();
    for shown in &played.shown {
        let line = match shown {
            Shown::Event(event) => json!({ "event": event }),
            Shown::Delta(delta) => json!({ "delta": delta }),
            Shown::Refused(_) => continue,
        };
        text.push_str(&line.to_string());
        text.push('\n');
    }
    text
}

#[test]
fn logs_of_the_client_are_current() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/fixtures/logs");
    let write = std::env::var_os("PILOTHOUSE_WRITE_LOGS").is_some();
    if write {
        fs::create_dir_all(&directory).expect("a directory");
    }
    let recorded = scenarios();
    for scenario in SCENARIOS {
        let versions = recorded.get(scenario).expect("a scenario");
        let version = match OLDEST.contains(&scenario) {
            true => versions.first_key_value(),
            false => versions.last_key_value(),
        };
        let (_, recording) = version.expect("a version");
        let now = lines(&recording.play());
        let file = directory.join(format!("{scenario}.jsonl"));
        if write {
            fs::write(&file, now).expect("a file");
            continue;
        }
        let kept = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            kept == now,
            "{scenario} looks different to clients now: PILOTHOUSE_WRITE_LOGS=1 cargo test -p \
             pilothouse-session --test events writes web/fixtures/logs anew"
        );
    }
}
