//! One transcript file: a line for each entry, each entry linked to the one before it.

use std::cell::RefCell;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::clock;

/// What every entry of a session carries.
#[derive(Debug, Clone)]
pub(super) struct Stamp {
    pub(super) cwd: PathBuf,
    pub(super) version: &'static str,
    pub(super) entrypoint: String,
}

/// A file that is only ever appended to. Failing to write is not an error: the conversation matters
/// more.
#[derive(Debug)]
pub(super) struct Transcript {
    path: PathBuf,
    stamp: Stamp,
    session: String,
    /// Set in the transcript of a subagent.
    agent: Option<String>,
    last: RefCell<Option<String>>,
    is_kept: bool,
}

impl Transcript {
    pub(super) fn new(path: PathBuf, stamp: Stamp, session: &str, is_kept: bool) -> Self {
        Self {
            path,
            stamp,
            session: session.to_owned(),
            agent: None,
            last: RefCell::default(),
            is_kept,
        }
    }

    /// The transcript of a subagent of this session.
    pub(super) fn of_agent(&self, agent: &str) -> Self {
        let path = self.path.with_extension("").join(format!("subagents/agent-{agent}.jsonl"));
        Self {
            path,
            stamp: self.stamp.clone(),
            session: self.session.clone(),
            agent: Some(agent.to_owned()),
            last: RefCell::default(),
            is_kept: self.is_kept,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn session(&self) -> &str {
        &self.session
    }

    pub(super) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// The entry that the next one follows.
    pub(super) fn set_last(&self, uuid: Option<String>) {
        *self.last.borrow_mut() = uuid;
    }

    /// An entry of the conversation: `fields` with what every entry has.
    pub(super) fn chain(&self, kind: &str, uuid: &str, fields: Value) {
        let parent = self.last.replace(Some(uuid.to_owned()));
        let mut entry = json!({
            "type": kind,
            "uuid": uuid,
            "parentUuid": parent,
            "isSidechain": self.agent.is_some(),
            "sessionId": self.session,
            "timestamp": clock::iso(),
            "cwd": self.stamp.cwd,
            "version": self.stamp.version,
            "entrypoint": self.stamp.entrypoint,
            "userType": "external",
            "gitBranch": "HEAD",
        });
        if let Some(agent) = &self.agent {
            entry["agentId"] = json!(agent);
        }
        merge(&mut entry, fields);
        self.append(&entry);
    }

    /// A line beside the conversation.
    pub(super) fn note(&self, kind: &str, fields: Value) {
        let mut line = json!({"type": kind, "sessionId": self.session});
        merge(&mut line, fields);
        self.append(&line);
    }

    pub(super) fn append(&self, line: &Value) {
        if !self.is_kept {
            return;
        }
        let write = || -> std::io::Result<()> {
            if let Some(directory) = self.path.parent() {
                fs::create_dir_all(directory)?;
            }
            let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
            file.write_all(format!("{line}\n").as_bytes())
        };
        let _ = write();
    }
}

fn merge(entry: &mut Value, fields: Value) {
    if let (Value::Object(entry), Value::Object(fields)) = (entry, fields) {
        entry.extend(fields);
    }
}

/// The lines of a transcript, in order.
pub(super) fn read(path: &Path) -> Option<Vec<Value>> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// The conversation that ends with entry `leaf` (the last one if not given), oldest first.
pub(super) fn branch(lines: &[Value], leaf: Option<&str>) -> Option<Vec<Value>> {
    let by_uuid: Map<String, Value> = lines
        .iter()
        .filter_map(|line| Some((line["uuid"].as_str()?.to_owned(), line.clone())))
        .collect();
    let last = lines.iter().rev().find_map(|line| line["uuid"].as_str());
    let mut next = match leaf {
        Some(leaf) if by_uuid.contains_key(leaf) => Some(leaf),
        Some(_) => return None,
        None => last,
    };
    let mut branch = Vec::new();
    while let Some(entry) = next.and_then(|uuid| by_uuid.get(uuid)) {
        branch.push(entry.clone());
        next = entry["parentUuid"].as_str();
    }
    branch.reverse();
    Some(branch)
}
