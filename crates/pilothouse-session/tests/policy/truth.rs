//! The table held against bash itself: what it says is allowed runs nothing that is not.
//!
//! No command is found in an empty `PATH`, and bash tells a function of ours which one it looked
//! for. Only what the table allows is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::table::rows;

/// The commands that `dev.toml` allows in some form.
const ALLOWED: &[&str] = &[
    "apt", "cargo", "cat", "env", "find", "git", "gmake", "grep", "head", "ls", "make", "nice",
    "nohup", "npm", "rg", "seq", "sh", "bash", "sort", "stdbuf", "sudo", "tail", "timeout", "tr",
    "wc", "xargs",
];

fn directory() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("policy-truth");
    for inner in ["bin", "out", "data"] {
        fs::create_dir_all(dir.join(inner)).unwrap();
    }
    dir
}

/// The commands that bash looks for when it runs `command`.
fn looked_for(dir: &Path, command: &str) -> Vec<String> {
    let log = dir.join("log");
    fs::write(&log, "").unwrap();
    let watch = "command_not_found_handle() { echo \"$1\" >> \"$LOG\"; return 127; }\n\
                 export -f command_not_found_handle\n\
                 PATH=$HOME/bin";
    // What runs in the background is waited for, so that it is in the log.
    let shell = Command::new("bash")
        .args(["--norc", "-c", &format!("{watch}\n{command}\nwait")])
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs([("HOME", dir), ("LOG", &log)])
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(shell.is_ok(), "this test needs bash: {shell:?}");
    fs::read_to_string(&log).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn what_the_table_allows_runs_nothing_else_in_bash() {
    let dir = directory();
    assert_eq!(looked_for(&dir, "ls $(rm x); true && cat"), ["rm", "ls", "cat"]);
    let mut seen = 0;
    for row in rows().iter().filter(|row| row.policy == "dev" && row.is_allowed()) {
        let names = looked_for(&dir, &row.command);
        let stray = names.iter().find(|name| !ALLOWED.contains(&name.as_str()));
        assert_eq!(stray, None, "{:?} ran {names:?}", row.command);
        seen += names.len();
    }
    assert!(seen > 100, "bash looked for {seen} commands only");
}
