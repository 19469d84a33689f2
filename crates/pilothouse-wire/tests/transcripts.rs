//! What real CLIs have said, in every version we test with, is understood to the last word and
//! written back as it was.

#![allow(clippy::expect_used, clippy::panic, reason = "a test says what went wrong by panicking")]

mod common;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;

use common::{Dir, Line};
use pilothouse_wire::codec::{Inbound, Outbound, decode};
use pilothouse_wire::control::{Answer, CliRequest, HostRequest, Request, read_reply};
use pilothouse_wire::hook::{HookInput, HookOutput};
use pilothouse_wire::json::Cursor;
use pilothouse_wire::tool::{ToolInput, ToolName, ToolOutput};
use pilothouse_wire::{Block, PermissionResult, Raw, Wire};
use serde::Serialize;
use serde_json::{Value, json};

/// A request that nobody knows: to see what the CLI says to it.
const UNTYPED: &str = "no_such_request";

fn value(line: &Line) -> Value {
    serde_json::from_str(&line.text).expect(&line.place)
}

fn written<T: Serialize>(message: &T, place: &str) -> Value {
    serde_json::to_value(message).expect(place)
}

/// Whether something of an unknown kind is in it, however deep.
fn has_unknown(message: &impl Debug) -> bool {
    format!("{message:?}").contains("Unknown(Unknown {")
}

fn inbound() -> impl Iterator<Item = (Line, Inbound)> {
    common::lines().into_iter().filter(|line| line.dir == Dir::Out).map(|line| {
        let message = decode(line.text.as_bytes());
        (line, message)
    })
}

fn outbound() -> impl Iterator<Item = (Line, Outbound)> {
    common::lines().into_iter().filter(|line| line.dir == Dir::In).map(|line| {
        let message = serde_json::from_str(&line.text).expect(&line.place);
        (line, message)
    })
}

/// Fails with everything that is wrong, not only the first.
fn assert_none(wrong: &[String], what: &str) {
    let shown = wrong.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} {what}:\n{shown}", wrong.len());
}

#[test]
fn every_version_is_there() {
    let versions: BTreeSet<_> = common::lines().into_iter().map(|line| line.version).collect();
    assert_eq!(versions, ["2.1.325", "2.1.62", "2.1.7"].map(str::to_owned).into());
}

#[test]
fn every_line_is_known() {
    let mut wrong = Vec::new();
    for (line, message) in inbound() {
        if !message.is_known() || has_unknown(&message) {
            wrong.push(format!("{}: {}", line.place, line.text));
        }
    }
    assert_none(&wrong, "lines are not known");
}

#[test]
fn every_line_of_the_host_is_known() {
    let mut wrong = Vec::new();
    for (line, message) in outbound() {
        let untyped = match &message {
            Outbound::ControlRequest(request) => request.request.tag() == Some(UNTYPED),
            _ => false,
        };
        if has_unknown(&message) != untyped {
            wrong.push(format!("{}: {}", line.place, line.text));
        }
    }
    assert_none(&wrong, "lines are not known");
}

#[test]
fn nothing_is_lost() {
    for (line, message) in inbound() {
        assert_eq!(written(&message, &line.place), value(&line), "{}", line.place);
    }
    for (line, message) in outbound() {
        assert_eq!(written(&message, &line.place), value(&line), "{}", line.place);
    }
}

/// The field without a name here: the `type` of requests that are still open, which stand in a list
/// without their enclosing enum.
const UNNAMED: [&str; 1] = ["type"];

/// The names of all fields that ended up in an `extra`, however deep. An empty list ends up there
/// by design.
fn extras(message: &impl Debug) -> Vec<String> {
    let shown = format!("{message:?}");
    let mut found = Vec::new();
    for (at, start) in shown.match_indices("Extra([") {
        let mut rest = &shown[at + start.len()..];
        while let Some((name, value)) = rest.strip_prefix('(').and_then(|r| r.split_once(", ")) {
            let json = Cursor::new(value).skip().expect("fields are shown as JSON");
            if json != "[]" {
                found.push(name.trim_matches('"').to_owned());
            }
            rest = value[json.len()..].trim_start_matches([')', ',', ' ']);
        }
    }
    found
}

#[test]
fn every_field_of_the_latest_version_has_a_name() {
    let mut wrong = Vec::new();
    for (line, message) in inbound().filter(|(line, _)| line.version == "2.1.325") {
        for name in extras(&message) {
            if !UNNAMED.contains(&&*name) {
                wrong.push(format!("{}: {name}", line.place));
            }
        }
    }
    assert_none(&wrong, "fields have no name");
}

/// A typed view of a part says what the part said.
fn same<T: Wire + Serialize + Debug>(part: &Raw, place: &str, wrong: &mut Vec<String>) {
    match part.read::<T>() {
        Some(read) if has_unknown(&read) => wrong.push(format!("{place}: {read:?}")),
        Some(read) => assert_eq!(written(&read, place), part.to_value(), "{place}"),
        None => wrong.push(format!("{place}: {}", part.get())),
    }
}

