//! Every tool call that real CLIs have made, normalised: one snapshot for each tool, and one of all
//! that differs between versions.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use pilothouse_session::tool::{FileChange, NormalizedPayload, Outcome, TodoList, file_update};
use pilothouse_wire::message::UserFrame;
use pilothouse_wire::tool::canonical;
use pilothouse_wire::{Block, Inbound, codec};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Line<'a> {
    dir: &'a str,
    #[serde(borrow)]
    line: &'a RawValue,
}

/// A call with its result.
struct Call {
    version: String,
    scenario: String,
    name: String,
    payload: NormalizedPayload,
    update: Option<Value>,
    /// The list of the one who called, where the call changed it.
    todos: Option<Value>,
}

/// All finished calls of all transcripts.
fn calls() -> Vec<Call> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts");
    let mut calls = Vec::new();
    for version in names(&root).into_iter().filter(|name| !name.contains(".md")) {
        for file in names(&root.join(&version)) {
            let text = fs::read_to_string(root.join(&version).join(&file)).expect("a transcript");
            let scenario = file.trim_end_matches(".jsonl");
            calls.extend(calls_of(&version, scenario, &text));
        }
    }
    calls
}

fn calls_of(version: &str, scenario: &str, text: &str) -> Vec<Call> {
    let mut open = HashMap::new();
    let mut lists: HashMap<Option<String>, TodoList> = HashMap::new();
    let mut done = Vec::new();
    for line in text.lines() {
        let line: Line<'_> = serde_json::from_str(line).expect(scenario);
        if line.dir != "out" {
            continue;
        }
        match codec::decode(line.line.get().as_bytes()) {
            Inbound::Assistant(frame) => {
                for block in &frame.message.content {
                    if let Block::ToolUse(call) = block {
                        let payload = NormalizedPayload::of_call(&call.name, &call.input);
                        open.insert(call.id.clone(), (call.name.clone(), payload));
                    }
                }
            }
            Inbound::User(frame) => {
                let list = lists.entry(frame.parent_tool_use_id.clone().into_option()).or_default();
                done.extend(finished(&frame, &mut open, list).into_iter().map(|call| Call {
                    version: version.to_owned(),
                    scenario: scenario.to_owned(),
                    ..call
                }));
            }
            _ => {}
        }
    }
    done
}

fn finished(
    frame: &UserFrame,
    open: &mut HashMap<String, (String, NormalizedPayload)>,
    list: &mut TodoList,
) -> Vec<Call> {
    let mut done = Vec::new();
    for block in frame.message.content.blocks() {
        let Block::ToolResult(result) = block else { continue };
        let Some((name, mut payload)) = open.remove(&result.tool_use_id) else { continue };
        let outcome = Outcome {
            content: result.content.as_ref(),
            structured: frame.tool_use_result.as_ref(),
            is_error: result.is_error == Some(true),
        };
        payload.complete(&outcome);
        let update = file_update(&payload, &outcome).as_ref().map(json);
        let todos = list.apply(&payload).map(|todos| json(&todos));
        let (version, scenario) = Default::default();
        done.push(Call { version, scenario, name, payload, update, todos });
    }
    done
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("transcripts, recorded before");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<_> =
        entries.map(|entry| name(entry).into_string().expect("a name in UTF-8")).collect();
    names.sort();
    names
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("a payload is JSON")
}

/// Long texts are cut: a snapshot is for reading.
fn readable(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > 160 => Value::String(format!(
            "{}… ({} bytes)",
            &text[..text.floor_char_boundary(60)],
            text.len()
        )),
        Value::Array(items) => items.into_iter().map(readable).collect(),
        Value::Object(members) => members.into_iter().map(|(k, v)| (k, readable(v))).collect(),
        plain => plain,
    }
}

/// A payload as text, and the scenarios and versions it is from.
type Entry = (String, BTreeSet<String>, BTreeSet<String>);

