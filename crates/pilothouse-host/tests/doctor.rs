//! The doctor, with everything that can be wrong.
#![cfg(unix)]
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pilothouse_client::Cli;
use pilothouse_host::doctor::{Check, Examination, Program, Report, State};
use pilothouse_host::store::Store;

/// A data directory, and a CLI that says what it is told to.
struct Bed {
    dir: tempfile::TempDir,
    about: Examination,
}

impl Bed {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let data = dir.path().join("data");
        fs::create_dir(&data).expect("a directory");
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).expect("permissions");
        let about = Examination::of(data, Err("no CLI was looked for".to_owned()));
        let mut bed = Self { dir, about };
        bed.cli("echo '2.1.325 (Claude Code)'");
        bed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A CLI that does this.
    fn cli(&mut self, script: &str) {
        let exe = self.path("claude");
        // Under another name first: a file that is open for writing cannot be run.
        let new = self.path("claude.new");
        fs::write(&new, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&new, fs::Permissions::from_mode(0o700)).expect("permissions");
        fs::rename(&new, &exe).expect("a script");
        self.about.cli = Ok(Program { exe, args: Vec::new() });
    }

    fn check(&self, id: &str) -> Check {
        let report = self.about.run();
        report.check(id).unwrap_or_else(|| panic!("no {id} in {report}")).clone()
    }

    #[track_caller]
    fn expect(&self, id: &str, state: State, detail: &str) {
        let check = self.check(id);
        assert_eq!(check.state, state, "{check:?}");
        assert!(check.detail.contains(detail), "{check:?}");
        assert_eq!(check.advice.is_some(), state >= State::Warn, "{check:?}");
    }
}

#[test]
fn a_healthy_host_is_healthy() {
    let mut bed = Bed::new();
    drop(Store::open(&bed.about.database).expect("a store"));
    bed.about.unknown_messages = Some(0);
    let report = bed.about.run();
    for id in [
        "cli.found",
        "cli.version",
        "data_dir.writable",
        "data_dir.private",
        "database",
        "runs",
        "runs.unknown",
        "socket_path",
        "clock",
        "unknown_messages",
    ] {
        let check = report.check(id).expect(id);
        assert_eq!(check.state, State::Ok, "{check:?}");
    }
    assert_eq!(report.check("cli.node").expect("node").state, State::Skipped);
    assert!(fs::read_dir(&bed.about.data_dir).expect("the directory").all(|entry| {
        !entry.expect("an entry").file_name().to_string_lossy().starts_with(".doctor")
    }));
}

#[test]
fn before_the_first_start_nothing_is_wrong() {
    let mut bed = Bed::new();
    bed.about = Examination::of(bed.path("new"), bed.about.cli.clone());
    bed.expect("data_dir.writable", State::Ok, "to be made");
    bed.expect("data_dir.private", State::Skipped, "no directory");
    bed.expect("database", State::Ok, "to be made");
    bed.expect("runs", State::Ok, "0 running");
    bed.expect("runs.unknown", State::Skipped, "no database");
    assert!(!bed.path("new").exists(), "looking makes nothing");
}

#[test]
fn a_cli_that_is_not_there() {
    let mut bed = Bed::new();
    bed.about.cli = Ok(Program { exe: bed.path("nowhere"), args: Vec::new() });
    bed.expect("cli.found", State::Fail, "nowhere");
    bed.expect("cli.version", State::Skipped, "no CLI");
    bed.about.cli = Program::find(&Cli::At(bed.path("nowhere-else")));
    bed.expect("cli.found", State::Fail, "nowhere-else");
    bed.about.cli = Program::find(&Cli::At(bed.path("claude")));
    bed.expect("cli.found", State::Ok, "claude");
}

#[test]
fn versions_that_are_too_old_too_new_or_none() {
    let mut bed = Bed::new();
    bed.cli("echo '2.0.76 (Claude Code)'");
    bed.expect("cli.version", State::Fail, "older than 2.1.7");
    bed.cli("echo '2.1.7 (Claude Code)'");
    bed.expect("cli.version", State::Ok, "2.1.7");
    bed.cli("echo '3.0.1 (Claude Code)'");
    bed.expect("cli.version", State::Ok, "tested up to");
    bed.cli("echo 'command not understood'");
    bed.expect("cli.version", State::Warn, "no version");
    bed.cli("echo '2.1.325'; exit 3");
    bed.expect("cli.version", State::Fail, "3");
    bed.cli("yes"); // Speaks for ever: its pipe is closed, and it ends.
    assert!(bed.check("cli.version").state >= State::Warn);
}