#[test]
fn hooks_are_known() {
    let mut wrong = Vec::new();
    let mut events = BTreeSet::new();
    for (line, message) in inbound() {
        let Inbound::ControlRequest(request) = message else { continue };
        let CliRequest::HookCallback(callback) = request.request else { continue };
        match callback.input.event() {
            Some(event) if !matches!(callback.input, HookInput::Unknown(_)) => {
                events.insert(event.to_string());
            }
            _ => wrong.push(format!("{}: {}", line.place, line.text)),
        }
    }
    assert_none(&wrong, "hook inputs are not known");
    assert!(events.len() >= 20, "only {events:?} were recorded");
}

/// The answers of a host are typed by what was asked.
#[test]
fn answers_of_the_host_are_known() {
    let mut wrong = Vec::new();
    let (mut permissions, mut hooks) = (0, 0);
    for transcript in common::transcripts() {
        let mut asked = HashMap::new();
        for line in transcript {
            if line.dir == Dir::Out {
                if let Inbound::ControlRequest(request) = decode(line.text.as_bytes()) {
                    asked.insert(request.request_id, request.request);
                }
                continue;
            }
            let Ok(Outbound::ControlResponse(response)) = serde_json::from_str(&line.text) else {
                continue;
            };
            let Answer::Success(success) = response.response else { continue };
            let Some(answer) = success.response else { continue };
            match asked.get(&success.request_id) {
                Some(CliRequest::CanUseTool(_)) => {
                    permissions += 1;
                    same::<PermissionResult>(&answer, &line.place, &mut wrong);
                }
                Some(CliRequest::HookCallback(_)) => {
                    hooks += 1;
                    same::<HookOutput>(&answer, &line.place, &mut wrong);
                }
                Some(_) => {}
                None => wrong.push(format!("{}: answers nothing", line.place)),
            }
        }
    }
    assert_none(&wrong, "answers are not known");
    assert!(permissions > 50 && hooks > 50, "{permissions} permissions, {hooks} hooks");
}

/// Reads the reply to a request as the type that goes with the request.
fn reply(request: &HostRequest, reply: Option<&Raw>, place: &str, wrong: &mut Vec<String>) {
    macro_rules! by_type {
        ($($name:ident)*) => {
            match request {
                $( HostRequest::$name(request) => typed(request, reply, place, wrong), )*
                _ => {}
            }
        };
    }
    by_type! {
        Initialize Interrupt SetPermissionMode SetModel SetMaxThinkingTokens ApplyFlagSettings
        UpdateSettings GetSettings ListPermissionRules GetHooksListing GetContextUsage GetUsage
        GetSessionCost GetBinaryVersion ListModels FileSuggestions ReadFile RewindFiles
        CancelAsyncMessage SeedReadState RegisterRepoRoot ReloadPlugins ReloadSkills
        ReloadOutputStyles RenameSession SetColor StopTask BackgroundTasks GetTaskOutput
        SetHasSubscribers McpStatus McpSetServers McpReconnect McpToggle McpMessage GetPlan
        GenerateSessionTitle SideQuestion GetStatus GetMemoryDialog GetSkillsDialog
        GetSandboxDialog ExportConversation GetWorkspaceDiff SetCwd
    }
}

fn typed<R: Request>(_: &R, reply: Option<&Raw>, place: &str, wrong: &mut Vec<String>)
where
    R::Reply: Serialize + Debug,
{
    match (read_reply::<R::Reply>(reply), reply) {
        (Some(read), Some(raw)) => {
            if has_unknown(&read) {
                wrong.push(format!("{place}: {read:?}"));
            }
            assert_eq!(written(&read, place), raw.to_value(), "{place}");
        }
        (Some(_), None) => {}
        (None, raw) => wrong.push(format!("{place}: {raw:?}")),
    }
}

#[test]
fn replies_are_of_the_type_that_goes_with_the_request() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for transcript in common::transcripts() {
        let mut asked = HashMap::new();
        for line in transcript {
            if line.dir == Dir::In {
                if let Ok(Outbound::ControlRequest(request)) = serde_json::from_str(&line.text) {
                    asked.insert(request.request_id, request.request);
                }
                continue;
            }
            let Inbound::ControlResponse(response) = decode(line.text.as_bytes()) else { continue };
            let Answer::Success(success) = response.response else { continue };
            // With `--replay-user-messages` the CLI repeats the host's own answers.
            let Some(request) = asked.get(&success.request_id) else { continue };
            seen.insert(request.tag().unwrap_or_default().to_owned());
            reply(request, success.response.as_ref(), &line.place, &mut wrong);
        }
    }
    assert_none(&wrong, "replies do not fit");
    assert!(seen.len() >= 35, "only {seen:?} were recorded");
}

