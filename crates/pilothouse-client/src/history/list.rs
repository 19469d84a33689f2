//! Listing sessions: newest first, from file times and both ends of each file only.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use super::files::Ends;
use super::key::Spellings;
use super::places::transcripts;
use super::summary::Glimpse;
use super::{History, Scope, SessionId, SessionSummary};

/// Which sessions to list.
///
/// ```
/// use pilothouse_client::history::{Scope, SessionQuery};
/// let query = SessionQuery::new().scope(Scope::directory("/src/app")).people_only().limit(20);
/// # let _ = query;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionQuery {
    scope: Scope,
    audience: Audience,
    limit: Option<usize>,
    offset: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Audience {
    #[default]
    Everything,
    PeopleOnly,
}

impl SessionQuery {
    /// All sessions of all projects.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks only there.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Leaves out sessions that programs started: SDK and daemon sessions.
    #[must_use]
    pub fn people_only(mut self) -> Self {
        self.audience = Audience::PeopleOnly;
        self
    }

    /// Lists at most that many.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Passes over that many first.
    #[must_use]
    pub fn offset(mut self, offset: usize) -> Self {
        self.offset = offset;
        self
    }
}

impl History {
    /// The sessions a query asks for, the one written last first.
    ///
    /// What cannot be read is left out, and no projects directory means no sessions. A session
    /// that exists twice is listed once, as its newest copy. Not listed are transcripts of
    /// subagents, sessions without any text, sessions that go on in another one, and, with a
    /// directory, those of another existing directory whose project has the same name.
    #[must_use]
    pub fn sessions(&self, query: &SessionQuery) -> Vec<SessionSummary> {
        let places = self.listed_places(&query.scope);
        let mut found: Vec<_> = places.dirs.iter().flat_map(transcripts).collect();
        found.sort_by(|(a_id, a), (b_id, b)| {
            b.modified_ms.cmp(&a.modified_ms).then_with(|| b_id.cmp(a_id))
        });
        let mut listed: HashSet<SessionId> = HashSet::new();
        let mut page = Vec::new();
        for (session, transcript) in found {
            if query.limit.is_some_and(|limit| page.len() >= limit) {
                break;
            }
            if listed.contains(&session) {
                continue;
            }
            let Some(ends) = Ends::read(&transcript.path) else {
                continue;
            };
            let glimpse = Glimpse::new(&transcript.path, &session, &ends);
            if query.audience == Audience::PeopleOnly && glimpse.is_programmatic() {
                continue;
            }
            let project = transcript.project.as_deref();
            let elsewhere = project.is_some_and(|project| {
                glimpse
                    .recorded_cwd()
                    .is_some_and(|cwd| belongs_elsewhere(&cwd, project, &places.own))
            });
            if elsewhere || glimpse.is_superseded() {
                continue;
            }
            let Some(mut summary) = glimpse.summary(project) else {
                continue;
            };
            // The order was made from this time; a session written meanwhile keeps its place.
            summary.last_modified_ms = transcript.modified_ms;
            listed.insert(session);
            if listed.len() > query.offset {
                page.push(summary);
            }
        }
        page
    }

    /// One session as a listing shows it.
    ///
    /// `None` when there is no such session, when it is a subagent's, or when it holds no text.
    #[must_use]
    pub fn session(&self, session: &SessionId, scope: &Scope) -> Option<SessionSummary> {
        let transcript = self.find(session, scope).ok()?;
        let ends = Ends::read(&transcript.path)?;
        Glimpse::new(&transcript.path, session, &ends).summary(transcript.project.as_deref())
    }
}

/// Whether a recorded working directory is another existing one than `project`, which only shares
/// its name: `/a/b-c` and `/a/b/c` both are `-a-b-c`.
fn belongs_elsewhere(cwd: &str, project: &Path, own: &[PathBuf]) -> bool {
    let recorded = Path::new(cwd);
    let plain = recorded.is_absolute()
        && !recorded.components().any(|part| matches!(part, Component::ParentDir));
    if !plain || own.iter().any(|own| recorded.starts_with(own)) {
        return false;
    }
    let project = Spellings::of(project);
    let differs = |path: &str| project.same_dashes(path) && !project.same_path(path);
    differs(cwd) && dunce::canonicalize(recorded).is_ok_and(|real| differs(&real.to_string_lossy()))
}
