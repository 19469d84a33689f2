//! Exports of sessions. What a document looks like is in the snapshots; here is what holds of all.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

#[path = "export/parsed.rs"]
mod parsed;

use std::convert::Infallible;
use std::io::{self, Write};

use jiff::Timestamp;
use pilothouse_host::export::{ExportError, ExportHeader, json, markdown};
use pilothouse_host::visible::is_unseen;
use pilothouse_session::event::Event;
use pilothouse_session::id::SessionId;
use serde_json::{Value, json};
use uuid::Uuid;

fn header() -> ExportHeader {
    ExportHeader {
        session: SessionId(Uuid::from_u128(7)),
        title: Some("A title <script>\n# with lines \u{202e}\u{1b}".to_owned()),
        cwd: "/srv/`ticks`".to_owned(),
        cli_session: Some("conversation".to_owned()),
        model: Some("model-a".to_owned()),
        created_at: Timestamp::UNIX_EPOCH,
        exported_at: Timestamp::UNIX_EPOCH,
    }
}

/// Events of these bodies, numbered.
fn events(bodies: &[Value]) -> Vec<Event> {
    let numbered = (1..).zip(bodies).map(|(seq, body)| {
        let mut event = json!({
            "session": Uuid::from_u128(7), "seq": seq, "at": "2026-09-01T10:00:00Z",
            "turn": 1, "parent_tool_call_id": null,
        });
        for (key, value) in body.as_object().unwrap() {
            event[key] = value.clone();
        }
        serde_json::from_value(event).unwrap()
    });
    numbered.collect()
}

fn good(events: Vec<Event>) -> impl Iterator<Item = Result<Event, Infallible>> {
    events.into_iter().map(Ok)
}

