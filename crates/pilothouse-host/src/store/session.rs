//! Sessions as they are listed.
//!
//! What the events say about a session (status, title, model, open approvals, whether somebody should
//! look) is kept in its row, in the same transaction as the events, so that a list costs no reading
//! of events.

use jiff::Timestamp;
use pilothouse_session::event::{Event, Status};
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Store;
use super::ack::Ack;
use super::error::StoreError;
use super::event::{Batch, Checkpoint};
use super::sqlite::{Durability, audit, events, sessions};
use crate::secrets::mask::masked;

/// A session to be.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSession {
    /// Its id.
    pub id: SessionId,
    /// Where it works.
    pub cwd: String,
    /// Its title, where a person chose one.
    pub title: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The CLI's id of the conversation it goes on, where it does.
    pub cli_session: Option<String>,
    /// The model it begins with.
    pub model: Option<String>,
    /// The mode it begins in.
    pub mode: Option<String>,
    /// Its policy.
    pub policy: Option<String>,
    /// Whatever else the host keeps with it.
    pub settings: Value,
}

impl NewSession {
    /// A session in a directory, with nothing else said.
    pub fn new(id: SessionId, cwd: impl Into<String>) -> Self {
        Self {
            id,
            cwd: cwd.into(),
            title: None,
            tags: Vec::new(),
            cli_session: None,
            model: None,
            mode: None,
            policy: None,
            settings: Value::Object(serde_json::Map::new()),
        }
    }
}

/// A session that is there.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// Where it works.
    pub cwd: String,
    /// Its title: one that a person chose, or the CLI's.
    pub title: Option<String>,
    /// Its tags, in order.
    pub tags: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When something last happened that is worth the list's order.
    pub updated_at: Timestamp,
    /// It is put away.
    pub archived: bool,
    /// Its state.
    pub status: Status,
    /// The CLI's id of the conversation.
    pub cli_session: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The permission mode.
    pub mode: Option<String>,
    /// Its policy.
    pub policy: Option<String>,
    /// Whatever else the host keeps with it. Written without the values of variables, headers, flags
    /// of the CLI and arguments of MCP servers, and without the credentials and query values of URLs.
    #[serde(serialize_with = "without_secrets")]
    pub settings: Value,
    /// How many requests wait for an answer.
    pub open_approvals: u64,
    /// A person has to do something: answer, or look at what was interrupted.
    pub needs_you: bool,
    /// Something happened that nobody has seen.
    pub unread: bool,
    /// The number of its last event.
    pub last_seq: u64,
}

/// Clients are shown names, not values.
fn without_secrets<S: Serializer>(settings: &Value, serializer: S) -> Result<S::Ok, S::Error> {
    masked(settings).serialize(serializer)
}

/// What is changed about a session. What is none stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionChange {
    /// Another title; an empty one gives the title back to the CLI.
    pub title: Option<String>,
    /// Other tags, all of them.
    pub tags: Option<Vec<String>>,
    /// Put away, or taken out again.
    pub archived: Option<bool>,
    /// Another policy; an empty one for none.
    pub policy: Option<String>,
    /// Other settings, all of them.
    pub settings: Option<Value>,
    /// Somebody has seen everything up to this event.
    pub read_to: Option<u64>,
}

/// Which sessions are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only archived ones, or only others; both where it is none.
    pub archived: Option<bool>,
    /// Only those with this tag.
    pub tag: Option<String>,
    /// Only those in this directory.
    pub cwd: Option<String>,
    /// Only those in one of these states; empty for all.
    pub statuses: Vec<Status>,
    /// Only those that need a person.
    pub needs_you: bool,
    /// Only those with something new.
    pub unread: bool,
    /// Only those whose title or directory contains this, in whatever case.
    pub named: Option<String>,
    /// Only the one with this conversation of the CLI.
    pub cli_session: Option<String>,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// The entries.
    pub items: Vec<T>,
    /// Where the next part begins; none at the end.
    pub next: Option<String>,
}

impl Store {
    /// Creates a session.
    pub fn create(&self, session: NewSession) -> Ack<()> {
        let weight = session.cwd.len() + 256;
        self.write(Durability::PowerLoss, weight, move |tx| {
            sessions::create(tx, &session, Timestamp::now())
        })
    }