/// It hangs with a child that holds its pipe; both must be gone, and soon.
#[test]
fn a_cli_that_hangs_is_given_up() {
    let mut bed = Bed::new();
    let marks = bed.path("pids");
    bed.cli(&format!("sleep 3600 &\necho $$ $! > {}\nwait", marks.display()));
    bed.about.patience = Duration::from_millis(300);
    let began = Instant::now();
    bed.expect("cli.version", State::Fail, "no answer in 0.3 s");
    assert!(began.elapsed() < Duration::from_secs(120));
    if let Ok(pids) = fs::read_to_string(marks) {
        for pid in pids.split_whitespace() {
            let lives = || {
                let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
                !stat.is_empty() && !stat.contains(") Z")
            };
            // It was told to end; when it has is for the system to say.
            while lives() {
                assert!(began.elapsed() < Duration::from_secs(120), "{pid} lives");
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn a_cli_that_cannot_be_run() {
    let bed = Bed::new();
    fs::set_permissions(bed.path("claude"), fs::Permissions::from_mode(0o600))
        .expect("permissions");
    bed.expect("cli.version", State::Fail, "cannot be run");
}

#[test]
fn a_cli_from_npm_needs_node() {
    let mut bed = Bed::new();
    fs::write(bed.path("claude"), "#!/usr/bin/env node\n").expect("a script");
    assert_ne!(bed.check("cli.node").state, State::Skipped);
    let args = vec!["-y".into(), "@anthropic-ai/claude-code@2.1.325".into()];
    bed.about.cli = Ok(Program { exe: "npx".into(), args });
    bed.expect("cli.found", State::Ok, "npx");
    bed.expect("cli.version", State::Skipped, "fetch");
    assert_ne!(bed.check("cli.node").state, State::Skipped);
}

#[test]
fn a_data_directory_that_is_none() {
    let mut bed = Bed::new();
    let file = bed.path("file");
    fs::write(&file, "").expect("a file");
    bed.about = Examination::of(&file, bed.about.cli.clone());
    bed.expect("data_dir.writable", State::Fail, "not a directory");
    bed.expect("data_dir.private", State::Skipped, "no directory");
    bed.about = Examination::of(file.join("below"), bed.about.cli.clone());
    bed.expect("data_dir.writable", State::Fail, "below");
}

#[test]
fn a_data_directory_that_cannot_be_written() {
    let bed = Bed::new();
    fs::set_permissions(&bed.about.data_dir, fs::Permissions::from_mode(0o500))
        .expect("permissions");
    let check = bed.check("data_dir.writable");
    // Who is root can write anywhere.
    let is_root = fs::write(bed.about.data_dir.join("trial"), "").is_ok();
    assert_eq!(check.state, if is_root { State::Ok } else { State::Fail }, "{check:?}");
    fs::set_permissions(&bed.about.data_dir, fs::Permissions::from_mode(0o700))
        .expect("permissions");
}

#[test]
fn a_data_directory_that_others_can_enter() {
    let bed = Bed::new();
    fs::set_permissions(&bed.about.data_dir, fs::Permissions::from_mode(0o755))
        .expect("permissions");
    bed.expect("data_dir.private", State::Warn, "755");
    assert!(bed.check("data_dir.private").advice.expect("advice").contains("chmod 700"));
}

#[test]
fn a_data_directory_that_others_can_write() {
    let bed = Bed::new();
    let policies = bed.about.data_dir.join("policies");
    fs::create_dir(&policies).expect("a directory");
    for path in [&policies, &bed.about.data_dir] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("permissions");
        bed.expect("data_dir.private", State::Fail, "can be written by other users (mode 777)");
        let advice = bed.check("data_dir.private").advice.expect("advice");
        assert!(advice.contains(&format!("chmod go-w {}", path.display())), "{advice}");
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).expect("permissions");
    }
    bed.expect("data_dir.private", State::Ok, "700");
}

#[test]
fn databases_that_are_broken() {
    let bed = Bed::new();
    let store = Store::open(&bed.about.database).expect("a store");
    bed.expect("database", State::Ok, "pilothouse.db");
    store.set_meta("some", Some(&"thing".repeat(10_000))).wait().expect("a write");
    // What is still in the log beside the file would be read from there.
    store.tidy(|| false).expect("an empty log");
    drop(store);
    let mut bytes = fs::read(&bed.about.database).expect("the file");
    // All but the first page, whose number of pages is right.
    bytes[4096..].fill(0x5a);
    fs::write(&bed.about.database, &bytes).expect("the file");
    assert_eq!(bed.check("database").state, State::Fail);
    fs::write(&bed.about.database, "this is not a database, whoever may think so".repeat(100))
        .expect("the file");
    bed.expect("database", State::Fail, "not a database");
    fs::remove_file(&bed.about.database).expect("the file");
    fs::create_dir(&bed.about.database).expect("a directory");
    assert_eq!(bed.check("database").state, State::Fail);
}

#[test]
fn runs_whose_holder_is_gone() {
    let bed = Bed::new();
    let run = bed.about.runs.join("a-session/0199-run");
    fs::create_dir_all(&run).expect("a directory");
    bed.expect("runs", State::Warn, "1 that are no runs (0199-run)");
    fs::write(run.join("pid"), "1 2\n").expect("a file");
    bed.expect("runs", State::Warn, "1 without a holder (0199-run)");
    let held = fs::File::open(run.join("pid")).expect("a file");
    held.lock().expect("a lock");
    bed.expect("runs", State::Ok, "1 running");
}

#[test]
fn runs_that_are_no_directory() {
    let bed = Bed::new();
    fs::write(&bed.about.runs, "").expect("a file");
    assert_eq!(bed.check("runs").state, State::Fail);
}

#[test]
fn long_paths_are_measured() {
    let mut bed = Bed::new();
    bed.about.runs = bed.about.data_dir.join("x".repeat(120));
    let check = bed.check("socket_path");
    let by_proc = Path::new("/proc/self/fd").exists();
    assert_eq!(check.state, if by_proc { State::Ok } else { State::Fail }, "{check:?}");
}

#[test]
fn clocks_that_are_wrong() {
    let mut bed = Bed::new();
    bed.about.now = "1970-01-02T00:00:00Z".parse().expect("a time");
    bed.expect("clock", State::Fail, "1970-01-02");
    bed.about.now = "2026-01-02T00:00:00Z".parse().expect("a time");
    bed.expect("clock", State::Ok, "2026-01-02");
    let database = fs::File::create(&bed.about.database).expect("a file");
    let later = std::time::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    database.set_modified(later).expect("a time");
    bed.expect("clock", State::Warn, "2027-01-15");
}

#[test]
fn unknown_messages_are_told() {
    let mut bed = Bed::new();
    bed.about.unknown_messages = Some(3);
    bed.expect("unknown_messages", State::Warn, "3");
    bed.about.unknown_messages = None;
    bed.expect("unknown_messages", State::Skipped, "counted");
}

#[test]
fn the_report_is_for_people_and_for_programs() {
    let mut bed = Bed::new();
    bed.about.cli = Err("no `claude` on the PATH".to_owned());
    let report = bed.about.run();
    assert_eq!(report.state, State::Fail);
    let text = report.to_string();
    assert!(text.contains("FAIL  Claude Code") && text.contains("→ Install Claude Code"), "{text}");
    assert!(text.contains("not working"), "{text}");
    let json = serde_json::to_string(&report).expect("JSON");
    assert_eq!(serde_json::from_str::<Report>(&json).expect("the same"), report);
    let schema = serde_json::Value::from(schemars::schema_for!(Report)).to_string();
    assert!(schema.contains("\"skipped\"") && schema.contains("\"advice\""), "{schema}");
    let ids: std::collections::HashSet<_> = report.checks.iter().map(|check| &check.id).collect();
    assert_eq!(ids.len(), report.checks.len(), "every id is there once");
}
