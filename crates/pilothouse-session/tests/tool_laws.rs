//! What holds for every call: no input and no result is too odd, too large or too deep.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use pilothouse_session::tool::{
    DIFF_LIMIT, JSON_LIMIT, MEDIA_LIMIT, NormalizedPayload, Outcome, TEXT_LIMIT, TodoList,
    file_update,
};
use pilothouse_wire::tool::{ToolInput, ToolOutput};
use pilothouse_wire::{Content, Raw};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Words that inputs and outputs use, so that arbitrary objects come close to real ones.
const KEYS: &[&str] = &[
    "command",
    "file_path",
    "filePath",
    "old_string",
    "new_string",
    "oldString",
    "newString",
    "content",
    "edits",
    "pattern",
    "path",
    "todos",
    "newTodos",
    "status",
    "task",
    "tasks",
    "id",
    "taskId",
    "subject",
    "stdout",
    "stderr",
    "structuredPatch",
    "lines",
    "oldStart",
    "newLines",
    "originalFile",
    "type",
    "file",
    "cells",
    "source",
    "questions",
    "question",
    "answers",
    "plan",
    "prompt",
    "query",
    "results",
    "url",
    "result",
    "filenames",
    "numFiles",
    "mode",
    "notebook_path",
    "new_source",
    "original_file",
    "updated_file",
    "detachedToolCall",
];
const WORDS: &[&str] = &[
    "",
    "text",
    "image",
    "notebook",
    "completed",
    "deleted",
    "create",
    "content",
    "count",
    "a\nb\n",
    "\u{1b}[31mü→",
    "Found 3 files\na",
    "Exit code 1\nx",
    "     1→a\n",
    "<tool_use_error>",
    "</system-reminder>",
    "agentId: ",
    "Links: [{}]",
    "#",
    "a:1:b",
    "1",
    "/project/a",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        select(WORDS).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            btree_map(select(KEYS).prop_map(str::to_owned), inner, 0..8)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// An object with any of the words a tool might look for.
fn object() -> impl Strategy<Value = Value> {
    btree_map(select(KEYS).prop_map(str::to_owned), value(), 0..24)
        .prop_map(|members| members.into_iter().collect())
}

fn name() -> impl Strategy<Value = &'static str> {
    let mut names = ToolInput::TYPED.to_vec();
    names.extend(ToolOutput::TYPED);
    names.extend(["Task", "KillShell", "mcp__a__b", "web_search", "StructuredOutput", "New", ""]);
    select(names)
}

