//! Every tool's input and output, from examples: read whole, written back whole.

use serde::Serialize;
use serde_json::{Value, json};

use super::{ToolInput, ToolName, ToolOutput, canonical};
use crate::field::Wire;
use crate::raw::Raw;

const INPUTS: &str = include_str!("tests/inputs.jsonl");
const OUTPUTS: &str = include_str!("tests/outputs.jsonl");

/// Tools that are published by name only.
const SHAPELESS: &[&str] = &[
    "EndConversation",
    "SendUserFile",
    "ShareOnboardingGuide",
    "SubagentHandback",
    "WaitForMcpServers",
];

/// Tools that give the model text, or whose output nobody has described.
const NO_OUTPUT: &[&str] = &["LS", "NotebookRead", "SlashCommand", "TodoRead"];

/// Tool and value of each example.
fn examples(lines: &str) -> Vec<(String, Raw)> {
    let lines = lines.lines().map(|line| Raw::from_text(line.to_owned()).unwrap());
    lines
        .map(|line| (line.member("tool").unwrap().read().unwrap(), line.member("value").unwrap()))
        .collect()
}

fn value_of(typed: &impl Serialize) -> Value {
    Raw::of(typed).unwrap().to_value()
}

/// Whether some field went to an `extra`: not known, or not of the expected kind.
pub(crate) fn has_extra(typed: &impl std::fmt::Debug) -> bool {
    format!("{typed:?}").contains("Extra([(")
}

/// `object` with a member added that no version has, and once for every member with that member
/// turned into something it cannot be. None of a value that is no object.
pub(crate) fn spoilt(object: &Raw) -> Vec<Raw> {
    let Some(members) = object.members() else {
        return Vec::new();
    };
    let with = |odd: usize| {
        let mut text: Vec<String> = Vec::new();
        for (index, (name, value)) in members.iter().enumerate() {
            let value = if index == odd { "[[{\"odd\":1e400}]]" } else { value };
            text.push(format!("{}:{value}", Value::from(name.as_ref())));
        }
        text.push("\"from_the_future\":{\"a\":[null]}".to_owned());
        Raw::from_text(format!("{{{}}}", text.join(","))).unwrap()
    };
    (0..=members.len()).map(with).collect()
}

/// Writing gives back what was read.
pub(crate) fn round_trip<T: Wire + Serialize + PartialEq + std::fmt::Debug>(raw: &Raw) -> T {
    let read: T = raw.read().unwrap_or_else(|| panic!("cannot be read: {raw:?}"));
    assert_eq!(value_of(&read), raw.to_value());
    read
}

#[test]
fn every_input_is_typed() {
    for (name, raw) in examples(INPUTS) {
        let input = ToolInput::of(&name, &raw);
        assert_eq!(input.tool_name(), canonical(&name), "{input:?}");
        assert!(!matches!(input, ToolInput::Other { .. }), "{input:?}");
        assert!(!has_extra(&input), "{input:?}");
        assert_eq!(value_of(&input), raw.to_value());
    }
}

#[test]
fn every_output_is_typed() {
    for (name, raw) in examples(OUTPUTS) {
        let output = ToolOutput::of(&name, &raw);
        assert!(!matches!(output, ToolOutput::Other { .. }), "{output:?}");
        assert!(!format!("{output:?}").contains("Unknown"), "{output:?}");
        assert!(!has_extra(&output), "{output:?}");
        assert_eq!(value_of(&output), raw.to_value());
    }
}

#[test]
fn there_is_an_example_for_every_tool() {
    let covers = |lines: &str, name: &str| {
        examples(lines).iter().any(|(example, _)| canonical(example) == name)
    };
    for name in ToolName::ALL {
        let name = name.as_str();
        let typed = ToolInput::TYPED.contains(&name);
        assert_eq!(typed, !SHAPELESS.contains(&name), "{name}");
        assert_eq!(typed, covers(INPUTS, name), "{name}");
        let typed = ToolOutput::TYPED.contains(&name);
        assert_eq!(typed, !SHAPELESS.contains(&name) && !NO_OUTPUT.contains(&name), "{name}");
        assert_eq!(typed, covers(OUTPUTS, name), "{name}");
    }
    assert_eq!(ToolInput::TYPED.len() + SHAPELESS.len(), ToolName::ALL.len());
}

