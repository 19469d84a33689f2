//! The token stays where it is, and so does everything else in the data directory.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use pilothouse_host::Host;
use serde_json::json;

use super::bed::{Bed, PATIENCE, script, sim};
use super::client::Daemon;

/// Everything below a directory, itself included.
fn below(dir: &Path) -> Vec<PathBuf> {
    let mut all = vec![dir.to_owned()];
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match std::fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_dir() => all.extend(below(&path)),
            _ => all.push(path),
        }
    }
    all
}

/// A daemon with a session that works.
async fn working(bed: &Bed) -> (Daemon, pilothouse_session::id::SessionId) {
    let host = Host::open(bed.options("")).await.unwrap();
    let session = bed.session(&host).await;
    host.close().await;
    drop(host);
    let daemon = Daemon::start(bed).await;
    let mut socket = daemon.socket().await;
    let content = script("say one\nhold never");
    let prompt = json!({"do": "prompt", "content": content});
    let reply = socket.ask(&session.to_string(), prompt).await.unwrap();
    assert!(reply["problem"].is_null(), "{reply}");
    bed.held("never").await;
    (daemon, session)
}

#[tokio::test]
async fn no_process_is_told_the_token() {
    let bed = Bed::new();
    let (daemon, session) = working(&bed).await;
    let (holder, cli) = bed.pids(session);
    assert!(daemon.token.len() >= 32);
    for pid in [holder, cli] {
        for file in ["environ", "cmdline"] {
            let bytes = std::fs::read(format!("/proc/{pid}/{file}")).unwrap();
            assert!(!bytes.is_empty());
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(&daemon.token), "{file} of {pid}");
        }
    }
    // Nor does it stand in any file but its own: not in the database, not in a wire log.
    for path in below(&bed.path("data")) {
        let is_file = std::fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
        if !is_file || path.ends_with("token") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&daemon.token), "{}", path.display());
    }
}

#[tokio::test]
async fn nobody_else_can_read_what_is_kept() {
    let bed = Bed::new();
    let (_daemon, _) = working(&bed).await;
    let all = below(&bed.path("data"));
    assert!(all.iter().any(|path| path.ends_with("token")));
    assert!(all.iter().any(|path| path.ends_with("pilothouse.db")));
    for path in all {
        let mode = std::fs::symlink_metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} {mode:o}", path.display());
    }
}

#[tokio::test]
async fn a_second_daemon_is_refused_and_the_first_goes_on() {
    let bed = Bed::new();
    let daemon = Daemon::start(&bed).await;
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_pilothouse-daemon"));
    command
        .args([bed.path("data").as_path(), &sim(), Path::new("127.0.0.1:0")])
        .env_clear()
        .envs(bed.options("").env)
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let second = tokio::time::timeout(PATIENCE, command.output()).await.expect("it ends").unwrap();
    assert!(!second.status.success());
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(said.contains("in use by another daemon"), "{said}");
    assert!(!said.contains(&daemon.token));
    let mut socket = daemon.socket().await;
    socket.say(json!({"op": "ping", "id": 1})).await.unwrap();
    assert_eq!(socket.until("reply").await.unwrap()["id"], 1);
}

#[tokio::test]
async fn the_log_has_no_secrets() {
    let secret = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz";
    let bed = Bed::new();
    let host = Host::open(bed.options("")).await.unwrap();
    let session = bed.session(&host).await;
    host.close().await;
    drop(host);
    // What is wrong with it is logged when the session is opened.
    std::fs::create_dir(bed.path("work/.pilothouse")).unwrap();
    std::fs::write(bed.path("work/.pilothouse/policy.toml"), format!("{secret} = 1\n")).unwrap();
    let (daemon, mut log) = Daemon::start_heard(&bed).await;
    let mut socket = daemon.socket().await;
    let prompt = json!({"do": "prompt", "content": script("say one")});
    let reply = socket.ask(&session.to_string(), prompt).await.unwrap();
    assert!(reply["problem"].is_null(), "{reply}");
    let line = loop {
        let line = tokio::time::timeout(PATIENCE, log.next_line()).await.expect("it is logged");
        let line = line.unwrap().expect("it is logged");
        assert!(!line.contains(secret), "{line}");
        if line.contains("policy cannot be read") {
            break line;
        }
    };
    assert!(line.contains("[redacted]"), "{line}");
}
