//! Text that wants to steer the terminal, in every field and in every command.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use pilothouse_host::visible::{self, is_unseen};
use pilothouse_host::wirelog::{ARCHIVE, FILE};
use serde_json::{Value, json};

use super::bed::{Bed, Ran};
use super::help::commands;

/// A title for the terminal, its clipboard, a cleared screen in C0 and in C1, a backspace, DEL, and
/// what reorders or hides text.
const HOSTILE: &str = "A\u{1b}]0;t\u{7}\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}2J\u{8}\u{7f}\u{202e}\u{2066}\u{2028}\u{200b}Z";

/// Fails where the output has a character that is not shown, besides line ends and our colours.
fn check(what: &str, ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        let mut parts = text.split('\x1b');
        let mut rest = parts.next().unwrap().to_owned();
        for part in parts {
            let (style, text) = part.split_once('m').unwrap_or((part, ""));
            let is_style = |c: char| c.is_ascii_digit() || matches!(c, '[' | ';');
            assert!(style.starts_with('[') && style.chars().all(is_style), "{what}: {text:?}");
            rest.push_str(text);
        }
        let bad = rest.chars().find(|own| is_unseen(*own) && !matches!(own, '\n' | '\t'));
        assert_eq!(bad, None, "{what}: {rest:?}");
    }
}

/// A bed whose latest session has hostile text wherever there is text, and a request that waits.
fn bed() -> (Bed, String) {
    let bed = Bed::new();
    let cwd = bed.path("work").join(HOSTILE);
    fs::create_dir(&cwd).unwrap();
    let text = serde_json::to_string(HOSTILE).unwrap();
    let file = serde_json::to_string(&cwd.join("made.txt")).unwrap();
    let lines = format!(
        "think {text}\nsay {text}\ntool Bash {{\"command\":{text},\"description\":{text}}}\n---\n\
         tool Write {{\"file_path\":{file},\"content\":{text}}}\n---\nsay {text}"
    );
    let cwd = cwd.to_str().unwrap();
    let hook = json!([{"hooks": [{"type": "command", "command": HOSTILE}]}]);
    let settings = json!({"hooks": {"Stop": hook}, "env": {HOSTILE: HOSTILE}, HOSTILE: 1});
    let claude = Path::new(&cwd).join(".claude");
    fs::create_dir(&claude).unwrap();
    fs::write(claude.join("settings.json"), settings.to_string()).unwrap();
    bed.ok(["up", "--no-open"]);
    let ran = bed.say(&["--policy", "autonomous", "--color", "always", "--cwd", cwd], &lines);
    check("run", &ran);
    assert!(ran.out.contains("<U+001B>") && ran.out.contains("<U+202E>"), "{ran:?}");
    let id = bed.sessions()[0]["id"].as_str().unwrap().to_owned();
    change(&bed, &id, &json!({ "title": HOSTILE, "tags": [HOSTILE] }));
    (bed, id)
}