/// A model may call what is no tool at all.
fn is_built_in(name: &str) -> bool {
    !matches!(ToolName::of(name), ToolName::Other(_))
}

#[test]
fn inputs_of_built_in_tools_are_typed() {
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    let mut check = |line: &Line, name: &str, input: &Raw| {
        // A scripted model that calls a tool with what it does not take.
        if !is_built_in(name) || line.place.contains("tools-unknown") {
            return;
        }
        let typed = ToolInput::of(name, input);
        if matches!(typed, ToolInput::Other { .. }) {
            wrong.push(format!("{}: {name} {}", line.place, input.get()));
        }
        assert_eq!(written(&typed, &line.place), input.to_value(), "{}", line.place);
        seen.insert(name.to_owned());
    };
    for (line, message) in inbound() {
        match &message {
            Inbound::Assistant(frame) => {
                for block in &frame.message.content {
                    if let Block::ToolUse(call) = block {
                        check(&line, &call.name, &call.input);
                    }
                }
            }
            Inbound::ControlRequest(request) => {
                if let CliRequest::CanUseTool(ask) = &request.request {
                    check(&line, &ask.tool_name, &ask.input);
                }
            }
            _ => {}
        }
    }
    assert_none(&wrong, "inputs are not typed");
    assert!(seen.len() >= 30, "only {seen:?} were recorded");
}

#[test]
fn outputs_of_built_in_tools_are_typed() {
    let mut wrong = Vec::new();
    let mut structured = BTreeSet::new();
    let mut calls = HashMap::new();
    for (line, message) in inbound() {
        match message {
            Inbound::Assistant(frame) => {
                for block in &frame.message.content {
                    if let Block::ToolUse(call) = block {
                        calls.insert(call.id.clone(), call.name.clone());
                    }
                }
            }
            Inbound::User(frame) => {
                let Some(output) = &frame.tool_use_result else { continue };
                let id = frame.message.content.blocks().iter().find_map(|block| match block {
                    Block::ToolResult(result) => Some(result.tool_use_id.clone()),
                    _ => None,
                });
                let Some(name) = id.and_then(|id| calls.get(&id)) else { continue };
                let typed = ToolOutput::of(name, output);
                assert_eq!(written(&typed, &line.place), output.to_value(), "{}", line.place);
                match typed {
                    ToolOutput::Text(_) => continue,
                    ToolOutput::Other { .. } if is_built_in(name) => {
                        wrong.push(format!("{}: {name} {}", line.place, output.get()));
                    }
                    _ => {}
                }
                structured.insert(name.clone());
            }
            _ => {}
        }
    }
    assert_none(&wrong, "outputs are not typed");
    assert!(structured.len() >= 25, "only {structured:?} were recorded");
}

/// Every object in `value`, by its JSON pointer.
fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(at.to_owned());
            for (key, inner) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                objects(inner, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                objects(inner, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn read_back(dir: Dir, value: &Value, place: &str) -> Value {
    let text = value.to_string();
    match dir {
        Dir::Out => written(&decode(text.as_bytes()), place),
        Dir::In => {
            let message: Outbound = serde_json::from_str(&text).expect(place);
            written(&message, place)
        }
    }
}

#[test]
fn what_is_added_later_survives() {
    let new = json!({"deep": [1, null, {"word": "new"}], "n": 1e300});
    for line in common::kinds() {
        let whole = value(&line);
        let mut places = Vec::new();
        objects(&whole, "", &mut places);
        for at in places {
            let check = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
                let mut changed = whole.clone();
                if let Some(Value::Object(members)) = changed.pointer_mut(&at) {
                    change(members);
                }
                let back = read_back(line.dir, &changed, &line.place);
                assert_eq!(back, changed, "{} at {at:?}", line.place);
            };
            check(&|members| {
                members.insert("from_the_future".to_owned(), new.clone());
            });
            // Every word becomes one that nobody knows: kinds, states, modes, reasons.
            check(&|members| {
                for word in members.values_mut().filter(|value| value.is_string()) {
                    *word = json!("from_the_future");
                }
            });
            check(&|members| {
                for list in members.values_mut().filter_map(Value::as_array_mut) {
                    list.push(json!({"type": "from_the_future", "data": new}));
                }
            });
            // Every field is of another kind than it was.
            check(&|members| {
                for (key, value) in members.iter_mut() {
                    if !["type", "subtype"].contains(&key.as_str()) {
                        *value = if value.is_array() { json!({"n": 1}) } else { json!([1, "x"]) };
                    }
                }
            });
        }
    }
}

#[test]
fn a_line_that_is_cut_is_no_message() {
    for line in common::kinds() {
        let bytes = line.text.as_bytes();
        let step = (bytes.len() / 150).max(1);
        for end in (0..bytes.len()).step_by(step) {
            assert_eq!(decode(&bytes[..end]), Inbound::NotJson, "{} cut at {end}", line.place);
        }
    }
}
