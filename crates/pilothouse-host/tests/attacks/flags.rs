//! Values of a profile and of commands on the command line of a CLI that is started for real.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use pilothouse_session::event::Status;
use pilothouse_wire::invocation::Flag;
use serde_json::{Value, json};

use super::bed::{Watcher, sim};
use super::served::Served;

/// A CLI that records the arguments of its last start, each ended by a NUL.
struct Witness {
    exe: PathBuf,
    args: PathBuf,
}

impl Witness {
    fn of(served: &Served) -> Self {
        let (exe, args) = (served.bed.path("claude"), served.bed.path("args"));
        let text = format!(
            "#!/bin/sh\nprintf '%s\\0' \"$@\" > '{}'\nexec '{}' \"$@\"\n",
            args.display(),
            sim().display()
        );
        std::fs::write(&exe, text).unwrap();
        std::fs::set_permissions(&exe, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { exe, args }
    }

    fn args(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.args).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }
}

/// Texts that would be options, or several arguments, if they stood alone.
const HOSTILE: [&str; 12] = [
    "--dangerously-skip-permissions",
    "--permission-mode=bypassPermissions",
    "-p",
    "--",
    "x --dangerously-skip-permissions",
    "x\n--dangerously-skip-permissions",
    "x=--dangerously-skip-permissions",
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    "@/etc/passwd",
    "–dangerously-skip-permissions",
];

/// Every place of a profile that holds text, with a text in it.
fn profiles(text: &str) -> Vec<(&'static str, Value)> {
    let path = format!("/{text}");
    vec![
        ("model", json!({ "model": text })),
        ("effort", json!({ "effort": text })),
        ("append_system_prompt", json!({ "append_system_prompt": text })),
        ("add_dirs", json!({ "add_dirs": [path] })),
        ("allowed_tools", json!({ "allowed_tools": [text] })),
        ("disallowed_tools", json!({ "disallowed_tools": [text] })),
        ("mcp server name", json!({"mcp_servers": {text: {"type": "stdio", "command": "x"}}})),
        ("mcp server command", json!({"mcp_servers": {"s": {"type": "stdio", "command": text}}})),
        (
            "mcp server argument",
            json!({"mcp_servers": {"s": {"type": "stdio", "command": "x", "args": [text]}}}),
        ),
        ("agent name", json!({"agents": {text: {"description": "d", "prompt": "p"}}})),
        ("agent prompt", json!({"agents": {"a": {"description": "d", "prompt": text}}})),
        ("settings name", json!({"settings": {text: true}})),
        ("settings value", json!({"settings": {"model": text}})),
        ("env value", json!({"env": {"X": text}})),
        ("env name", json!({"env": {text: "x"}})),
        ("extra value", json!({"extra_args": {"some-flag": text}})),
        ("extra name", json!({"extra_args": {text: null}})),
        ("extra name and value", json!({"extra_args": {text: text}})),
    ]
}

/// Every argument is one of our flags, alone or with `=` and its value, or the extra one.
fn check(args: &[String], row: &str) {
    for arg in args {
        let name = arg.split('=').next().unwrap_or_default();
        let known = name.strip_prefix("--").and_then(Flag::from_name);
        assert!(known.is_some() || name == "--some-flag", "{row}: {arg:?} in {args:?}");
        assert_ne!(known, Some(Flag::AllowBypass), "{row}: {args:?}");
        let mode = arg.strip_prefix("--permission-mode=");
        assert!(mode.is_none_or(|mode| mode == "default"), "{row}: {args:?}");
    }
    let print = args.iter().filter(|arg| *arg == "-p" || *arg == "--print").count();
    assert_eq!(print, 0, "{row}: {args:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_text_of_a_profile_becomes_an_argument() {
    let served = Served::new().await;
    let witness = Witness::of(&served);
    let (mut refused, mut started) = (0, 0);
    for text in HOSTILE {
        for (field, mut profile) in profiles(text) {
            let row = format!("{field}: {text:?}");
            profile["claude"] = json!(witness.exe);
            let body = json!({"cwd": served.cwd(), "profile": profile});
            let made = served.client.post("/api/v1/sessions", &body).await;
            if made.status == 422 {
                refused += 1;
                continue;
            }
            assert_eq!(made.status, 201, "{row}: {made:?}");
            let id = made.json()["id"].as_str().unwrap().to_owned();
            let start = json!({"from": {"kind": "end"}});
            let path = format!("/api/v1/sessions/{id}");
            let _ = std::fs::remove_file(&witness.args);
            let answer = served.client.post(&format!("{path}/start"), &start).await;
            assert!(answer.status < 500, "{row}: {answer:?}");
            served.client.until(&path, |_| witness.args.exists()).await;
            check(&witness.args(), &row);
            started += 1;
            assert_eq!(served.client.delete(&path).await.status, 204, "{row}");
        }
    }
    assert!(refused > 30 && started > 80, "{refused} refused, {started} started");
    assert!(!served.bed.path("work/pwned").exists());
    served.host.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_text_of_a_command_becomes_an_argument() {
    let served = Served::new().await;
    let witness = Witness::of(&served);
    let session = served.session(json!({"profile": {"claude": witness.exe}})).await;
    let path = format!("/api/v1/sessions/{session}");
    for text in HOSTILE {
        for (what, body) in [
            ("model", json!({ "model": text })),
            ("effort", json!({ "effort": text })),
            ("mode", json!({ "mode": text })),
            ("thinking", json!({ "max_tokens": text })),
        ] {
            let answer = served.client.put(&format!("{path}/{what}"), &body).await;
            let is_option = text.starts_with('-') || text.contains('\n');
            assert!(answer.status < 500, "{what} {text:?}: {answer:?}");
            assert!(!is_option || answer.status == 422, "{what} {text:?}: {answer:?}");
        }
        for start in [
            json!({"from": {"kind": "message", "uuid": text}}),
            json!({"from": text}),
            json!({"from": {"kind": text}}),
        ] {
            let answer = served.client.post(&format!("{path}/start"), &start).await;
            assert_eq!(answer.status, 422, "{start}: {answer:?}");
        }
        for begin in ["resume", "copy", "fork"] {
            let begin = json!({"kind": begin, "cli_session": text, "session": text});
            let body = json!({"cwd": served.cwd(), "begin": begin});
            let answer = served.client.post("/api/v1/sessions", &body).await;
            assert_eq!(answer.status, 422, "{begin}: {answer:?}");
        }
    }
    let mut watcher = Watcher::new(&served.host, session, 0).await;
    served.say(session, "say hm").await;
    watcher.until_status(Status::Idle).await;
    check(&witness.args(), "the run after all commands");
    assert!(!served.bed.path("work/pwned").exists());
    served.host.close().await;
}