/// Changes a session through the daemon's API.
fn change(bed: &Bed, id: &str, change: &Value) {
    let beacon = fs::read(bed.data().join("daemon.json")).unwrap();
    let beacon: Value = serde_json::from_slice(&beacon).unwrap();
    let address = beacon["addresses"][0].as_str().unwrap();
    let token = fs::read_to_string(bed.data().join("token")).unwrap();
    let (token, body) = (token.trim(), change.to_string());
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "PATCH /api/v1/sessions/{id} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Arguments for each command that help names, with `ID` for the session. No arguments: the command
/// prints no text of others, or cannot be run here.
const TABLE: [(&str, &[&[&str]]); 28] = [
    ("run", &[&["run", "--quiet", "--resume", "ID", "hello"]]),
    ("ls", &[&["ls", "--all"], &["ls", "--json"]]),
    ("show", &[&["show", "ID"], &["show", "ID", "--json"]]),
    ("logs", &[&["logs", "ID"], &["logs", "ID", "--json"]]),
    ("send", &[&["send", "ID", HOSTILE]]),
    ("approve", &[&["approve", "ID"], &["approve", HOSTILE]]),
    ("deny", &[&["deny", "ID"]]),
    ("stop", &[&["stop", "ID"]]),
    ("resume", &[&["resume", "ID"]]),
    ("fork", &[&["fork", "ID"]]),
    ("rewind", &[&["rewind", "ID"], &["rewind", "ID", "--dry-run"]]),
    ("search", &[&["search", "Z"], &["search", "Z", "--json"], &["search", "--past", "Z"]]),
    ("import", &[&["import", "--everywhere"], &["import", HOSTILE]]),
    ("export", &[&["export", "ID", "--format", "json"]]),
    ("replay", &[&["replay", "TRANSCRIPT"], &["replay", "--json", "TRANSCRIPT"]]),
    (
        "policy",
        &[
            &["policy", "test", "supervised", "--sessions", "ID"],
            &["policy", "test", "supervised", "--json", "--sessions", "ID"],
            &["policy", "explain", "supervised", "Bash", HOSTILE],
            &["policy", "check", HOSTILE],
        ],
    ),
    (
        "trust",
        &[
            &["trust", "show", "--", "CWD"],
            &["trust", "show", "--json", "--", "CWD"],
            &["trust", "add", "--yes", "--", "CWD"],
            &["trust", "ls"],
            &["trust", "ls", "--json"],
            &["trust", "rm", "--", "CWD"],
        ],
    ),
    ("doctor", &[&["doctor"], &["doctor", "--json"]]),
    ("status", &[&["status"], &["status", "--json"]]),
    ("config", &[&["config"], &["config", HOSTILE]]),
    ("login", &[&["login", "--name", HOSTILE], &["login", "--host", HOSTILE]]),
    ("rm", &[&["rm", HOSTILE]]),
    // Through a terminal: in `terminal.rs`.
    ("attach", &[]),
    ("up", &[]),
    ("down", &[]),
    ("demo", &[]),
    // Below: it prints until it ends.
    ("serve", &[]),
    ("completions", &[]),
];

#[test]
fn no_command_prints_what_a_terminal_obeys() {
    let (bed, id) = bed();
    let log = wire_log(&bed.data().join("runs"));
    for name in commands(&bed) {
        let row = TABLE.iter().find(|(known, _)| *known == name);
        let (_, calls) = row.unwrap_or_else(|| panic!("add `{name}` to the table"));
        for call in *calls {
            let words = call.iter().map(|word| match *word {
                "ID" => id.clone(),
                "TRANSCRIPT" => log.display().to_string(),
                "CWD" => bed.path("work").join(HOSTILE).display().to_string(),
                word => word.to_owned(),
            });
            let words: Vec<String> =
                ["--color=always".to_owned()].into_iter().chain(words).collect();
            // Wide enough to cut nothing off.
            let output = bed.command(&words).env("COLUMNS", "2000").output().unwrap();
            let ran = Ran::of(&output);
            check(&name, &ran);
            if ["ls", "show", "logs", "export", "replay"].contains(&&*name) {
                assert_eq!(ran.code, Some(0), "{words:?}: {ran:?}");
                let is_there = ran.out.contains("<U+202E>") || ran.out.contains("\\u202e");
                assert!(is_there, "{words:?}: {ran:?}");
            }
        }
    }
}

/// The daemon logs what is wrong with a policy, in the policy's own words.
#[test]
fn serve_logs_nothing_that_a_terminal_obeys() {
    let bed = Bed::new();
    let mut serving = bed.start(["serve"]);
    let mut first = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut first).unwrap();
    fs::create_dir(bed.path("work/.pilothouse")).unwrap();
    // An unknown field; TOML has the same escapes.
    let field = serde_json::to_string(HOSTILE).unwrap();
    let policy = format!("{} = 1\n", visible::json(&field));
    fs::write(bed.path("work/.pilothouse/policy.toml"), policy).unwrap();
    check("run", &bed.say(&[], "say hello"));
    bed.ok(["down"]);
    let ran = Ran::wait(serving);
    assert!(ran.err.contains("policy cannot be read"), "{ran:?}");
    assert!(ran.err.contains("<U+202E>"), "{ran:?}");
    check("serve", &ran);
}

/// JSON stays lossless.
#[test]
fn json_keeps_every_character() {
    let (bed, id) = bed();
    let shown: Value = serde_json::from_str(&bed.ok(["show", &id, "--json"])).unwrap();
    assert_eq!((&shown["title"], &shown["tags"][0]), (&json!(HOSTILE), &json!(HOSTILE)));
    let lines = bed.ok(["logs", &id, "--json"]);
    let mut events = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    assert!(events.any(|event| event["type"] == "message" && event["text"] == HOSTILE));
    let export = bed.ok(["export", &id, "--format", "json"]);
    let export: Value = serde_json::from_str(&export).unwrap();
    assert_eq!(export["session"]["title"], HOSTILE);
}

fn wire_log(dir: &Path) -> PathBuf {
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            if path.join(FILE).exists() || path.join(ARCHIVE).exists() {
                return path;
            }
            if path.is_dir() {
                dirs.push(path);
            }
        }
    }
    panic!("no run was recorded");
}

/// Commands write through `view` alone, which makes text visible.
#[test]
fn only_the_view_writes_to_the_terminal() {
    let mut dirs = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(dir).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                dirs.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            // What a library is handed to write its own log to.
            let text = text.replace("LogFormat::Text, std::io::stderr()", "");
            let text = text.replace("Exact::stdout()", "");
            for (number, line) in text.lines().enumerate() {
                let writes = ["stdout()", "stderr()", "println!", "print!("]
                    .iter()
                    .any(|name| line.contains(name) && !line.contains(".is_terminal()"));
                let is_view = path.components().any(|part| part.as_os_str() == "view");
                let is_other = line.contains("rustix::stdio") || line.trim().starts_with("//");
                assert!(!writes || is_view || is_other, "{}:{}", path.display(), number + 1);
            }
        }
    }
}
