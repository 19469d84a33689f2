//! Transcripts, written the way the CLI writes them.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use pilothouse_client::history::{History, project_key};
use pilothouse_host::past::{Imported, Past, PastError};
use pilothouse_session::event::{Body, Event};
use pilothouse_session::id::SessionId;
use pilothouse_session::session::Setup;
use serde_json::{Value, json};
use uuid::Uuid;

pub(crate) struct Bed {
    dir: tempfile::TempDir,
    pub(crate) past: Past,
}

/// The id of a conversation.
pub(crate) fn name(number: u32) -> String {
    format!("00000000-0000-4000-8000-{number:012}")
}

impl Bed {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let past = Past::of(History::at(dir.path().join("config")));
        Self { dir, past }
    }

    /// A directory that exists.
    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        let path = self.dir.path().canonicalize().unwrap().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Where the transcripts of a directory are.
    pub(crate) fn project(&self, directory: &str) -> PathBuf {
        let key = project_key(&self.directory(directory));
        let path = self.dir.path().join("config/projects").join(key);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a transcript in the project of a directory; the smaller the number, the newer.
    pub(crate) fn put(&self, directory: &str, number: u32, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project(directory).join(format!("{}.jsonl", name(number)));
        fs::write(&path, content).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000 - u64::from(number));
        File::options().append(true).open(&path).unwrap().set_modified(then).unwrap();
        path
    }

    /// A conversation of these messages, in their order.
    pub(crate) fn talk(&self, directory: &str, number: u32, said: &[Value]) -> PathBuf {
        let cwd = self.directory(directory);
        self.put(directory, number, chained(said, number, &cwd.display().to_string()))
    }

    pub(crate) fn import(&self, number: u32) -> Result<Imported, PastError> {
        self.past.import(&name(number), SessionId(Uuid::from_u128(9)), Setup::default())
    }
}

/// Lines in which each follows the one before. What a message has already is not changed.
pub(crate) fn chained(said: &[Value], number: u32, cwd: &str) -> String {
    let mut text = String::new();
    let mut parent = Value::Null;
    for (at, value) in said.iter().enumerate() {
        let uuid = Uuid::from_u128(u128::from(number) << 32 | at as u128).to_string();
        let mut line = json!({
            "parentUuid": parent, "isSidechain": false, "cwd": cwd, "sessionId": name(number),
            "uuid": uuid, "timestamp": format!("2026-09-01T10:{:02}:{:02}.000Z", at / 60, at % 60),
        });
        for (key, own) in value.as_object().unwrap() {
            line[key] = own.clone();
        }
        parent = line["uuid"].clone();
        text.push_str(&format!("{line}\n"));
    }
    text
}

pub(crate) fn user(content: impl Into<Value>) -> Value {
    let content: Value = content.into();
    json!({"type": "user", "message": {"role": "user", "content": content}})
}

pub(crate) fn assistant(id: &str, block: Value) -> Value {
    json!({"type": "assistant", "message": {
        "id": id, "role": "assistant", "model": "model-a", "content": [block],
        "usage": {"input_tokens": 3, "output_tokens": 2},
    }})
}

pub(crate) fn text(id: &str, text: &str) -> Value {
    assistant(id, json!({"type": "text", "text": text}))
}

pub(crate) fn call(id: &str, call: &str, tool: &str, input: Value) -> Value {
    assistant(id, json!({"type": "tool_use", "id": call, "name": tool, "input": input}))
}

pub(crate) fn result(call: &str, text: &str) -> Value {
    user(json!([{"type": "tool_result", "tool_use_id": call, "content": text}]))
}

/// What clients see of a conversation: who said what, in short.
pub(crate) fn shown(events: &[Event]) -> Vec<String> {
    let short = |event: &Event| {
        let what = match &event.body {
            Body::UserMessage { text, origin, .. } => {
                let origin = serde_json::to_value(origin).unwrap();
                format!("{} {text}", origin["kind"].as_str().unwrap())
            }
            Body::Message { text, .. } => format!("says {text}"),
            Body::Reasoning { text, .. } => format!("thinks {text}"),
            Body::ToolCall { tool_call_id, title, .. } => format!("calls {tool_call_id} {title}"),
            Body::ToolUpdate { tool_call_id, status, .. } => {
                format!("ends {tool_call_id} {status:?}")
            }
            Body::Complete { completion } => format!("settles {:?}", completion.outcome),
            Body::Compacted { .. } => "compacted".to_owned(),
            Body::Notice { text, .. } => format!("notes {text}"),
            Body::Error { message, .. } => format!("fails {message}"),
            Body::Renamed { title } => format!("named {title}"),
            _ => return None,
        };
        let mark = if event.parent_tool_call_id.is_some() { "  " } else { "" };
        Some(format!("{mark}{what}"))
    };
    events.iter().filter_map(short).collect()
}
