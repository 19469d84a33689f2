//! What payloads say where the CLI says it in an unusual way: in words only, in old shapes, or not.

#![allow(clippy::unwrap_used, reason = "a test says what went wrong by panicking")]

use pilothouse_session::tool::{
    FileChange, FileFormat, NormalizedPayload, Outcome, ShellAction, SubagentStatus, file_update,
};
use pilothouse_wire::{Content, Raw};
use serde_json::{Value, json};

fn call(name: &str, input: Value) -> NormalizedPayload {
    NormalizedPayload::of_call(name, &Raw::from(input))
}

fn done(mut payload: NormalizedPayload, structured: Value) -> NormalizedPayload {
    let structured = Raw::from(structured);
    payload.complete(&Outcome { structured: Some(&structured), ..Outcome::default() });
    payload
}

fn said(mut payload: NormalizedPayload, text: &str, is_error: bool) -> NormalizedPayload {
    let content = Content::Text(text.to_owned());
    payload.complete(&Outcome { content: Some(&content), is_error, ..Outcome::default() });
    payload
}

/// Checks that the payload holds `expected`, and perhaps more.
#[track_caller]
fn check(payload: &NormalizedPayload, expected: Value) {
    fn missing(found: &Value, expected: &Value, path: &str) -> Vec<String> {
        match (found, expected) {
            (Value::Object(found), Value::Object(expected)) => expected
                .iter()
                .flat_map(|(key, value)| {
                    missing(found.get(key).unwrap_or(&Value::Null), value, &format!("{path}/{key}"))
                })
                .collect(),
            _ if found == expected => Vec::new(),
            _ => vec![format!("{path}: {found} is not {expected}")],
        }
    }
    let found = serde_json::to_value(payload).unwrap();
    assert_eq!(missing(&found, &expected, ""), [""; 0], "{found:#}");
}

#[test]
fn shells_in_words() {
    let bash = || call("Bash", json!({"command": "make"}));
    let failed = said(bash(), "Exit code 2\nmake: no rule", true);
    check(&failed, json!({"error": null, "output": {"exit_code": 2, "stdout": "make: no rule"}}));
    check(&said(bash(), "Exit code 127", true), json!({"output": {"exit_code": 127}}));
    let refused = said(bash(), "<tool_use_error>not allowed</tool_use_error>", true);
    check(&refused, json!({"error": "not allowed", "output": null}));
    check(&said(bash(), "ok", false), json!({"output": {"stdout": "ok", "exit_code": null}}));
    let silent = said(bash(), "(Bash completed with no output)", false);
    check(&silent, json!({"output": {"stdout": null}}));
}

#[test]
fn shells_by_structure() {
    let bash = || call("Bash", json!({"command": "make", "timeout": 1500.5}));
    let code = |output: Value| done(bash(), output);
    check(
        &code(json!({"stdout": "a", "stderr": "b"})),
        json!({"timeout": 1501,
        "output": {"stdout": "a", "stderr": "b", "exit_code": 0}}),
    );
    check(
        &code(json!({"stdout": "", "interrupted": true})),
        json!({
        "output": {"interrupted": true, "exit_code": null}}),
    );
    let grep = json!({"stdout": "", "returnCodeInterpretation": "No matches found"});
    check(&code(grep), json!({"output": {"note": "No matches found", "exit_code": null}}));
    let moved = json!({"stdout": "", "backgroundTaskId": "b1", "timedOutAfterMs": 1000});
    check(
        &code(moved),
        json!({"task_id": "b1",
        "output": {"timed_out_after_ms": 1000, "exit_code": null}}),
    );
    let api = call("bash_code_execution", json!({"command": "ls"}));
    let output = json!({"type": "bash_code_execution_result", "stdout": "", "return_code": 3});
    check(&done(api, output), json!({"output": {"exit_code": 3}}));
}

