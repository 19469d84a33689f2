//! The transcripts of a session's subagents.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::chain::Chain;
use super::entry::Kind;
use super::files::read_small;
use super::index::Index;
use super::line::Line;
use super::messages::{Parentage, read_page};
use super::queued::{Appearance, Generated, arrange};
use super::{History, HistoryError, MessageQuery, Scope, SessionId, SessionMessage};

/// Deeper directories are not looked into; the CLI nests two levels.
const DEEPEST: usize = 8;

/// A sidecar that is longer is not one.
const LONGEST_SIDECAR: u64 = 1 << 20;

/// A subagent of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Subagent {
    /// Its id, unique within the session.
    pub agent_id: String,
    /// The tool call of the parent that started it.
    pub tool_use_id: Option<String>,
    /// The subagent that started it; `None` when the session itself did.
    pub parent_agent_id: Option<String>,
    /// Everything the CLI recorded about it beside its transcript, such as its type.
    pub metadata: Option<Box<RawValue>>,
    /// Its transcript.
    pub transcript: PathBuf,
}

impl History {
    /// The subagents of a session, in the order of their files' names.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`].
    pub fn subagents(
        &self,
        session: &SessionId,
        scope: &Scope,
    ) -> Result<Vec<Subagent>, HistoryError> {
        let side = self.find(session, scope)?.side_dir();
        let mut found = Vec::new();
        // Whoever made a link of these directories did not mean subagents.
        if is_real_dir(&side) && is_real_dir(&side.join("subagents")) {
            collect(&side.join("subagents"), DEEPEST, &mut found);
        }
        Ok(found)
    }

    /// What was said in a subagent's conversation, in order, its instructions included.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`], [`HistoryError::SubagentNotFound`], and
    /// [`HistoryError::Io`] when the transcript cannot be read.
    pub fn subagent_messages(
        &self,
        session: &SessionId,
        agent_id: &str,
        query: &MessageQuery,
    ) -> Result<Vec<SessionMessage>, HistoryError> {
        let subagents = self.subagents(session, query.place())?;
        let Some(subagent) = subagents.into_iter().find(|agent| agent.agent_id == agent_id) else {
            return Err(HistoryError::SubagentNotFound {
                session: session.to_string(),
                agent: agent_id.to_owned(),
            });
        };
        let path = &subagent.transcript;
        let index = Index::read(path).map_err(HistoryError::io("read", path))?;
        let chain = Chain::of_subagent(&index);
        let mut shown = arrange(&index, &chain, Generated::Shown);
        shown.retain(|(slot, appearance)| match index.entries[*slot].kind {
            Kind::User | Kind::Assistant => true,
            Kind::Attachment => *appearance == Appearance::QueuedPrompt,
            Kind::System | Kind::Progress => false,
        });
        let parentage =
            Parentage { tool_use_id: subagent.tool_use_id, agent_id: subagent.parent_agent_id };
        read_page(path, &index, &shown, query, &parentage)
    }
}

fn is_real_dir(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// Transcripts in `dir` and below: workflows keep theirs in directories of their own.
fn collect(dir: &Path, depth: usize, found: &mut Vec<Subagent>) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        // Of the entry itself: links are neither files nor directories here.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = entry.file_name();
        let agent_id = name
            .to_str()
            .and_then(|name| name.strip_prefix("agent-"))
            .and_then(|name| name.strip_suffix(".jsonl"));
        if kind.is_dir() && depth > 0 {
            collect(&entry.path(), depth - 1, found);
        } else if let Some(agent_id) = agent_id.filter(|_| kind.is_file()) {
            found.push(describe(agent_id, entry.path()));
        }
    }
}

fn describe(agent_id: &str, transcript: PathBuf) -> Subagent {
    let sidecar = transcript.with_file_name(format!("agent-{agent_id}.meta.json"));
    let text = read_small(&sidecar, LONGEST_SIDECAR).unwrap_or_default();
    let line = Line::parse(&text);
    let own = |key| line.as_ref().and_then(|line| line.text(key)).map(String::from);
    Subagent {
        agent_id: agent_id.to_owned(),
        tool_use_id: own("toolUseId"),
        parent_agent_id: own("parentAgentId"),
        metadata: line.as_ref().and_then(|_| RawValue::from_string(text.trim().to_owned()).ok()),
        transcript,
    }
}
