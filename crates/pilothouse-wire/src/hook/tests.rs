//! Every event and every answer, from examples: read whole, written back whole.

use serde_json::{Value, json};

use super::*;
use crate::permission::PermissionMode;
use crate::raw::Raw;
use crate::tool::tests::{has_extra, round_trip, spoilt};
use crate::tool::{ToolInput, ToolOutput};

const INPUTS: &str = include_str!("tests/inputs.jsonl");
const OUTPUTS: &str = include_str!("tests/outputs.jsonl");
const COMMON: &str = r#""session_id":"s","transcript_path":"/t/s.jsonl","cwd":"/p","prompt_id":"p","permission_mode":"plan","agent_id":"a","agent_type":"Explore","effort":{"level":"high"}"#;

/// The examples, with the common fields.
fn inputs() -> Vec<Raw> {
    let full = |line: &str| {
        let own = line.strip_suffix('}').unwrap();
        Raw::from_text(format!("{own},{COMMON}}}")).unwrap()
    };
    INPUTS.lines().map(full).collect()
}

fn outputs() -> Vec<Raw> {
    OUTPUTS.lines().map(|line| Raw::from_text(line.to_owned()).unwrap()).collect()
}

#[test]
fn every_event_is_typed() {
    let mut seen = Vec::new();
    for raw in inputs() {
        let input: HookInput = round_trip(&raw);
        assert!(!matches!(input, HookInput::Unknown(_)), "{input:?}");
        assert!(!has_extra(&input), "{input:?}");
        seen.push(input.event().unwrap());
    }
    assert_eq!(seen, HookEvent::ALL);
    assert_eq!(HookEvent::ALL.len(), 33);
    let names: Vec<&str> = HookEvent::ALL.iter().map(HookEvent::as_str).collect();
    assert_eq!(names, HookInput::KNOWN);
}

#[test]
fn every_answer_is_typed() {
    let mut seen = Vec::new();
    for raw in outputs() {
        let output: HookOutput = round_trip(&raw);
        assert!(!has_extra(&output), "{output:?}");
        assert!(!format!("{output:?}").contains("Unknown"), "{output:?}");
        seen.extend(output.specific.iter().filter_map(|it| it.tag().map(str::to_owned)));
    }
    seen.dedup();
    assert_eq!(seen, HookSpecificOutput::KNOWN);
}

#[test]
fn what_is_odd_survives() {
    for raw in inputs() {
        for odd in spoilt(&raw) {
            round_trip::<HookInput>(&odd);
        }
    }
    for raw in outputs() {
        for odd in spoilt(&raw) {
            round_trip::<HookOutput>(&odd);
        }
        if let Some(specific) = raw.member("hookSpecificOutput") {
            for odd in spoilt(&specific) {
                round_trip::<HookSpecificOutput>(&odd);
            }
        }
    }
}

#[test]
fn the_name_may_stand_last() {
    for raw in inputs() {
        let mut members = raw.members().unwrap();
        members.rotate_left(1);
        let members: Vec<String> = members
            .iter()
            .map(|(name, value)| format!("{}:{}", Value::from(name.as_ref()), value))
            .collect();
        let turned = Raw::from_text(format!("{{{}}}", members.join(","))).unwrap();
        assert_eq!(round_trip::<HookInput>(&turned), raw.read().unwrap());
    }
}

#[test]
fn common_fields_are_the_same_everywhere() {
    let common: HookCommon = Raw::from_text(format!("{{{COMMON}}}")).unwrap().read().unwrap();
    assert_eq!(common.session_id.as_deref(), Some("s"));
    assert_eq!(common.permission_mode, Some(PermissionMode::Plan));
    let mut inputs = inputs();
    let unknown = format!(r#"{{"hook_event_name":"Tomorrow","x":1,{COMMON}}}"#);
    inputs.push(Raw::from_text(unknown).unwrap());
    for raw in inputs {
        let input: HookInput = raw.read().unwrap();
        assert_eq!(input.common(), common);
    }
}

#[test]
fn an_unknown_event_is_kept_whole() {
    let raw = Raw::from(json!({"hook_event_name": "Tomorrow", "cwd": "/p", "x": [1]}));
    let input: HookInput = round_trip(&raw);
    assert!(matches!(input, HookInput::Unknown(_)));
    assert_eq!(input.event(), Some(HookEvent::Other("Tomorrow".to_owned())));
    assert_eq!(input.common().cwd.as_deref(), Some("/p"));
}

#[test]
fn a_bare_input_still_has_its_event() {
    // Only what an event is about is insisted on.
    let raw = Raw::from(json!({"hook_event_name": "Stop"}));
    assert!(matches!(round_trip(&raw), HookInput::Stop(_)));
    let raw =
        Raw::from(json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}}));
    assert!(matches!(round_trip(&raw), HookInput::PreToolUse(_)));
}