fn document(bodies: &[Value]) -> String {
    let mut out = Vec::new();
    markdown(&header(), good(events(bodies)), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn call(id: &str, title: &str, payload: &Value) -> Value {
    json!({"type": "tool_call", "item": 1, "tool_call_id": id, "tool_name": "T", "title": title,
        "payload": payload})
}

fn ended(id: &str, status: &str, payload: &Value) -> Value {
    json!({"type": "tool_update", "item": 1, "tool_call_id": id, "status": status,
        "payload": payload, "reason": null})
}

fn shell(command: &str, stdout: &str) -> Value {
    json!({"kind": "shell_exec", "action": "run", "command": command,
        "output": {"stdout": stdout, "exit_code": 3}})
}

fn message(text: &str) -> Value {
    json!({"type": "message", "item": 2, "text": text, "uuid": null})
}

fn everything() -> Vec<Value> {
    let patch = json!({"diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+```\n", "hunks": [],
        "lines_added": 1, "lines_removed": 1});
    let edit = json!({"kind": "modify_file", "file_path": "x", "mutations": [], "patch": patch});
    let read = json!({"kind": "read_file", "file_path": "x",
        "output": {"format": "text", "content": "one\ntwo\n"}});
    let mcp = json!({"kind": "generic", "name": "mcp__s__t", "input": {"a": [1]},
        "output": {"text": "out"}});
    let agent = json!({"kind": "subagent_task", "description": "inner", "prompt": "look"});
    let mut told = agent.clone();
    told["output"] = json!({"status": "completed", "result": "seen"});
    let inner = |mut body: Value| {
        body["parent_tool_call_id"] = json!("t5");
        body
    };
    let mut failed = shell("false", "");
    failed["error"] = json!("not allowed");
    vec![
        json!({"type": "run_started", "run": Uuid::nil(), "pid": 1, "origin": {"kind": "new"}}),
        json!({"type": "user_message", "prompt": Uuid::from_u128(1), "item": 1, "text": "Do **it**",
            "attachments": [{"media_type": "image/png", "size": 3, "title": "cat.png"}],
            "origin": {"kind": "user"}}),
        json!({"type": "turn_started", "autonomous": false}),
        json!({"type": "model_changed", "model": "model-a"}),
        json!({"type": "reasoning", "item": 1, "text": "hm </details>"}),
        json!({"type": "reasoning", "item": 1, "text": "", "redacted": true}),
        message("I will.\n\n- one\n- `Vec<T>` and <b>bold</b>"),
        call("t1", "ls", &shell("ls", "")),
        json!({"type": "approval_requested", "approval": 1, "tool_call_id": "t1", "agent_id": null,
            "subject": {"kind": "tool", "tool_name": "Bash", "input": {}, "payload": shell("ls", "")},
            "title": null, "reason": "it may\nharm", "suggestions": [], "blocked_path": null,
            "default_to_no": false, "requires_user_interaction": false, "policy": null}),
        json!({"type": "approval_resolved", "approval": 1, "tool_call_id": "t1", "tool_name": "Bash",
            "decision": {"kind": "allow"}, "by": {"kind": "client", "name": "Ann"}}),
        ended("t1", "complete", &shell("ls", "a\n```\nb\n")),
        call("t2", "Edit x", &edit),
        ended("t2", "complete", &edit),
        call("t3", "Read x", &read),
        ended("t3", "complete", &read),
        call("t4", "t", &mcp),
        ended("t4", "error", &mcp),
        call("t5", "inner", &agent),
        inner(json!({"type": "user_message", "prompt": null, "item": 1, "text": "look",
            "attachments": [], "origin": {"kind": "cli", "source": "subagent"}})),
        inner(call("t6", "cat y", &shell("cat y", ""))),
        inner(ended("t6", "complete", &shell("cat y", "y\n\nz"))),
        inner(message("I see.\n\n```\nopen")),
        ended("t5", "complete", &told),
        call("t7", "false", &failed),
        ended("t7", "cancelled", &failed),
        json!({"type": "todos", "items": [
            {"title": "first", "status": "completed"}, {"title": "second", "status": "in_progress"}]}),
        json!({"type": "notice", "level": "warning", "about": "retry", "text": "again"}),
        call("t8", "sleep", &shell("sleep", "")),
        json!({"type": "error", "message": "over\nloaded", "code": "overloaded"}),
        json!({"type": "complete", "outcome": "failed", "prompts": [], "total_cost_usd": 0.01234,
            "tokens": {"input": 1, "output": 2, "cache_creation": 3, "cache_read": 4}, "models": {},
            "duration_ms": 1234.0, "duration_api_ms": null, "num_turns": 1,
            "last_message_uuid": null, "reason": null, "structured_output": null,
            "denied_tool_call_ids": [], "queued_turns": null}),
        message("cut"),
    ]
}

#[test]
fn as_markdown() {
    insta::assert_snapshot!(document(&everything()));
}

#[test]
fn as_json() {
    let mut out = Vec::new();
    let mut bodies = everything();
    bodies.push(message("\u{1b}]0;t\u{7}\u{7f}\u{9b}31m \u{202e}\u{2028}\u{feff}\u{e0041}"));
    let events = events(&bodies);
    json(&header(), good(events.clone()), &mut out).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(document["format"], "pilothouse-session");
    assert_eq!(document["version"], 1);
    assert_eq!(
        serde_json::from_value::<ExportHeader>(document["session"].clone()).unwrap(),
        header()
    );
    let read: Vec<Event> = serde_json::from_value(document["events"].clone()).unwrap();
    assert_eq!(read, events);
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text.lines().count(), events.len() + 2, "a line for each");
    assert!(!text.chars().any(|own| is_unseen(own) && own != '\n'));
    let mut out = Vec::new();
    json(&header(), good(Vec::new()), &mut out).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&out).unwrap()["events"], json!([]));
}

/// The fences of a document: where they open and close, by the rules of Markdown. Gives the lines that
/// are in none.
fn outside(document: &str) -> Vec<&str> {
    let mut open: Option<&str> = None;
    let mut lines = Vec::new();
    for line in document.lines() {
        let bare = line.strip_prefix("> ").unwrap_or(line);
        let run = bare.len() - bare.trim_start_matches('`').len();
        match open {
            Some(fence) if run >= fence.len() && bare.len() == run => open = None,
            Some(_) => {}
            None if run >= 3 => open = Some(&bare[..run]),
            None => lines.push(line),
        }
    }
    assert_eq!(open, None, "a fence is left open");
    lines
}

#[test]
fn nothing_gets_out_of_its_fence() {
    let evil =
        "OUT\n```\nOUT\n````\n\r```\rOUT\n~~~\n</details>\n`````\n# OUT <script>OUT</script>";
    let documents = [
        document(&[call("t", "x", &shell(evil, "")), ended("t", "complete", &shell(evil, evil))]),
        document(&[call("t", evil, &shell(evil, evil))]),
    ];
    for document in documents {
        let lines = outside(&document);
        let headings: Vec<_> = lines.iter().filter(|line| line.starts_with('#')).collect();
        assert_eq!(headings.len(), 2, "{document}");
        let loose = lines.iter().filter(|line| line.contains("OUT") && !line.starts_with("### `"));
        assert_eq!(loose.count(), 0, "{document}");
    }
}

