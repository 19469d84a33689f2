//! What the CLI has kept of files, from transcripts as its releases write them and as they should
//! never be.

use std::fs;
use std::path::Path;

use pilothouse_client::history::{Before, Checkpoint, CopyError, Scope, SessionId};
use serde_json::{Value, json};

use crate::bed::{Bed, lines};

const MOST: u64 = 1 << 20;

/// A copy, as a line names it.
fn copy(name: impl Into<Value>, version: u64) -> Value {
    json!({"backupFileName": name.into(), "version": version, "backupTime": "2026-03-01T10:00:00Z"})
}

fn snapshot(prompt: &str, files: Value) -> Value {
    let snapshot = json!({"messageId": prompt, "trackedFileBackups": files});
    json!({"type": "file-history-snapshot", "messageId": prompt, "snapshot": snapshot})
}

fn delta(prompt: &str, path: impl Into<Value>, backup: Value) -> Value {
    json!({"type": "file-history-delta", "messageId": "m", "snapshotMessageId": prompt,
           "trackingPath": path.into(), "backup": backup})
}

/// A session with these lines, in the directory `p`, and these copies.
fn session(bed: &Bed, content: &[Value], copies: &[(&str, &str)]) -> SessionId {
    let session = bed.put("-p", 1, lines(content), 0);
    let dir = bed.history.config_dir().join("file-history").join(session.as_str());
    fs::create_dir_all(&dir).unwrap();
    for (name, text) in copies {
        fs::write(dir.join(name), text).unwrap();
    }
    session
}

fn checkpoint(bed: &Bed, session: &SessionId, prompt: &str) -> Option<Checkpoint> {
    let cwd = bed.directory("p");
    bed.history.checkpoint(session, &Scope::AllProjects, &cwd, prompt).unwrap()
}

fn text(checkpoint: &Checkpoint, path: &Path) -> Option<String> {
    match checkpoint.before(path, MOST).unwrap() {
        Before::NotThere => None,
        Before::Bytes(bytes) => Some(String::from_utf8(bytes).unwrap()),
    }
}

#[test]
fn each_prompt_has_the_files_as_they_were_before_it() {
    let bed = Bed::new();
    let outside = bed.directory("elsewhere").join("o");
    let [a1, a2, o1] = ["aaaaaaaaaaaaaaaa@v1", "aaaaaaaaaaaaaaaa@v2", "cccccccccccccccc@v1"];
    let content = [
        snapshot("p0", json!({})),
        // The older way: the same again, with more in it.
        snapshot("p1", json!({})),
        snapshot("p1", json!({"a": copy(a1, 1), "sub/new": copy(Value::Null, 1)})),
        snapshot("p2", json!({"a": copy(a2, 2), "sub/new": copy("bbbbbbbbbbbbbbbb@v2", 2)})),
        // The newer way.
        delta("p2", outside.to_str().unwrap(), copy(o1, 1)),
    ];
    let copies =
        [(a1, "first\n"), (a2, "second\n"), (o1, "out\n"), ("bbbbbbbbbbbbbbbb@v2", "new\n")];
    let session = session(&bed, &content, &copies);
    let at = |name: &str| bed.directory("p").join(name);

    let first = checkpoint(&bed, &session, "p1").unwrap();
    assert_eq!(text(&first, &at("a")).as_deref(), Some("first\n"));
    assert_eq!(text(&first, &at("sub/new")), None);
    assert_eq!(
        text(&first, &outside).as_deref(),
        Some("out\n"),
        "changed later for the first time"
    );
    assert_eq!(first, checkpoint(&bed, &session, "p0").unwrap(), "nothing was known yet");
    let second = checkpoint(&bed, &session, "p2").unwrap();
    assert_eq!(text(&second, &at("a")).as_deref(), Some("second\n"));
    assert_eq!(text(&second, &at("sub/new")).as_deref(), Some("new\n"));
    assert_eq!(second.files().count(), 3);
    assert!(matches!(second.before(&at("other"), MOST), Err(CopyError::NotKept)));
    assert!(matches!(second.before(&at("a"), 6), Err(CopyError::TooLarge { most: 6 })));
    assert_eq!(text(&second, &at("a")).as_deref(), Some("second\n"));
    assert_eq!(checkpoint(&bed, &session, "p3"), None);
}

#[test]
fn a_transcript_leads_to_no_other_file() {
    let bed = Bed::new();
    let secret = bed.directory("secrets").join("key");
    fs::write(&secret, "secret").unwrap();
    let config = bed.history.config_dir().to_owned();
    let linked = "dddddddddddddddd@v1";
    let content = [snapshot(
        "p",
        json!({
            "up": copy("../../../secrets/key", 1),
            "far": copy(secret.to_str().unwrap(), 1),
            "odd": copy(json!(["x"]), 1),
            "nothing": json!({"version": 1}),
            "no object": "x",
            "linked": copy(linked, 1),
            "missing": copy("eeeeeeeeeeeeeeee@v1", 1),
            "../../../../../../../../../../etc/passwd": copy(Value::Null, 1),
        }),
    )];
    let session = session(&bed, &content, &[]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(
        &secret,
        config.join("file-history").join(session.as_str()).join(linked),
    )
    .unwrap();
    let found = checkpoint(&bed, &session, "p").unwrap();
    let at = |name: &str| bed.directory("p").join(name);
    for name in ["up", "far", "odd", "nothing", "no object"] {
        assert!(matches!(found.before(&at(name), MOST), Err(CopyError::BadName)), "{name}");
    }
    for name in ["linked", "missing"] {
        assert!(matches!(found.before(&at(name), MOST), Err(CopyError::Io(_))), "{name}");
    }
    let lowest = Path::new("/etc/passwd");
    assert_eq!(found.before(lowest, MOST).unwrap(), Before::NotThere, "a name, and nothing read");
}

#[test]
fn broken_lines_are_passed_over() {
    let bed = Bed::new();
    let good = delta("p", "a", copy(Value::Null, 1)).to_string();
    let torn = r#"{"type":"file-history-snapshot","snapshot":{"messageId":"p","trac"#;
    let said = json!({"type": "user", "message": {"content": good.clone()}});
    let content = format!("{torn}\n{said}\n{{\"type\":\"file-history-delta\"}}\n{good}\n{torn}");
    let session = bed.put("-p", 1, content, 0);
    let found = checkpoint(&bed, &session, "p").unwrap();
    assert_eq!(found.files().collect::<Vec<_>>(), [bed.directory("p").join("a")]);
}