#[test]
fn what_is_odd_survives() {
    for (name, raw) in examples(INPUTS) {
        for odd in spoilt(&raw) {
            assert_eq!(value_of(&ToolInput::of(&name, &odd)), odd.to_value());
        }
    }
    for (name, raw) in examples(OUTPUTS) {
        for odd in spoilt(&raw) {
            assert_eq!(value_of(&ToolOutput::of(&name, &odd)), odd.to_value());
        }
    }
}

#[test]
fn odd_fields_cost_only_themselves() {
    let raw = Raw::from(json!({"command": "ls", "timeout": "soon", "new": true}));
    let ToolInput::Bash(bash) = ToolInput::of("Bash", &raw) else { panic!("not bash") };
    assert_eq!((bash.command.as_str(), bash.timeout), ("ls", None));
    assert_eq!(bash.extra.get("timeout").unwrap().get(), r#""soon""#);
    assert_eq!(bash.extra.get("new").unwrap().get(), "true");
}

#[test]
fn a_missing_essential_is_other() {
    let raw = Raw::from(json!({"timeout": 5}));
    let expected = ToolInput::Other { name: "Bash".to_owned(), input: raw.clone() };
    assert_eq!(ToolInput::of("Bash", &raw), expected);
    let raw = Raw::from(json!({"stderr": "x"}));
    let expected = ToolOutput::Other { name: "Bash".to_owned(), output: raw.clone() };
    assert_eq!(ToolOutput::of("Bash", &raw), expected);
}

#[test]
fn mcp_tools_are_told_apart() {
    let raw = Raw::from(json!({"sql": "select 1"}));
    let input = ToolInput::of("mcp__my_db__run__query", &raw);
    let (server, tool) = ("my_db".to_owned(), "run__query".to_owned());
    assert_eq!(input, ToolInput::Mcp { server, tool, input: raw.clone() });
    assert_eq!(input.tool_name(), "mcp__my_db__run__query");
    assert!(matches!(ToolInput::of("mcp__my_db", &raw), ToolInput::Other { .. }));

    use super::mcp::McpOutput;
    let output = |value: Value| match ToolOutput::of("mcp__db__query", &Raw::from(value)) {
        ToolOutput::Mcp { output, .. } => output,
        other => panic!("{other:?}"),
    };
    assert_eq!(output(json!("text")), McpOutput::Text("text".to_owned()));
    assert!(matches!(output(json!([{"type": "text", "text": "t"}])), McpOutput::Blocks(_)));
    assert!(matches!(output(json!({"rows": 1})), McpOutput::Other(_)));
}

#[test]
fn failures_and_detached_calls_are_seen() {
    let text = Raw::from(json!("Error: no such file"));
    assert_eq!(ToolOutput::of("Read", &text), ToolOutput::Text("Error: no such file".to_owned()));
    let detached = Raw::from(json!({"detachedToolCall": true}));
    assert_eq!(ToolOutput::of("Read", &detached), ToolOutput::Detached(detached.clone()));
    assert_eq!(value_of(&ToolOutput::of("Bash", &detached)), detached.to_value());
    let finished = Raw::from(json!({"stdout": "", "detachedToolCall": false}));
    assert!(matches!(ToolOutput::of("Bash", &finished), ToolOutput::Bash(_)));
    for nothing in [json!(null), json!(5), json!(true)] {
        let raw = Raw::from(nothing);
        assert!(matches!(ToolOutput::of("Read", &raw), ToolOutput::Other { .. }));
    }
}

#[test]
fn unknown_variants_of_a_known_output_are_kept() {
    let raw = Raw::from(json!({"type": "hologram", "file": {"depth": 3}}));
    let output = ToolOutput::of("Read", &raw);
    let ToolOutput::Read(super::file::ReadOutput::Unknown(unknown)) = &output else {
        panic!("{output:?}")
    };
    assert_eq!(unknown.tag.as_deref(), Some("hologram"));
    assert_eq!(value_of(&output), raw.to_value());
}

#[test]
fn several_labels_make_one_answer() {
    use super::user::joined_labels;
    assert_eq!(joined_labels(["A", "B"]), "A, B");
    assert_eq!(joined_labels(["A, B", "say \"C\"", "D,E"]), r#""A, B", "say \"C\"", D,E"#);
    assert_eq!(joined_labels([]), "");
}