#[test]
fn background_tasks() {
    let old = done(
        call("BashOutput", json!({"bash_id": "b1"})),
        json!({"shellId": "b1", "command": "npm start", "status": "completed", "exitCode": 0,
            "stdout": "up", "stderr": ""}),
    );
    check(
        &old,
        json!({"action": "read_output", "task_id": "b1", "command": "npm start",
        "output": {"status": "completed", "exit_code": 0, "stdout": "up"}}),
    );
    let agent = done(
        call("TaskOutput", json!({"task_id": "a1", "block": true})),
        json!({"retrieval_status": "success", "task": {"task_id": "a1", "status": "completed",
            "result": "found", "exitCode": null}}),
    );
    check(&agent, json!({"output": {"status": "completed", "stdout": "found"}}));
    let killed = done(call("KillShell", json!({"shell_id": "b1"})), json!({"message": "killed"}));
    check(&killed, json!({"action": "stop", "task_id": "b1", "output": {"note": "killed"}}));
    let nobody = call("TaskStop", json!({}));
    let NormalizedPayload::ShellExec(stop) = &nobody else { panic!("{nobody:?}") };
    assert_eq!((stop.action, &stop.task_id), (ShellAction::Stop, &None));
}

#[test]
fn reads_in_words() {
    let read = || call("Read", json!({"file_path": "/p/a"}));
    let old = "     7→fn main() {\n     8→}\n     9→\n\n<system-reminder>\nx\n</system-reminder>\n";
    let lines = json!({"content": "fn main() {\n}\n", "start_line": 7, "line_count": 3});
    check(&said(read(), old, false), json!({"output": lines}));
    check(&said(read(), "7\tfn main() {\n8\t}\n9\t", false), json!({"output": lines}));
    check(
        &said(read(), "not\tnumbered", false),
        json!({
        "output": {"content": "not\tnumbered", "line_count": null}}),
    );
    let empty = "<system-reminder>The file is empty.</system-reminder>";
    check(&said(read(), empty, false), json!({"output": {"content": ""}}));
    let content =
        r#"[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]"#;
    let content: Content = Raw::from_text(content).unwrap().read().unwrap();
    let mut picture = read();
    picture.complete(&Outcome { content: Some(&content), ..Outcome::default() });
    check(
        &picture,
        json!({"output": {"format": "image",
        "media": [{"media_type": "image/png", "data": "AA=="}]}}),
    );
}

#[test]
fn reads_by_structure() {
    let read = || call("Read", json!({"file_path": "/p/a", "pages": "1-2"}));
    let pages = json!({"type": "parts", "file": {"filePath": "/p/a", "count": 2},
        "pages": [{"base64": "AA==", "mediaType": "image/jpeg"}, {"error": "e"}]});
    check(
        &done(read(), pages),
        json!({"pages": "1-2",
        "output": {"format": "pdf", "page_count": 2, "truncated": true}}),
    );
    let cells = json!({"type": "notebook", "file": {"filePath": "/p/a", "cells": [
        {"cellType": "code", "source": ["a\n", "b"], "cell_id": "1",
            "outputs": [{"output_type": "stream", "text": "3"}]}, 5]}});
    check(
        &done(read(), cells),
        json!({"output": {"format": "notebook", "cells": [
        {"id": "1", "cell_type": "code", "source": "a\nb", "printed": "3"}, {"source": ""}]}}),
    );
    let same = json!({"type": "file_unchanged", "file": {"filePath": "/p/a"}});
    check(&done(read(), same), json!({"output": {"format": "unchanged"}}));
    let odd = done(read(), json!({"type": "hologram", "file": {}}));
    let NormalizedPayload::ReadFile(odd) = odd else { panic!("{odd:?}") };
    assert_eq!(odd.output.unwrap().format, FileFormat::Other);
}