/// Everything that can be asked of a call; panics are what is looked for.
fn check(name: &str, input: Value, content: Option<&str>, structured: Option<Value>) {
    let structured = structured.map(Raw::from);
    let content: Option<Content> =
        content.map(|text| Raw::from_text(text).unwrap().read().unwrap_or_default());
    let mut payload = NormalizedPayload::of_call(name, &Raw::from(input));
    for is_error in [false, true] {
        let (content, structured) = (content.as_ref(), structured.as_ref());
        let outcome = Outcome { content, structured, is_error };
        for payload in [payload.clone(), {
            payload.complete(&outcome);
            payload.clone()
        }] {
            let text = serde_json::to_string(&payload).unwrap();
            let read: NormalizedPayload = serde_json::from_str(&text).unwrap();
            assert_eq!(read, payload, "{text}");
            let title = payload.title_in(Some("/project"));
            assert!(title.chars().count() <= 80 && !title.contains('\n'), "{title}");
            assert!(payload.paths().len() <= 1);
            TodoList::default().apply(&payload);
        }
        let update = file_update(&payload, &outcome);
        assert!(!is_error || update.is_none());
        let text = serde_json::to_string(&update).unwrap();
        assert_eq!(
            serde_json::from_str::<Option<pilothouse_session::tool::FileUpdate>>(&text).unwrap(),
            update
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_too_odd(
        name in name(),
        input in prop_oneof![object(), value()],
        structured in proptest::option::of(prop_oneof![object(), value()]),
        content in proptest::option::of(prop_oneof![
            select(WORDS).prop_map(|text| Value::from(text).to_string()),
            any::<String>().prop_map(|text| Value::from(text).to_string()),
            value().prop_map(|value| value.to_string()),
        ]),
    ) {
        check(name, input, content.as_deref(), structured);
    }

    #[test]
    fn a_patch_leads_from_old_to_new(old in lines(), new in lines()) {
        let output = json!({"type": "update", "filePath": "/a", "content": new,
            "structuredPatch": [], "originalFile": old});
        let structured = Raw::from(output);
        let input = Raw::from(json!({"file_path": "/a", "content": new}));
        let mut payload = NormalizedPayload::of_call("Write", &input);
        payload.complete(&Outcome { structured: Some(&structured), ..Outcome::default() });
        let NormalizedPayload::ModifyFile(modify) = payload else { panic!("{payload:?}") };
        match modify.patch {
            None => prop_assert_eq!(old, new),
            Some(patch) => prop_assert_eq!(patched(&old, &patch.diff), new),
        }
    }
}

fn lines() -> impl Strategy<Value = String> {
    let line = select(&["a\n", "b\n", "c\n", "d\r\n", "\n"][..]);
    (vec(line, 0..30), select(&["", "end"][..]))
        .prop_map(|(lines, end)| format!("{}{end}", lines.concat()))
}

/// Applies a unified diff, as `patch` does.
fn patched(old: &str, diff: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut at, mut new) = (0, String::new());
    let mut lines = diff.split_inclusive('\n').skip(2).peekable();
    while let Some(line) = lines.next() {
        let ends = lines.peek().is_some_and(|next| next.starts_with('\\'));
        let text = if ends { line[1..].trim_end_matches('\n') } else { &line[1..] };
        match line.as_bytes()[0] {
            b'@' => {
                let range = line[4..].split(' ').next().unwrap();
                let (start, count) = range.split_once(',').unwrap_or((range, "1"));
                let start: usize = start.parse().unwrap();
                let start = if count == "0" { start } else { start - 1 };
                old[at..start].iter().for_each(|line| new.push_str(line));
                at = start;
            }
            b'+' => new.push_str(text),
            b'-' => {
                assert_eq!(old[at], text);
                at += 1;
            }
            b' ' => {
                assert_eq!(old[at], text);
                new.push_str(text);
                at += 1;
            }
            _ => {}
        }
    }
    old[at..].iter().for_each(|line| new.push_str(line));
    new
}

/// Bytes of a payload with a huge input and a huge result.
fn size(name: &str, input: Value, structured: Value) -> (usize, Value) {
    let mut payload = NormalizedPayload::of_call(name, &Raw::from(input));
    let structured = Raw::from(structured);
    let content = Content::Text("x".repeat(1 << 20));
    let outcome =
        Outcome { content: Some(&content), structured: Some(&structured), is_error: false };
    payload.complete(&outcome);
    let json = serde_json::to_value(&payload).unwrap();
    (json.to_string().len(), json)
}

#[test]
fn nothing_is_too_large() {
    let huge = "0123456\n".repeat(1 << 17);
    let slack = 64 * 1024;

    let (bytes, bash) =
        size("Bash", json!({"command": "x"}), json!({"stdout": huge, "stderr": huge}));
    assert!(bytes < 3 * TEXT_LIMIT, "{bytes}");
    assert_eq!(bash["output"]["truncated"], true);
    assert_eq!(bash["output"]["stdout_bytes"], 1 << 20);
    let stdout = bash["output"]["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("0123456\n") && stdout.ends_with("0123456\n"));
    assert!(stdout.contains("bytes left out"));

    let file = json!({"type": "text", "file": {"filePath": "/a", "content": huge}});
    let (bytes, read) = size("Read", json!({"file_path": "/a"}), file);
    assert!(bytes < TEXT_LIMIT * 5 / 4 + slack, "{bytes}");
    assert_eq!(read["output"]["original_bytes"], 1 << 20);

    let image = json!({"type": "image", "file": {"base64": "A".repeat(MEDIA_LIMIT + 1)}});
    let (bytes, read) = size("Read", json!({"file_path": "/a"}), image);
    assert!(bytes < 1000, "{bytes}");
    assert_eq!(read["output"]["media"][0]["media_type"], "image/*");

    let output =
        json!({"type": "create", "filePath": "/a", "content": huge, "structuredPatch": []});
    let (bytes, write) = size("Write", json!({"file_path": "/a", "content": huge}), output);
    assert!(bytes < TEXT_LIMIT * 5 / 4 + DIFF_LIMIT * 4 + slack, "{bytes}");
    assert_eq!(write["patch"]["truncated"], true);
    assert_eq!(write["patch"]["lines_added"], 1 << 17);

    let (bytes, mcp) = size("mcp__a__b", json!({"a": huge, "b": [1]}), json!({"rows": huge}));
    assert!(bytes < TEXT_LIMIT + 2 * JSON_LIMIT + slack, "{bytes}");
    assert_eq!(mcp["input"]["b"], json!([1]));
    let (bytes, mcp) = size("mcp__a__b", json!(vec!["many"; 20_000]), json!(null));
    assert!(bytes < TEXT_LIMIT + 2 * JSON_LIMIT + slack, "{bytes}");
    assert!(mcp["input"].is_string());

    let files: Vec<_> = (0..20_000).map(|n| format!("file{n}")).collect();
    let (bytes, glob) = size("Glob", json!({"pattern": "*"}), json!({"filenames": files}));
    assert!(bytes < slack, "{bytes}");
    assert_eq!(glob["output"]["file_count"], 20_000);
    assert_eq!(glob["output"]["truncated"], true);
}

#[test]
fn nothing_is_too_deep() {
    for depth in [10, 100, 127, 500, 100_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let raw = Raw::from_text(format!("{{\"deep\":{deep}}}"));
        // Beyond some depth nothing gets past the wire; what does can be stored and read.
        let Ok(raw) = raw else { continue };
        let mut payload = NormalizedPayload::of_call("mcp__a__b", &raw);
        payload.complete(&Outcome { structured: Some(&raw), ..Outcome::default() });
        let text = format!("[[[[{}]]]]", serde_json::to_string(&payload).unwrap());
        let read: [[[[NormalizedPayload; 1]; 1]; 1]; 1] = serde_json::from_str(&text).unwrap();
        assert_eq!(read[0][0][0][0], payload);
    }
}

#[test]
fn every_field_is_documented() {
    fn undocumented(path: &str, schema: &Value, found: &mut Vec<String>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                let tag = property.get("const").is_some();
                if property.get("description").is_none() && !tag {
                    found.push(format!("{path}.{name}"));
                }
            }
        }
        match schema {
            Value::Object(members) => {
                members
                    .iter()
                    .for_each(|(key, value)| undocumented(&format!("{path}/{key}"), value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| undocumented(path, item, found)),
            _ => {}
        }
    }
    let schema = schemars::schema_for!(NormalizedPayload);
    let mut found = Vec::new();
    undocumented("", schema.as_value(), &mut found);
    assert_eq!(found, [""; 0]);
    let kinds = schema.as_value()["oneOf"].as_array().map(Vec::len);
    assert_eq!(kinds, Some(12), "{schema:?}");
}
