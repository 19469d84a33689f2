//! Events as lines that people can read.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use pilothouse_session::Event;
use pilothouse_wire::tool::canonical;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::recording::{Played, Shown};
use crate::versions::{AT_THE_BEGINNING, EVERYWHERE};

/// The longest text that is shown whole.
const WHOLE: usize = 120;

/// Fields that say nothing about what happened: they are the same everywhere, or are times and
/// costs, which a recording does not have.
const LEFT_OUT: [&str; 5] = ["session", "at", "duration_ms", "duration_api_ms", "total_cost_usd"];

/// Fields that number things, or count tokens: two versions need not agree on them.
const INCIDENTAL: [&str; 10] = [
    "item",
    "uuid",
    "uuids",
    "cell_id",
    "last_message_uuid",
    "tokens",
    "total_tokens",
    "models",
    "queued_turns",
    "run",
];

/// All that was shown, with numbers.
pub(crate) fn whole(played: &Played) -> String {
    Writer::new(false).lines(played).join("\n")
}

/// What happened, without the numbers of things: what two versions can agree on.
pub(crate) fn bare(played: &Played) -> Vec<String> {
    Writer::new(true).lines(played)
}

struct Writer {
    names: Names,
    is_bare: bool,
    /// The payloads of calls, of whose updates only what is new is shown.
    calls: HashMap<String, Value>,
    /// What was told at the beginning.
    begun: HashSet<String>,
}

impl Writer {
    fn new(is_bare: bool) -> Self {
        let (names, calls, begun) = (Names::default(), HashMap::new(), HashSet::new());
        Self { names, is_bare, calls, begun }
    }

    fn lines(&mut self, played: &Played) -> Vec<String> {
        let mut lines = Vec::new();
        let mut shown = played.shown.iter().peekable();
        while let Some(next) = shown.next() {
            match next {
                Shown::Event(event) => lines.extend(self.event(event)),
                Shown::Refused(why) => lines.push(format!("    refused: {why}")),
                Shown::Delta(delta) => {
                    let (mut count, mut bytes) = (1, delta.text.len());
                    let same = |next: &&Shown| matches!(next, Shown::Delta(next) if next.item == delta.item);
                    while let Some(Shown::Delta(next)) = shown.next_if(same) {
                        count += 1;
                        bytes += next.text.len();
                    }
                    if !self.is_bare {
                        let kind = serde_json::to_value(delta.kind).expect("a word");
                        let kind = kind.as_str().unwrap_or_default();
                        let item = delta.item;
                        lines.push(format!("    … #{item} {kind} ×{count}, {bytes} bytes"));
                    }
                }
            }
        }
        lines
    }

    fn event(&mut self, event: &Event) -> Option<String> {
        let Value::Object(mut fields) = serde_json::to_value(event).expect("events are JSON")
        else {
            panic!("an event is an object");
        };
        let mut line = String::new();
        let seq = fields.remove("seq").expect("seq");
        let turn = fields.remove("turn").expect("turn");
        let parent = fields.remove("parent_tool_call_id").expect("parent");
        let kind = fields.remove("type").expect("type");
        let kind = kind.as_str().unwrap_or_default().to_owned();
        if self.is_bare {
            self.strip(&kind, &mut fields)?;
        } else {
            let _ = write!(line, "{seq:>3} ");
        }
        let turn = turn.as_u64().map_or("--".to_owned(), |turn| format!("t{turn}"));
        let _ = write!(line, "{turn} ");
        if let Some(parent) = parent.as_str() {
            let _ = write!(line, "  <{}> ", self.names.of("call", parent));
        }
        if let Some(item) = fields.remove("item").filter(|_| !self.is_bare) {
            let _ = write!(line, "#{item} ");
        }
        line.push_str(&kind);
        self.summarise(&kind, &mut fields);
        Some(line + &self.fields(&fields))
    }

    /// Takes away what versions do not agree on; `None` if nothing is left.
    fn strip(&mut self, kind: &str, fields: &mut Map<String, Value>) -> Option<()> {
        if AT_THE_BEGINNING.contains(&kind) && self.begun.insert(kind.to_owned()) {
            return None;
        }
        for (_, names, _) in EVERYWHERE.iter().filter(|(of, ..)| *of == kind) {
            if names.is_empty() {
                return None;
            }
            take_away(names, fields);
        }
        if let Some(Value::String(name)) = fields.get_mut("tool_name") {
            // Tools were renamed; events have the name that the CLI uses.
            *name = canonical(name).to_owned();
        }
        Some(())
    }