#[test]
fn calls_have_typed_inputs_and_outputs() {
    let find = |name: &str| {
        let inputs = inputs().into_iter().map(|raw| raw.read::<HookInput>().unwrap());
        inputs.into_iter().find(|input| input.tag() == Some(name)).unwrap()
    };
    let HookInput::PreToolUse(pre) = find("PreToolUse") else { panic!("not it") };
    assert!(matches!(pre.input(), ToolInput::Mcp { .. }));
    let HookInput::PostToolUse(post) = find("PostToolUse") else { panic!("not it") };
    assert!(matches!(post.input(), ToolInput::Bash(_)));
    assert!(matches!(post.output(), ToolOutput::Bash(_)));
    let HookInput::PostToolBatch(batch) = find("PostToolBatch") else { panic!("not it") };
    assert!(matches!(batch.tool_calls[0].output(), Some(ToolOutput::Glob(_))));
    assert!(matches!(batch.tool_calls[1].output(), Some(ToolOutput::Text(_))));
}

#[track_caller]
fn says(output: HookOutput, expected: Value) {
    assert_eq!(serde_json::to_value(&output).unwrap(), expected);
}

#[test]
fn answers_are_written_as_the_cli_wants_them() {
    let pre = |decision: &str, reason: Option<&str>| {
        let mut specific = json!({"hookEventName": "PreToolUse", "permissionDecision": decision});
        if let Some(reason) = reason {
            specific["permissionDecisionReason"] = reason.into();
        }
        json!({ "hookSpecificOutput": specific })
    };
    says(HookOutput::none(), json!({}));
    says(HookOutput::allow(), pre("allow", None));
    says(HookOutput::deny("no"), pre("deny", Some("no")));
    says(HookOutput::ask("sure?"), pre("ask", Some("sure?")));
    says(HookOutput::defer(), pre("defer", None));
    says(HookOutput::block("not yet"), json!({"decision": "block", "reason": "not yet"}));
    says(HookOutput::stop("enough"), json!({"continue": false, "stopReason": "enough"}));
    says(HookOutput::detached(None), json!({"async": true}));
    says(HookOutput::detached(Some(50)), json!({"async": true, "asyncTimeout": 50}));
    says(HookOutput::none().with_system_message("hi"), json!({"systemMessage": "hi"}));
    says(
        HookOutput::worktree("/p/wt"),
        json!({"hookSpecificOutput": {"hookEventName": "WorktreeCreate", "worktreePath": "/p/wt"}}),
    );
    let mut allow = pre("allow", None);
    allow["hookSpecificOutput"]["updatedInput"] = json!({"command": "ls"});
    says(HookOutput::allow_with(Raw::from(json!({"command": "ls"}))), allow);
    let request = |decision: Value| {
        let specific = json!({"hookEventName": "PermissionRequest", "decision": decision});
        json!({ "hookSpecificOutput": specific })
    };
    says(HookOutput::allow_request(RequestAllow::default()), request(json!({"behavior": "allow"})));
    says(HookOutput::deny_request("no"), request(json!({"behavior": "deny", "message": "no"})));
}

#[test]
fn context_goes_where_it_is_taken() {
    let takes: Vec<&str> = (HookEvent::ALL.iter())
        .filter(|event| match HookOutput::context(event, "note") {
            Some(output) => {
                let specific =
                    json!({"hookEventName": event.as_str(), "additionalContext": "note"});
                says(output, json!({ "hookSpecificOutput": specific }));
                true
            }
            None => false,
        })
        .map(HookEvent::as_str)
        .collect();
    let expected: Vec<String> = (outputs().into_iter())
        .filter_map(|raw| raw.member("hookSpecificOutput"))
        .filter(|specific| specific.member("additionalContext").is_some())
        .filter_map(|specific| specific.member("hookEventName")?.read())
        .collect();
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    assert_eq!(sorted(takes.into_iter().map(str::to_owned).collect()), sorted(expected));
}

#[test]
fn registrations_name_their_callbacks() {
    let matcher = HookMatcher {
        timeout: Some(30.into()),
        on_failure: Some(OnFailure::Block),
        ..HookMatcher::matching("Edit|Write", "h0")
    };
    let expected = json!({"matcher": "Edit|Write", "hookCallbackIds": ["h0"], "timeout": 30, "onFailure": "block"});
    assert_eq!(serde_json::to_value(&matcher).unwrap(), expected);
    assert_eq!(round_trip::<HookMatcher>(&Raw::from(expected)), matcher);
    let all = serde_json::to_value(HookMatcher::all("h1")).unwrap();
    assert_eq!(all, json!({"hookCallbackIds": ["h1"]}));
    let cannot = |event: &&HookEvent| !event.can_block_on_failure();
    assert_eq!(HookEvent::ALL.iter().filter(cannot).count(), 4);
}
