//! What a run looks like when ids, times, prose and sizes are left out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::bed::Run;

/// The shape of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// All frames but the streamed ones, in order.
    pub(crate) frames: Vec<Frame>,
    /// The streamed ones. Tools start while the rest of an answer still streams, so the two are not
    /// compared together.
    pub(crate) stream: Vec<String>,
    pub(crate) code: Option<i32>,
}

/// One frame: what it is, and which fields of which kind it has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Frame {
    pub(crate) label: String,
    pub(crate) fields: BTreeSet<String>,
}

pub(crate) fn shape(run: &Run) -> Shape {
    let mut names = Names::default();
    let (streamed, others): (Vec<_>, Vec<_>) = run.frames.iter().partition(|frame| {
        frame["type"] == "stream_event" || frame["subtype"] == "thinking_tokens"
    });
    Shape {
        frames: others
            .into_iter()
            .map(|frame| Frame { label: label(frame, &mut names), fields: fields(frame) })
            .collect(),
        stream: streamed.into_iter().map(stream_label).collect(),
        code: run.code,
    }
}

/// Gives ids numbers in the order in which they appear.
#[derive(Debug, Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn number(&mut self, id: &Value) -> String {
        let next = self.0.len() + 1;
        match id.as_str() {
            Some(id) => format!("#{}", self.0.entry(id.to_owned()).or_insert(next)),
            None => String::new(),
        }
    }
}

fn label(frame: &Value, names: &mut Names) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let kind = text(&frame["type"]);
    let detail = match kind.as_str() {
        "system" => match frame["subtype"].as_str() {
            Some("session_state_changed") => text(&frame["state"]),
            Some("status") => format!("status {} {}", frame["status"], frame["permissionMode"]),
            Some("task_updated") => format!("task_updated {}", frame["patch"]["status"]),
            Some("task_notification") => format!("task_notification {}", frame["status"]),
            Some("background_tasks_changed") => {
                format!(
                    "background_tasks_changed {}",
                    frame["tasks"].as_array().map_or(0, Vec::len)
                )
            }
            _ => text(&frame["subtype"]),
        },
        "command_lifecycle" => {
            format!("{} {}", text(&frame["state"]), names.number(&frame["command_uuid"]))
        }
        "assistant" | "user" => {
            let inside = if frame["parent_tool_use_id"].is_null() { "" } else { " in subagent" };
            format!("{}{inside}", blocks(&frame["message"]["content"]))
        }
        "control_request" => {
            let request = &frame["request"];
            let what = ["tool_name", "callback_id"].map(|key| text(&request[key])).concat();
            let event = text(&request["input"]["hook_event_name"]);
            let method = text(&request["message"]["method"]);
            format!("{} {what} {event} {method}", text(&request["subtype"]))
        }
        "control_response" => {
            let response = &frame["response"];
            // Ids of the CLI are chance, those of the host are not.
            let id = text(&response["request_id"]);
            let id = if id.starts_with("host-") { id.as_str() } else { "" };
            format!("{} {id} {}", text(&response["subtype"]), response["error_code"])
        }
        "result" => format!(
            "{} is_error={} {} turns={} {} denials={}",
            text(&frame["subtype"]),
            frame["is_error"],
            frame["terminal_reason"],
            frame["num_turns"],
            frame["stop_reason"],
            frame["permission_denials"].as_array().map_or(0, Vec::len),
        ),
        _ => String::new(),
    };
    format!("{kind}: {detail}").trim_end().to_owned()
}

fn blocks(content: &Value) -> String {
    match content.as_array() {
        Some(blocks) => {
            let names = blocks.iter().map(|block| {
                let error = if block["is_error"] == true { " error" } else { "" };
                format!(
                    "{}{error} {}",
                    block["type"].as_str().unwrap_or("-"),
                    block["name"].as_str().unwrap_or("")
                )
            });
            names.map(|name| name.trim_end().to_owned()).collect::<Vec<_>>().join(", ")
        }
        None => "string".to_owned(),
    }
}

fn stream_label(frame: &Value) -> String {
    let event = &frame["event"];
    let mut extra: Vec<_> =
        frame.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    extra
        .retain(|key| !["type", "event", "session_id", "uuid", "parent_tool_use_id"].contains(key));
    let parts = [
        &event["type"],
        &event["content_block"]["type"],
        &event["delta"]["type"],
        &frame["subtype"],
    ];
    let parts: Vec<_> = parts.into_iter().filter_map(Value::as_str).collect();
    format!("{} {}", parts.join(" "), extra.join(","))
}

/// Objects whose keys are data.
const MAPS: [&str; 5] =
    ["modelUsage", "model_usage_since_last_result", "model_usage", "by_type", "answers"];

/// Fields whose inside is data.
const OPAQUE: [&str; 8] = [
    "input",
    "tool_input",
    "gridRows",
    "eventCatalog",
    "message.params",
    "arguments",
    "permissions",
    "_meta",
];

fn fields(frame: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(frame, "", &mut found);
    found
}

fn collect(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let parent = path.rsplit('.').next().unwrap_or_default();
                let key = if MAPS.contains(&parent) { "*" } else { key };
                let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                found.insert(format!("{path}: {}", kind(value)));
                if !OPAQUE
                    .iter()
                    .any(|opaque| path == *opaque || path.ends_with(&format!(".{opaque}")))
                {
                    collect(value, &path, found);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, &format!("{path}[]"), found);
            }
        }
        _ => {}
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