    /// Lists and payloads that are shown in full elsewhere.
    fn summarise(&mut self, kind: &str, fields: &mut Map<String, Value>) {
        let count = |fields: &mut Map<String, Value>, key: &str| {
            if let Some(Value::Array(list)) = fields.get(key) {
                let count = Value::from(list.len());
                fields.insert(key.to_owned(), count);
            }
        };
        match kind {
            "run_ready" => count(fields, "models"),
            "available_commands" => count(fields, "commands"),
            "complete" => {
                fields.remove("models");
            }
            "tool_call" => {
                let id = fields["tool_call_id"].as_str().unwrap_or_default().to_owned();
                let payload = fields.remove("payload").unwrap_or_default();
                fields.insert("kind".to_owned(), payload["kind"].clone());
                self.calls.insert(id, payload);
            }
            "tool_update" => {
                let id = fields["tool_call_id"].as_str().unwrap_or_default();
                if let (Some(call), Some(now)) = (self.calls.get(id), fields.remove("payload")) {
                    fields.insert("news".to_owned(), news(call, now));
                }
            }
            "approval_requested" => {
                if let Some(Value::Object(subject)) = fields.get_mut("subject") {
                    subject.remove("payload");
                }
            }
            _ => {}
        }
    }

    fn fields(&mut self, fields: &Map<String, Value>) -> String {
        let mut text = String::new();
        for (key, value) in fields {
            let skip = LEFT_OUT.contains(&&**key)
                || (self.is_bare && INCIDENTAL.contains(&&**key))
                || is_nothing(value);
            if !skip {
                let _ = write!(text, " {key}={}", self.value(key, value));
            }
        }
        text
    }

    fn value(&mut self, key: &str, value: &Value) -> String {
        match value {
            Value::String(text) => match category(key, text) {
                Some(category) => self.names.of(category, text),
                None => clip(text),
            },
            Value::Array(list) => {
                let list: Vec<String> = list.iter().map(|value| self.value(key, value)).collect();
                format!("[{}]", list.join(", "))
            }
            Value::Object(fields) => format!("{{{} }}", self.fields(fields)),
            other => other.to_string(),
        }
    }
}

/// Removes the fields `names`, however deep they are.
fn take_away(names: &[&str], fields: &mut Map<String, Value>) {
    fields.retain(|name, _| !names.contains(&&**name));
    for inner in fields.values_mut().filter_map(Value::as_object_mut) {
        take_away(names, inner);
    }
}

/// What is in `now` and was not in `call`.
fn news(call: &Value, now: Value) -> Value {
    match now {
        Value::Object(fields) => {
            let new = fields.into_iter().filter(|(key, value)| call.get(key) != Some(value));
            Value::Object(new.collect())
        }
        other => other,
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.values().all(is_nothing),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn clip(text: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-./:<>".contains(c);
    if text.chars().all(is_word) && text.len() < WHOLE {
        return text.to_owned();
    }
    let mut shown: String = text.chars().take(WHOLE).collect();
    let left = text.chars().count() - shown.chars().count();
    if left > 0 {
        let _ = write!(shown, "… and {left} more");
    }
    format!("{shown:?}")
}

/// What an id in this field names.
fn category(key: &str, id: &str) -> Option<&'static str> {
    Some(match key {
        // Tools have prompts too.
        "prompt" if Uuid::parse_str(id).is_err() => return None,
        "tool_call_id" | "tool_call_ids" | "denied_tool_call_ids" | "toolUseID" => "call",
        "prompt" | "prompts" => "prompt",
        "cli_session" | "previous" => "conversation",
        "uuid" | "uuids" | "last_message_uuid" => "message",
        "task_id" | "agent_id" => "task",
        "run" => "run",
        _ => return None,
    })
}

/// Short names in place of ids: the first one that turns up is 1.
#[derive(Default)]
struct Names(HashMap<(&'static str, String), usize>, HashMap<&'static str, usize>);

impl Names {
    fn of(&mut self, category: &'static str, id: &str) -> String {
        let last = self.1.entry(category).or_default();
        let number = self.0.entry((category, id.to_owned())).or_insert_with(|| {
            *last += 1;
            *last
        });
        format!("{category}{number}")
    }
}