#[test]
fn searches_in_words() {
    let grep = |mode: &str| call("Grep", json!({"pattern": "x", "output_mode": mode}));
    let found = said(grep("files_with_matches"), "Found 2 files\na.rs\nb.rs", false);
    check(&found, json!({"output": {"files": ["a.rs", "b.rs"], "file_count": 2}}));
    let none = said(grep("files_with_matches"), "No files found", false);
    check(&none, json!({"output": {"files": null, "file_count": 0}}));
    let limited = said(grep("files_with_matches"), "Found 9 files limit: 1\na.rs", false);
    check(&limited, json!({"output": {"file_count": 9, "truncated": true}}));
    let lines = said(grep("content"), "a.rs:1:x\na.rs-2-y\nC:\\b.rs:3:x", false);
    check(&lines, json!({"output": {"files": ["a.rs", "C:\\b.rs"], "line_count": 3}}));
    let none = said(grep("content"), "No matches found", false);
    check(&none, json!({"output": {"content": "", "line_count": 0}}));
    let counts = "a.rs:2\nb.rs:1\n\nFound 3 total occurrences across 2 files.";
    check(
        &said(grep("count"), counts, false),
        json!({"output": {"content": "a.rs:2\nb.rs:1",
        "files": ["a.rs", "b.rs"], "match_count": 3, "file_count": 2}}),
    );
    let glob = call("Glob", json!({"pattern": "*"}));
    let more = "a\nb\n(Results are truncated. Consider using a more specific path or pattern.)";
    check(&said(glob, more, false), json!({"output": {"files": ["a", "b"], "truncated": true}}));
    let list = said(call("LS", json!({"path": "/p", "ignore": ["t"]})), "- /p/\n  - a\n", false);
    check(&list, json!({"ignore": ["t"], "output": {"content": "- /p/\n  - a\n"}}));
}