#[test]
fn every_call_has_a_readable_payload() {
    let mut tools: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for call in calls() {
        let round: NormalizedPayload =
            serde_json::from_value(json(&call.payload)).expect("a payload reads back");
        assert_eq!(round, call.payload);
        let mut text = format!("title: {}\n", call.payload.title_in(Some("/project")));
        let payload = readable(json(&call.payload));
        writeln!(text, "{}", serde_json::to_string_pretty(&payload).expect("JSON")).expect("text");
        let update = call.update.map(|mut update| {
            if update.get("patch") == json(&call.payload).get("patch") {
                update["patch"] = Value::from("as above");
            }
            update
        });
        for (what, value) in [("file update", update), ("to-dos", call.todos)] {
            if let Some(value) = value {
                writeln!(text, "{what}: {}", readable(value)).expect("text");
            }
        }
        let entries = tools.entry(canonical(&call.name).to_owned()).or_default();
        let at = entries.iter().position(|(known, ..)| *known == text).unwrap_or_else(|| {
            entries.push((text, BTreeSet::new(), BTreeSet::new()));
            entries.len() - 1
        });
        entries[at].1.insert(call.scenario);
        entries[at].2.insert(call.version);
    }
    assert!(tools.len() > 35, "only {:?}", tools.keys());
    for (tool, entries) in tools {
        let mut shown = String::new();
        for (text, scenarios, versions) in entries {
            let scenarios: Vec<_> = scenarios.into_iter().collect();
            let versions: Vec<_> = versions.into_iter().collect();
            let head = format!("# {} ({})", scenarios.join(", "), versions.join(", "));
            writeln!(shown, "{head}\n{text}").expect("text");
        }
        insta::with_settings!({ omit_expression => true }, {
            insta::assert_snapshot!(tool, shown);
        });
    }
}

/// Path and value of everything in `value`.
fn leaves(path: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| leaves(&format!("{path}/{key}"), value, found));
        }
        plain => {
            found.insert(path.to_owned(), plain.to_string());
        }
    }
}

/// The same scenario gives the same payloads from all versions, but for what the snapshot lists.
#[test]
fn versions_differ_only_where_it_is_listed() {
    let mut same: BTreeMap<_, BTreeMap<String, BTreeMap<String, String>>> = BTreeMap::new();
    let mut seen: HashMap<_, usize> = HashMap::new();
    for call in calls() {
        let tool = canonical(&call.name).to_owned();
        let key = (call.scenario, tool, call.payload.title());
        let nth = seen.entry((call.version.clone(), key.clone())).or_default();
        *nth += 1;
        let mut found = BTreeMap::new();
        leaves("", &readable(json(&call.payload)), &mut found);
        leaves("update", &readable(call.update.unwrap_or_default()), &mut found);
        leaves("todos", &readable(call.todos.unwrap_or_default()), &mut found);
        same.entry((key, *nth)).or_default().insert(call.version, found);
    }
    let mut differences: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut compared = 0;
    for (((scenario, tool, title), _), versions) in same {
        if versions.len() < 2 {
            continue;
        }
        compared += 1;
        let paths: BTreeSet<_> = versions.values().flat_map(|found| found.keys()).collect();
        for path in paths {
            let values: BTreeMap<_, _> =
                versions.iter().map(|(version, found)| (version, found.get(path))).collect();
            let first = versions.values().next().and_then(|found| found.get(path));
            if values.values().any(|value| *value != first) {
                let said = values.iter().map(|(version, value)| {
                    format!("    {version}: {}", value.map_or("-", |value| value.as_str()))
                });
                let said = said.collect::<Vec<_>>().join("\n");
                let place = format!("{tool} {path}\n{said}");
                differences.entry(place).or_default().insert(format!("{scenario}: {title}"));
            }
        }
    }
    assert!(compared > 80, "only {compared} calls are in more than one version");
    let mut shown = String::new();
    for (difference, places) in differences {
        writeln!(shown, "{difference}").expect("text");
        for place in places {
            writeln!(shown, "  in {place}").expect("text");
        }
    }
    insta::with_settings!({ omit_expression => true }, {
        insta::assert_snapshot!("versions", shown);
    });
}

#[test]
fn before_and_after_are_those_of_the_file() {
    let mut seen = BTreeSet::new();
    for call in calls() {
        let Some(update) = call.update else { continue };
        let text = |key: &str| update.get(key).and_then(Value::as_str).map(str::to_owned);
        let change = match update["change"].as_str() {
            Some("created") => FileChange::Created,
            _ => FileChange::Modified,
        };
        assert_eq!(text("before").is_none(), change == FileChange::Created, "{update}");
        assert!(text("after").is_some(), "{update}");
        assert!(update.get("patch").is_some(), "{update}");
        seen.insert((canonical(&call.name).to_owned(), call.version));
    }
    let tools = ["Edit", "NotebookEdit", "Write"];
    let versions = ["2.1.325", "2.1.62", "2.1.7"];
    let all =
        tools.iter().flat_map(|tool| versions.map(|version| (tool.to_string(), version.into())));
    assert_eq!(seen, all.collect());
}
