//! What is asked of the host, and what it tells of a session.

use pilothouse_session::approval::Approval;
use pilothouse_session::command::Urgency;
use pilothouse_session::event::{OpenItem, Task};
use pilothouse_session::id::{PromptId, SessionId};
use pilothouse_wire::Content;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::profile::Profile;
use crate::store::{Digest, SessionRow};

/// A session to be.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewSession {
    /// Its id, a UUID; a new one if it is left out. Asking again with the same id changes nothing.
    pub id: Option<SessionId>,
    /// Where it works; an absolute path.
    pub cwd: String,
    /// Its title.
    pub title: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its policy: a preset, or one that was put there; the host's usual one where it is left out,
    /// none where it is empty, which lets people answer everything.
    pub policy: Option<String>,
    /// How its runs are started.
    pub profile: Profile,
    /// With which conversation it begins.
    pub begin: Beginning,
}

/// With which conversation a session begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Beginning {
    /// A new one.
    #[default]
    Scratch,
    /// One that the CLI knows.
    Resume {
        /// The CLI's id of it.
        cli_session: String,
    },
    /// A copy of one that the CLI knows.
    Copy {
        /// The CLI's id of the original.
        cli_session: String,
        /// The CLI's id of the message after which the copy ends.
        #[serde(default)]
        at: Option<Uuid>,
    },
    /// A copy of the conversation of another session.
    Fork {
        /// The session.
        session: SessionId,
        /// The CLI's id of the message after which the copy ends.
        #[serde(default)]
        at: Option<Uuid>,
    },
}

/// A prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct PromptRequest {
    /// The client's name for the attempt: the same prompt under the same key is sent once.
    pub key: Option<String>,
    /// Its id; chosen here if it is left out.
    pub prompt: Option<PromptId>,
    /// What is said.
    pub content: Content,
    /// Uploaded files that go along with it, and are not in what is said.
    pub files: Vec<Digest>,
    /// When it is heard.
    pub urgency: Urgency,
}

/// A session as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SessionDetail {
    /// As it is listed.
    #[serde(flatten)]
    pub row: SessionRow,
    /// What waits for an answer.
    pub approvals: Vec<Approval>,
    /// What has begun and not ended.
    pub open_items: Vec<OpenItem>,
    /// The tasks that go on.
    pub tasks: Vec<Task>,
}