    /// Creates a session with the events it begins with and the state after them: all of it, or
    /// nothing.
    pub fn create_with(
        &self,
        session: NewSession,
        events: &[Event],
        checkpoint: Checkpoint,
    ) -> Ack<()> {
        let batch = match Batch::new(session.id, events, Some(checkpoint), None, &self.secrets()) {
            Ok(batch) => batch,
            Err(error) => return Ack::settled(Err(error)),
        };
        let weight = session.cwd.len() + 256 + batch.weight;
        self.write(Durability::PowerLoss, weight, move |tx| {
            sessions::create(tx, &session, Timestamp::now())?;
            events::append(tx, &batch).map(drop)
        })
    }

    /// A session.
    pub fn session(&self, session: SessionId) -> Result<Option<SessionRow>, StoreError> {
        self.read(|conn| sessions::get(conn, session))
    }

    /// Sessions: those that need somebody first, then by when something last happened. `after` is
    /// `next` of the page before.
    pub fn sessions(
        &self,
        filter: &SessionFilter,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page<SessionRow>, StoreError> {
        self.read(|conn| sessions::list(conn, filter, after, limit))
    }

    /// A session that has this policy.
    pub fn with_policy(&self, policy: &str) -> Result<Option<SessionId>, StoreError> {
        self.read(|conn| sessions::with_policy(conn, policy))
    }

    /// How many sessions there are in each state.
    pub fn count(&self) -> Result<Vec<(Status, u64)>, StoreError> {
        self.read(sessions::count)
    }

    /// Changes what a person may change: title, tags, archive, policy, settings, what was read.
    pub fn change(&self, session: SessionId, change: SessionChange) -> Ack<()> {
        self.write(Durability::PowerLoss, 256, move |tx| sessions::change(tx, session, &change))
    }

    /// Whether the audit says that a session was deleted.
    pub fn was_deleted(&self, session: SessionId) -> Result<bool, StoreError> {
        self.read(|conn| audit::has_deleted(conn, session))
    }

    /// Deletes a session with everything that belongs to it. Search finds nothing of it from then
    /// on; [`Store::tidy`] takes its words out of the file. The audit keeps that it was deleted, by
    /// whom, and the decisions that were made in it.
    pub fn delete(&self, session: SessionId, by: &str) -> Ack<()> {
        let by = by.to_owned();
        self.write(Durability::PowerLoss, by.len(), move |tx| {
            sessions::delete(tx, session, &by, Timestamp::now())
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_are_not_told() {
        let settings = json!({
            "model": "opus",
            "env": {"KEY": "secret"},
            "mcp_servers": {"a": {
                "command": "x",
                "args": ["-y", "some-server", "--api-key=secret", "D=secret=secret"],
                "env": {"B": "secret"},
                "headers": {"C": "secret"},
            }, "b": {
                "url": "https://me:secret@example.com/mcp?key=secret&v=secret",
                "args": ["--api-key", "secret", "--name", "shown", "--url", "http://h/?k=secret",
                         "--header", "Authorization: Bearer secret", "-e", "TOKEN=secret"],
            }},
            "settings": {"apiKeyHelper": "/bin/helper", "model": "opus",
                         "nested": [{"authToken": "a-secret-value"}]},
            "extra_args": {"betas": "secret", "chrome": null},
        });
        let mut told = Vec::new();
        without_secrets(&settings, &mut serde_json::Serializer::new(&mut told)).unwrap();
        let told = String::from_utf8(told).unwrap();
        assert!(!told.contains("secret"), "{told}");
        for name in ["opus", "KEY", "command", "\"B\"", "\"C\""] {
            assert!(told.contains(name), "{told}");
        }
        let told: Value = serde_json::from_str(&told).unwrap();
        let args = json!(["-y", "some-server", "--api-key=***", "D=***"]);
        assert_eq!(told["mcp_servers"]["a"]["args"], args);
        let far = &told["mcp_servers"]["b"];
        assert_eq!(far["url"], "https://me:***@example.com/mcp?key=***&v=***");
        let args = json!([
            "--api-key",
            "***",
            "--name",
            "shown",
            "--url",
            "http://h/?k=***",
            "--header",
            "Authorization: ***",
            "-e",
            "TOKEN=***",
        ]);
        assert_eq!(far["args"], args);
        assert_eq!(told["settings"]["apiKeyHelper"], "/bin/helper");
        assert_eq!(told["settings"]["nested"][0]["authToken"], "***");
        assert_eq!(told["extra_args"], json!({"betas": "***", "chrome": null}));
    }
}
