//! Debug files.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use pilothouse_host::telemetry::{DebugLog, DebugOptions, Secrets, Telemetry, TelemetryOptions};
use pilothouse_session::{Delta, Event};
use serde_json::Value;

use crate::play::{Listener, SESSION, play};

struct Told(DebugLog, Vec<Event>, usize);

impl Listener for Told {
    fn event(&mut self, event: &Event) {
        self.0.event(event);
        self.1.push(event.clone());
    }
    fn delta(&mut self, delta: &Delta, at: Timestamp) {
        self.0.delta(SESSION, delta, at);
        self.2 += 1;
    }
}

fn telemetry(dir: &Path, max_bytes: u64, secrets: &Secrets) -> Telemetry {
    let debug = Some(DebugOptions { max_bytes, ..DebugOptions::in_dir(dir.join("debug")) });
    let secrets = secrets.clone();
    let options = TelemetryOptions { debug, secrets, ..TelemetryOptions::default() };
    Telemetry::start(&options).expect("telemetry")
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a debug file");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn every_event_and_delta_is_a_line() {
    let dir = tempfile::tempdir().expect("a directory");
    let telemetry = telemetry(dir.path(), 1 << 20, &Secrets::default());
    let mut told = Told(telemetry.debug().expect("debug files").clone(), Vec::new(), 0);
    play("hello", &mut told);
    assert!(telemetry.shut_down(Duration::from_secs(60)));
    let path = dir.path().join(format!("debug/normalized-{SESSION}.jsonl"));
    let lines = lines(&path);
    assert!(told.2 > 0);
    assert_eq!(lines.len(), told.1.len() + told.2);
    let events: Vec<Event> = lines
        .iter()
        .filter(|line| !line["event"].is_null())
        .map(|line| serde_json::from_value(line["event"].clone()).expect("an event"))
        .collect();
    assert_eq!(events, told.1);
    for line in &lines {
        assert_eq!(line["session"], SESSION.to_string());
        assert!(line["ts"].is_string() && line["kind"].is_string(), "{line}");
    }
    assert!(lines.iter().any(|line| line["kind"] == "message_chunk"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let mode = |path: &Path| std::fs::metadata(path).expect("a file").mode() & 0o777;
        assert_eq!((mode(&path), mode(&dir.path().join("debug"))), (0o600, 0o700));
    }
    told.0.event(&told.1[0]);
    assert_eq!(telemetry.metrics().debug_lines_dropped.get(), 1, "closed is closed");
}

#[test]
fn a_file_that_is_full_is_put_aside_and_the_oldest_goes() {
    const MAX: u64 = 20_000;
    let dir = tempfile::tempdir().expect("a directory");
    let telemetry = telemetry(dir.path(), MAX, &Secrets::default());
    let log = telemetry.debug().expect("debug files").clone();
    for _ in 0..10 {
        play("permission-allow", &mut Told(log.clone(), Vec::new(), 0));
        assert!(log.flush(Duration::from_secs(60)));
    }
    assert!(telemetry.shut_down(Duration::from_secs(60)));
    assert_eq!(telemetry.metrics().debug_lines_dropped.get(), 0);
    let entries = std::fs::read_dir(dir.path().join("debug")).expect("the directory");
    let mut sizes: Vec<(String, u64)> = entries
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry))
        .map(|(name, entry)| (name, entry.metadata().expect("a file").len()))
        .collect();
    sizes.sort();
    let names: Vec<&str> = sizes.iter().map(|(name, _)| &**name).collect();
    let name = format!("normalized-{SESSION}");
    assert_eq!(names, [format!("{name}.1.jsonl"), format!("{name}.jsonl")]);
    assert!(sizes.iter().all(|(_, size)| *size <= MAX && *size > 0), "{sizes:?}");
    let last = lines(&dir.path().join(format!("debug/{name}.jsonl"))).pop().expect("a line");
    assert_eq!(last["event"]["status"], "ended", "the newest is what is kept");
}

#[test]
fn secrets_are_not_written() {
    let dir = tempfile::tempdir().expect("a directory");
    let secrets = Secrets::default();
    secrets.register("So be it.").expect("long enough");
    let telemetry = telemetry(dir.path(), 1 << 20, &secrets);
    let log = telemetry.debug().expect("debug files").clone();
    play("permission-allow", &mut Told(log, Vec::new(), 0));
    assert!(telemetry.shut_down(Duration::from_secs(60)));
    let path = dir.path().join(format!("debug/normalized-{SESSION}.jsonl"));
    let all = lines(&path).iter().map(Value::to_string).collect::<String>();
    assert!(all.contains("[redacted]") && !all.contains("So be it."));
}

#[test]
fn a_directory_that_cannot_be_made_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("debug"), "a file").expect("a file");
    let debug = Some(DebugOptions::in_dir(dir.path().join("debug")));
    let options = TelemetryOptions { debug, ..TelemetryOptions::default() };
    let error = Telemetry::start(&options).expect_err("a file is in the way").to_string();
    assert!(error.contains("choose another directory"), "{error}");
}
