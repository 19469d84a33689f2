//! Past conversations in a list: newest first, page by page.

use std::path::Path;

use jiff::Timestamp;
use pilothouse_client::history::{SessionId as CliSession, SessionQuery, SessionSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Past, PastPlace, from_ms};

/// The most on one page.
const LARGEST_PAGE: usize = 500;

/// A past conversation in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastSession {
    /// The CLI's id of it.
    pub cli_session: String,
    /// One line to show: the title, else what was said.
    pub summary: String,
    /// The title that somebody chose.
    pub title: Option<String>,
    /// What was said first.
    pub first_prompt: Option<String>,
    /// Where it was led.
    pub cwd: Option<String>,
    /// The branch that was checked out there.
    pub git_branch: Option<String>,
    /// Its tag.
    pub tag: Option<String>,
    /// It was put away.
    pub archived: bool,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When something was last said.
    pub updated_at: Timestamp,
    /// Bytes of its transcript.
    pub size: u64,
}

impl From<SessionSummary> for PastSession {
    fn from(summary: SessionSummary) -> Self {
        Self {
            cli_session: summary.session_id.to_string(),
            summary: summary.summary,
            title: summary.custom_title,
            first_prompt: summary.first_prompt,
            cwd: summary.cwd,
            git_branch: summary.git_branch,
            tag: summary.tag,
            archived: summary.archived == Some(true),
            started_at: summary.created_at_ms.map(from_ms),
            updated_at: from_ms(summary.last_modified_ms),
            size: summary.file_size,
        }
    }
}

impl PastSession {
    /// One about which the two ends of its transcript say nothing.
    pub(super) fn unlisted(session: &CliSession, transcript: &Path) -> Self {
        let metadata = transcript.symlink_metadata().ok();
        let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let updated_at = modified.and_then(|time| Timestamp::try_from(time).ok());
        Self {
            cli_session: session.to_string(),
            summary: session.to_string(),
            title: None,
            first_prompt: None,
            cwd: None,
            git_branch: None,
            tag: None,
            archived: false,
            started_at: None,
            updated_at: updated_at.unwrap_or(Timestamp::UNIX_EPOCH),
            size: metadata.map_or(0, |metadata| metadata.len()),
        }
    }
}

/// A part of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastPage {
    /// The conversations, the one written last first.
    pub items: Vec<PastSession>,
    /// How many to pass over for the next part; none at the end.
    pub next: Option<usize>,
}

impl Past {
    /// Conversations, the one written last first, after the first `offset`.
    pub fn list(&self, place: &PastPlace, offset: usize, limit: usize) -> PastPage {
        let limit = limit.clamp(1, LARGEST_PAGE);
        // One more tells whether there is more.
        let query = SessionQuery::new().scope(place.scope()).offset(offset).limit(limit + 1);
        let mut found = self.history.sessions(&query);
        let next = (found.len() > limit).then(|| offset.saturating_add(limit));
        found.truncate(limit);
        PastPage { items: found.into_iter().map(PastSession::from).collect(), next }
    }
}
