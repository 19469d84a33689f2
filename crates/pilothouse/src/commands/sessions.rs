//! Sessions as the API tells of them, and how people name one.

use jiff::Timestamp;
use pilothouse_session::approval::Approval;
use pilothouse_session::event::{Status, Task};
use pilothouse_session::id::{ApprovalId, SessionId};
use serde::Deserialize;

use super::usage;
use crate::reach::{Reach, quoted};
use crate::view::{one_line, short};

/// What is needed of a session in a list.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SessionRow {
    pub(super) id: SessionId,
    pub(super) cwd: String,
    pub(super) title: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) created_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) archived: bool,
    pub(super) status: Status,
    pub(super) cli_session: Option<String>,
    pub(super) model: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) policy: Option<String>,
    pub(super) open_approvals: u64,
    pub(super) needs_you: bool,
    pub(super) last_seq: u64,
}

/// A session with what waits and what goes on.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SessionDetail {
    #[serde(flatten)]
    pub(super) row: SessionRow,
    pub(super) approvals: Vec<Approval>,
    pub(super) tasks: Vec<Task>,
}

/// A request that waits somewhere.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct OpenRequest {
    pub(super) session: SessionId,
    pub(super) approval: ApprovalId,
    pub(super) request: Option<Approval>,
}

impl SessionRow {
    /// What to call it.
    pub(super) fn name(&self) -> String {
        match &self.title {
            Some(title) if !title.is_empty() => one_line(title),
            _ => "(no title)".to_owned(),
        }
    }
}

/// The state in a word.
pub(super) fn state(status: Status) -> &'static str {
    match status {
        Status::Dormant => "asleep",
        Status::Starting => "starting",
        Status::Ready => "ready",
        Status::Running => "working",
        Status::AwaitingApproval => "waiting",
        Status::Settled => "settled",
        Status::Idle => "idle",
        Status::Interrupted => "interrupted",
        Status::Ended => "ended",
    }
}

/// The path of a session.
pub(super) fn path(session: SessionId) -> String {
    format!("/api/v1/sessions/{session}")
}

/// The session that somebody means.
pub(super) async fn find(reach: &mut Reach, name: &str) -> anyhow::Result<SessionRow> {
    let name = name.trim();
    if let Ok(id) = name.parse().map(SessionId) {
        let named: Vec<SessionRow> =
            reach.list(&format!("/api/v1/sessions?cli_session={}", quoted(name)), 1).await?;
        if let Some(row) = named.into_iter().next() {
            return Ok(row);
        }
        return Ok(reach.get(&path(id)).await?);
    }
    let rows: Vec<SessionRow> = reach.list("/api/v1/sessions?", usize::MAX).await?;
    if name == "last" {
        let last = rows.into_iter().max_by_key(|row| row.updated_at);
        return last.ok_or_else(|| usage("there is no session yet: `pilothouse run` makes one"));
    }
    let fits = |row: &SessionRow| {
        let id = row.id.to_string();
        id.starts_with(name) || id.ends_with(name)
    };
    let mut found: Vec<_> = rows.into_iter().filter(fits).collect();
    match (found.pop(), found.is_empty()) {
        (Some(row), true) if !name.is_empty() => Ok(row),
        (Some(row), _) => {
            let others = found.iter().chain([&row]).map(|row| short(row.id)).collect::<Vec<_>>();
            Err(usage(format!("`{name}` may be one of {}: write more of it", others.join(", "))))
        }
        (None, _) => Err(usage(format!(
            "there is no session `{name}`: `pilothouse ls` lists them, `pilothouse import` those of \
             Claude Code"
        ))),
    }
}

/// A directory as a session needs it: absolute, and text.
pub(super) fn directory(dir: Option<&std::path::Path>) -> anyhow::Result<String> {
    let dir = dir.unwrap_or_else(|| std::path::Path::new("."));
    let whole = dunce::canonicalize(dir).map_err(|error| {
        usage(format!("the directory {} cannot be used: {error}", dir.display()))
    })?;
    match whole.to_str() {
        Some(text) if whole.is_dir() => Ok(text.to_owned()),
        Some(_) => Err(usage(format!("{} is not a directory", dir.display()))),
        None => Err(usage(format!(
            "the name of {} is not UTF-8, and Claude Code works only where it is: rename it, or work \
             elsewhere",
            whole.display()
        ))),
    }
}
