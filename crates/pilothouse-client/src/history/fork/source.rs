//! What a transcript holds, as far as a fork is concerned.

use std::io;
use std::path::Path;

use super::super::SessionId;
use super::super::entry::{Entry, Kind, Name, Names};
use super::super::files::{Lines, Span};
use super::super::json::{Value, quoted};
use super::super::line::Line;

/// Goes along wherever it stands, or the copy would lose a property of its source.
const CARRIED: [&str; 7] = [
    "relocated",
    "history-suppression",
    "atis-latch",
    "tools-used",
    "data-flow-records",
    "data-flow-incomplete",
    "derived-from",
];

/// Stays behind: it describes the session or its processes, not the conversation.
const LEFT_BEHIND: [&str; 38] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "artifact-autoreact-ledger",
    "artifact-comment-monitor",
    "attribution-snapshot",
    "bridge-session",
    "content-replacement",
    "continued-in",
    "cost-state",
    "custom-title",
    "dev-mods",
    "ended-by-model",
    "file-history-delta",
    "file-history-snapshot",
    "fork-context-ref",
    "frame-link",
    "isolation-latch",
    "last-prompt",
    "memory-mode",
    "mode",
    "observer-ref",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "repl-mode",
    "resume-head-vouch",
    "session-owner",
    "speculation-accept",
    "summary",
    "tag",
    "task-summary",
    "worktree-state",
];

/// One line that may be copied.
#[derive(Debug)]
pub(super) enum Item {
    Link(Entry),
    Carried(Span),
    /// A type from another release, perhaps a kind of link.
    Unknown {
        span: Span,
        uuid: Option<Name>,
    },
}

#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) names: Names,
    /// In the order of the file.
    pub(super) items: Vec<Item>,
    /// The content that was replaced to save room, as JSON objects.
    pub(super) replacements: Vec<String>,
    pub(super) lineage: Lineage,
}

/// Which sessions the conversation has content from, where that is kept track of.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    tracked: bool,
    /// Ids and JSON of the sessions that are on record.
    recorded: Vec<(String, String)>,
    /// Sessions that earlier forks came from.
    forked_from: Vec<String>,
}

impl Source {
    pub(super) fn read(path: &Path, session: &SessionId) -> io::Result<Self> {
        let mut source = Self::default();
        let mut lines = Lines::open(path)?;
        while let Some((span, bytes)) = lines.next_line()? {
            let text = String::from_utf8_lossy(bytes);
            if let Some(line) = Line::parse(&text) {
                source.add(&line, span, session);
            }
        }
        Ok(source)
    }

    fn add(&mut self, line: &Line<'_>, span: Span, session: &SessionId) {
        self.lineage.note_fork(line);
        if let Some(entry) = Entry::read(line, span, &mut self.names) {
            if !entry.sidechain {
                self.items.push(Item::Link(entry));
            }
            return;
        }
        // A link without a uuid cannot be linked to.
        let Some(kind) = line.text("type").filter(|_| Kind::of(line).is_none()) else {
            return;
        };
        let own = line.text("sessionId").is_none_or(|own| own == session.as_str());
        if kind == "content-replacement" && own {
            let replaced = line.get("replacements").into_iter().flat_map(Value::items);
            let objects = replaced.filter(|item| item.is_object());
            self.replacements.extend(objects.map(|item| item.raw().to_owned()));
        }
        if LEFT_BEHIND.contains(&&*kind) || !own && kind != "history-suppression" {
            return;
        }
        if CARRIED.contains(&&*kind) {
            // A subagent's records stay with the subagent, which is not copied.
            if line.get("agentId").is_none() {
                self.lineage.note_record(line, &kind);
                self.items.push(Item::Carried(span));
            }
        } else if !line.is_truthy("isSidechain") {
            let uuid = line.text("uuid").map(|uuid| self.names.intern(&uuid));
            self.items.push(Item::Unknown { span, uuid });
        }
    }
}

impl Lineage {
    fn note_fork(&mut self, line: &Line<'_>) {
        let from = line.get("forkedFrom").and_then(|from| from.get("sessionId"));
        if let Some(from) = from.and_then(Value::text)
            && !self.forked_from.iter().any(|known| *known == from)
        {
            self.forked_from.push(from.into_owned());
        }
    }

    fn note_record(&mut self, line: &Line<'_>, kind: &str) {
        self.tracked |= kind.starts_with("data-flow-") || kind == "derived-from";
        if kind == "derived-from" {
            for session in line.get("sessions").into_iter().flat_map(Value::items) {
                let id = session.get("id").and_then(Value::text).unwrap_or_default();
                if !self.recorded.iter().any(|(known, _)| *known == id) {
                    self.recorded.push((id.into_owned(), session.raw().to_owned()));
                }
            }
        }
    }

    /// The record for a copy of `session`, as the inside of an array; `None` when no records are
    /// kept.
    pub(super) fn sessions(&self, session: &SessionId) -> Option<String> {
        self.tracked.then_some(())?;
        let known = |id: &str| self.recorded.iter().any(|(own, _)| own == id);
        let forks = self
            .forked_from
            .iter()
            .map(String::as_str)
            .filter(|from| *from != session.as_str())
            .chain(std::iter::once(session.as_str()))
            .filter(|id| !known(id))
            .map(|id| {
                format!(r#"{{"type":"claude_code_session","id":{},"via":"fork"}}"#, quoted(id))
            });
        let all: Vec<String> =
            self.recorded.iter().map(|(_, json)| json.clone()).chain(forks).collect();
        Some(all.join(","))
    }
}
