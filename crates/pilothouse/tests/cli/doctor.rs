//! The doctor: with a simulated Claude, and with Claude Code itself.

use std::process::{Command, Stdio};

use serde_json::Value;
use testkit::cli::{CliVersion, Harness};

use super::bed::{Bed, EXE, Ran, script};

fn state<'a>(report: &'a Value, id: &str) -> &'a Value {
    let mut checks = report["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["id"] == id);
    &check.unwrap_or_else(|| panic!("no {id}: {report}"))["state"]
}

#[test]
fn the_doctor_finds_everything() {
    let bed = Bed::new();
    let report: Value = serde_json::from_str(&bed.ok(["doctor", "--json"])).unwrap();
    for id in [
        "cli.found",
        "cli.version",
        "cli.handshake",
        "cli.capabilities",
        "holder",
        "port",
        "unknown_messages",
    ] {
        assert_eq!(state(&report, id), "ok", "{id}: {report}");
    }
    let mut without = bed.command(["doctor"]);
    let without = Ran::of(&without.env("PILOTHOUSE_CLAUDE", "/nowhere").output().unwrap());
    assert_eq!(without.code, Some(3), "{without:?}");
    assert!(without.out.contains("FAIL") && without.out.contains("→ Install"), "{without:?}");
}

#[test]
fn doctor_reports_a_git_that_is_too_old() {
    let bed = Bed::new();
    let old = tempfile::tempdir().unwrap();
    let program = old.path().join("git");
    std::fs::write(&program, "#!/bin/sh\necho git version 2.34.1\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    let mut path = std::ffi::OsString::from(old.path());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let mut command = bed.command(["doctor", "--json"]);
    let ran = Ran::of(&command.env("PATH", path).output().unwrap());
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(state(&report, "git"), "warn", "{report}");
    assert!(ran.out.contains("install git 2.38 or newer"), "{report}");
}

#[test]
fn the_doctor_counts_what_nobody_knows() {
    let bed = Bed::new();
    let mut command = bed.command(["run", "--quiet", &script("say strange")]);
    command.env("SIM_FAULT", "unknown-types").output().unwrap();
    let report: Value = serde_json::from_str(&bed.ok(["doctor", "--json"])).unwrap();
    assert_eq!(state(&report, "unknown_messages"), "warn", "{report}");
}

#[test]
fn claude_code_as_it_is_today_is_well() {
    // Nothing is said to a model, so there is none.
    let harness = Harness::new(CliVersion::V2_1_325, "http://127.0.0.1:9").unwrap();
    let mut command = Command::new(EXE);
    command.env_clear().envs(harness.env()).env("PILOTHOUSE_CLAUDE", harness.program());
    command.args(["doctor", "--json"]).current_dir(harness.cwd()).stdin(Stdio::null());
    let ran = Ran::of(&command.output().unwrap());
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    for id in ["cli.found", "cli.version", "cli.handshake", "cli.capabilities", "cli.login"] {
        assert_eq!(state(&report, id), "ok", "{id}: {report}");
    }
}

#[test]
fn a_key_that_sessions_are_given_is_a_login() {
    let harness = Harness::new(CliVersion::V2_1_325, "http://127.0.0.1:9").unwrap();
    let asked = |more: &[&str]| -> Value {
        let mut command = Command::new(EXE);
        command.env_clear().envs(harness.env()).env("PILOTHOUSE_CLAUDE", harness.program());
        command.env_remove("ANTHROPIC_API_KEY").args(more).args(["doctor", "--json"]);
        command.current_dir(harness.cwd()).stdin(Stdio::null());
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
    };
    let without = asked(&[]);
    assert_eq!(state(&without, "cli.login"), "warn", "{without}");
    let with = asked(&["--set", "session.env={ ANTHROPIC_API_KEY = \"made-up\" }"]);
    assert_eq!(state(&with, "cli.login"), "ok", "{with}");
}