#[test]
fn the_web() {
    let search = || call("WebSearch", json!({"query": "q", "allowed_domains": ["x.example"]}));
    let hit = json!({"title": "T", "url": "https://x.example"});
    let found = json!({"query": "q", "durationSeconds": 1.25,
        "results": [{"tool_use_id": "s", "content": [hit]}, "Some text.", 7]});
    check(
        &done(search(), found),
        json!({"allowed_domains": ["x.example"],
        "response": {"hits": [hit], "body": "Some text.", "duration_ms": 1250}}),
    );
    let words = format!("Web search results for query: \"q\"\n\nLinks: [{hit}]\n\nText.");
    check(&said(search(), &words, false), json!({"response": {"hits": [hit]}}));
    let api = || call("web_search", json!({"query": "q"}));
    let list = json!([{"type": "web_search_result", "title": "T", "url": "https://x.example"}]);
    check(&done(api(), list), json!({"response": {"hits": [hit]}}));
    let refused =
        json!({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"});
    check(&done(api(), refused), json!({"error": "max uses exceeded", "response": null}));
    let page = done(
        call("WebFetch", json!({"url": "https://x.example", "prompt": "p"})),
        json!({"bytes": 10, "code": 404, "codeText": "Not Found", "result": "r", "durationMs": 7}),
    );
    check(
        &page,
        json!({"method": "GET", "prompt": "p", "response": {"status": 404,
        "status_text": "Not Found", "body": "r", "page_bytes": 10, "duration_ms": 7}}),
    );
}

#[test]
fn subagents_in_words() {
    let text = "There are seven.\nagentId: a17 (for resuming)\n\
        <usage>total_tokens: 120\ntool_uses: 1\nduration_ms: 30</usage>";
    let agent = || call("Task", json!({"description": "count", "prompt": "Count."}));
    check(
        &said(agent(), text, false),
        json!({"output": {"status": "completed",
        "result": "There are seven.", "agent_id": "a17", "total_tokens": 120, "tool_uses": 1,
        "duration_ms": 30}}),
    );
    check(&said(agent(), "Just this.", false), json!({"output": {"result": "Just this."}}));
    let remote =
        json!({"status": "remote_launched", "taskId": "t", "sessionUrl": "https://x.example"});
    let NormalizedPayload::SubagentTask(remote) = done(agent(), remote) else { panic!() };
    assert_eq!(remote.output.unwrap().status, SubagentStatus::LaunchedRemotely);
}

#[test]
fn questions_and_plans() {
    let input = json!({"questions": [
        {"question": "B?", "options": [{"label": "x", "markdown": "# x"}], "multiSelect": true},
        {"question": "A?"}]});
    let output = json!({"answers": {"A?": "1", "B?": "x", "C?": "2"},
        "annotations": {"A?": {"notes": "n"}, "D?": {"unanswered": "skipped"}}});
    check(
        &done(call("AskUserQuestion", input.clone()), output),
        json!({"answers": [
        {"question": "B?", "answer": "x"}, {"question": "A?", "answer": "1", "notes": "n"},
        {"question": "C?", "answer": "2"}, {"question": "D?", "unanswered": "skipped"}]}),
    );
    let asked = call("AskUserQuestion", input);
    check(
        &asked,
        json!({"questions": [{"question": "B?", "multi_select": true,
        "options": [{"label": "x", "preview": "# x"}]}, {"question": "A?"}]}),
    );
    check(&said(asked, "User said no.", false), json!({"response": "User said no."}));
    let plan = call("ExitPlanMode", json!({"plan": "p", "allowedPrompts": [{"tool": "Bash"}]}));
    let output = json!({"plan": "better", "filePath": "/h/p.md", "planWasEdited": true});
    check(
        &done(plan, output),
        json!({"plan": "better", "file_path": "/h/p.md", "edited": true,
        "allowed_prompts": [{"tool": "Bash"}]}),
    );
}

#[test]
fn what_cannot_be_read_is_generic() {
    for (name, input) in [
        ("Bash", json!({"timeout": 5})),
        ("Edit", json!({"file_path": "a", "old_string": "x"})),
        ("Read", json!("text")),
        ("TodoWrite", json!({"todos": [{"content": "a"}, 5]})),
        ("MultiEdit", json!({"file_path": "a", "edits": "none"})),
        ("AskUserQuestion", json!({"questions": [5]})),
    ] {
        check(&call(name, input.clone()), json!({"kind": "generic", "name": name, "input": input}));
    }
    // An odd field that is not essential costs only itself.
    let odd = call("Read", json!({"file_path": "a", "limit": "all", "offset": 2}));
    check(&odd, json!({"kind": "read_file", "offset": 2, "limit": null}));
}

#[test]
fn mcp_results() {
    let mcp = || call("mcp__db__query", json!({"sql": "x"}));
    let blocks = json!([{"type": "text", "text": "t"}]);
    check(
        &done(mcp(), blocks),
        json!({"server": "db", "tool": "query",
        "output": {"structured": null}}),
    );
    let both = json!({"content": "{}", "structuredContent": {"rows": 1}});
    check(&done(mcp(), both), json!({"output": {"structured": {"rows": 1}}}));
    check(&done(mcp(), json!({"rows": 1})), json!({"output": {"structured": {"rows": 1}}}));
    check(&said(mcp(), "no such table", true), json!({"error": "no such table", "output": null}));
}

#[test]
fn a_call_that_still_runs_is_left_alone() {
    let mcp = call("mcp__db__query", json!({}));
    assert_eq!(done(mcp.clone(), json!({"detachedToolCall": true})), mcp);
}

#[test]
fn changes_of_files_in_words() {
    let write = || call("Write", json!({"file_path": "/p/a", "content": "x\n"}));
    check(
        &said(write(), "File created successfully at: /p/a", false),
        json!({"change": "created"}),
    );
    let content = Content::Text("The file /p/a has been updated.".to_owned());
    let outcome = Outcome { content: Some(&content), ..Outcome::default() };
    let mut payload = write();
    payload.complete(&outcome);
    let update = file_update(&payload, &outcome).unwrap();
    assert_eq!((update.change, update.before), (FileChange::Modified, None));
    assert_eq!(update.after.as_deref(), Some("x\n"));
    assert_eq!(update.patch.unwrap().diff, "--- a/p/a\n+++ b/p/a\n@@ -0,0 +1 @@\n+x\n");
    let failed = Outcome { is_error: true, ..outcome };
    assert_eq!(file_update(&payload, &failed), None);
    assert_eq!(file_update(&call("Bash", json!({"command": "rm a"})), &outcome), None);
}