/// What a message is written as.
fn written(said: &str) -> String {
    let document = document(&[message(said)]);
    let body = document.split("- Exported: 1970-01-01T00:00:00Z\n\n").nth(1).unwrap();
    body.trim_end().to_owned()
}

#[test]
fn what_is_said_is_no_html() {
    let cases = [
        ("<script>alert(1)</script>", r"\<script>alert(1)\</script>"),
        ("<T>\n<img src=x onerror=y>", "\\<T>\n\\<img src=x onerror=y>"),
        ("<IMG/src=x>", r"\<IMG/src=x>"),
        ("a <b onclick=x>", r"a \<b onclick=x>"),
        ("Vec<T> and `Map<K, V>`", r"Vec\<T> and `Map<K, V>`"),
        ("a < b && b<1;", "a < b && b<1;"),
        ("<!-- x", r"\<!-- x"),
        ("<?php", r"\<?php"),
        ("<https://example.org>", r"\<https://example.org>"),
        (r"\\<b>", r"\\\<b>"),
        (r"\<b>", r"\<b>"),
        ("- <details>", r"- \<details>"),
        ("<div", r"\<div"),
        // A backtick pairs with one of its own line only.
        ("a ` b\n` <b> `c`", "a \\` b\n` <b> `c\\`"),
        // A link takes the first backtick.
        ("[a](`) <b> `", "[a](`) &lt;b> `"),
        ("[a](x) `<b>`", "[a](x) `<b>`"),
        ("> [a](x '\n`') <b> `", "> [a](x '\n`') &lt;b> `"),
        ("| `<b> | c` |", "| `&lt;b> | c` |"),
        // Blocks of code are written again, at the margin.
        ("- a\n  ```\n  <b>\n  ```\n<b>", "- a\n```\n<b>\n```\n\\<b>"),
        ("1. ```sh\n   <b>\n   ```", "\n1.\n\n```sh\n<b>\n```"),
        ("```\n<b>\n```\n<b>", "```\n<b>\n```\n\\<b>"),
        ("~~~ x\n<b>\n~~~~\n<b>", "```x\n<b>\n```\n\\<b>"),
        ("~~~\n```\n~~~", "````\n```\n````"),
        ("``` `x`\n<b>", "\\`\\`\\` `x`\n\\<b>"),
        ("> ```\n> <b>\n<b>", "> ```\n> <b>\n> ```\n\\<b>"),
        ("a\n\n    <b>\n\nc", "a\n\n```\n<b>\n```\n\nc"),
        ("```\nleft open", "```\nleft open\n```"),
        // One space before a fence, and the one after closes it.
        (" ```\na\n```\n<script>", "```\na\n```\n\\<script>"),
        ("   ```\n    a\n  ```\n<script>", "```\n a\n```\n\\<script>"),
    ];
    for (said, expected) in cases {
        assert_eq!(written(said), expected.trim_end(), "{said}");
    }
}

/// Takes so much, and no more.
struct Small(usize);

impl Write for Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn who_cannot_write_or_read_says_so() {
    let all = events(&everything());
    let full = markdown(&header(), good(all.clone()), Small(1000));
    assert!(matches!(full, Err(ExportError::Write(_))), "{full:?}");
    let full = json(&header(), good(all.clone()), Small(1000));
    assert!(matches!(full, Err(ExportError::Write(_))), "{full:?}");
    let broken = || {
        let some = all.clone().into_iter().take(3).map(Ok);
        some.chain([Err(io::Error::other("the store is gone"))])
    };
    let mut out = Vec::new();
    assert!(matches!(markdown(&header(), broken(), &mut out), Err(ExportError::Read(_))));
    assert!(matches!(json(&header(), broken(), &mut out), Err(ExportError::Read(_))));
}

/// Calls that never end are not kept for ever, and none is lost.
#[test]
fn many_open_calls() {
    let bodies: Vec<Value> =
        (0..1000).map(|at| call(&format!("t{at}"), &format!("c{at}"), &shell("x", ""))).collect();
    let document = document(&bodies);
    for at in 0..1000 {
        assert!(document.contains(&format!("### `c{at}` — no result\n")), "{at}");
    }
}
