//! Searching.

use jiff::Timestamp;
use pilothouse_session::id::SessionId;
use schemars::JsonSchema;
use serde::Serialize;

use super::Store;
use super::error::StoreError;
use super::session::Page;
use super::sqlite::search;
use super::text::{Snippet, Voice};

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words, all of which have to be there; the last may be the beginning of one. What stands in
    /// double quotes has to stand together. Any text will do.
    pub text: String,
    /// Only in this session.
    pub session: Option<SessionId>,
    /// Only what these say; empty for all.
    pub voices: Vec<Voice>,
    /// Also in archived sessions.
    pub with_archived: bool,
    /// `next` of the part before.
    pub after: Option<String>,
    /// How many to find.
    pub limit: usize,
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Hit {
    /// The session.
    pub session: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// Where it works.
    pub cwd: String,
    /// The event.
    pub seq: u64,
    /// When it was.
    pub at: Timestamp,
    /// Who it is from.
    pub voice: Voice,
    /// The place.
    pub snippet: Snippet,
}

impl Store {
    /// Looks for words in messages and tool calls: newest session first, and in it the newest event
    /// first.
    pub fn search(&self, search: &Search) -> Result<Page<Hit>, StoreError> {
        self.read(|conn| search::find(conn, search))
    }
}
