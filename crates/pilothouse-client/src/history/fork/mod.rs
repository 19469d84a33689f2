//! Copying a conversation, or the beginning of one, into a new session.
//!
//! The copy gets new uuids throughout, so that both sessions can go on. What belongs to the
//! session rather than to the conversation (undo snapshots, costs, modes, titles) stays behind.
//! What a session must not lose (where it moved, which data went into it, that it is excluded
//! from history) goes along, and so does what we do not know.

mod cut;
mod relabel;
mod source;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use cut::Cut;
use relabel::Relabel;
use source::{Item, Source};

use super::entry::{Entry, Kind, Name};
use super::files::{Ends, Rereader};
use super::index::Index;
use super::json::quoted;
use super::mutate::{create_private, now};
use super::summary::Glimpse;
use super::{History, HistoryError, Scope, SessionId};

/// What to fork, and how to call the copy.
///
/// ```
/// use pilothouse_client::history::ForkRequest;
/// let fork = ForkRequest::new()
///     .up_to("6f9619ff-8b86-4d01-b42d-00cf4fc964ff")
///     .title("another way");
/// # let _ = fork;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForkRequest {
    scope: Scope,
    up_to: Option<String>,
    title: Option<String>,
}

impl ForkRequest {
    /// The whole session, wherever it is.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks for the session only there.
    #[must_use]
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Ends the copy with the message that has this uuid.
    ///
    /// With the uuid of a compaction's summary, the messages that compaction kept are left out.
    #[must_use]
    pub fn up_to(mut self, message: impl Into<String>) -> Self {
        self.up_to = Some(message.into());
        self
    }

    /// The title of the copy, instead of that of the session with “ (fork)”.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

impl History {
    /// Copies a session into a new one beside it, and gives the id of the copy.
    ///
    /// # Errors
    /// [`HistoryError::SessionNotFound`], [`HistoryError::MessageNotFound`],
    /// [`HistoryError::NothingToFork`], [`HistoryError::OutsideProjects`],
    /// [`HistoryError::Io`].
    pub fn fork(
        &self,
        session: &SessionId,
        request: &ForkRequest,
    ) -> Result<SessionId, HistoryError> {
        let transcript = self.find(session, &request.scope)?;
        self.check_inside(&transcript)?;
        let path = &transcript.path;
        let source = Source::read(path, session).map_err(HistoryError::io("read", path))?;
        let cut = match &request.up_to {
            None => Cut::nothing(&source),
            Some(message) => {
                Cut::behind(&source, message).ok_or_else(|| HistoryError::MessageNotFound {
                    session: session.to_string(),
                    message: message.clone(),
                })?
            }
        };
        let plan = Plan::new(&source, &cut);
        let Some(last) = plan.last else {
            return Err(HistoryError::NothingToFork { session: session.to_string() });
        };
        let title = request.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
        let title = title.map_or_else(|| derived_title(path, session), ToOwned::to_owned);

        let copy = SessionId::fresh();
        let relabel = Relabel {
            names: &source.names,
            uuids: &plan.uuids,
            kept: &plan.kept,
            emptied: cut.emptied,
            from: session,
            to: &copy,
        };
        let target = path.with_file_name(copy.file_name());
        let copying = Copying { source: &source, cut: &cut, relabel, last, title: &title };
        let written = copying.write(path, &target);
        if written.is_err() {
            // Half a copy is worse than none; the first error is the one to report.
            let _ = fs::remove_file(&target);
        }
        written.map_err(HistoryError::io("write", &target))?;
        Ok(copy)
    }
}

fn derived_title(path: &Path, session: &SessionId) -> String {
    let title = Ends::read(path)
        .and_then(|ends| Glimpse::new(path, session, &ends).title_or_prompt())
        .unwrap_or_else(|| "Forked session".to_owned());
    format!("{title} (fork)")
}

/// What is written, and under which names.
struct Plan {
    /// The new uuid of each line that is written.
    uuids: HashMap<Name, String>,
    /// The links that are kept, for finding parents.
    kept: Index,
    /// The item that is written last of all links.
    last: Option<usize>,
}

impl Plan {
    fn new(source: &Source, cut: &Cut) -> Self {
        let mut plan = Self { uuids: HashMap::new(), kept: Index::default(), last: None };
        for (at, item) in source.items[..cut.end].iter().enumerate() {
            let named = match item {
                Item::Link(entry) if cut.leaves_out(entry) => None,
                Item::Link(entry) => {
                    plan.kept.push(entry.clone());
                    is_written(entry).then(|| {
                        plan.last = Some(at);
                        entry.uuid
                    })
                }
                Item::Unknown { uuid, .. } => *uuid,
                Item::Carried(_) => None,
            };
            if let Some(name) = named {
                plan.uuids.entry(name).or_insert_with(|| uuid::Uuid::new_v4().to_string());
            }
        }
        plan
    }
}

/// Progress is for the screen only, and old.
fn is_written(entry: &Entry) -> bool {
    entry.kind != Kind::Progress
}

/// Everything that goes into the copy.
struct Copying<'a> {
    source: &'a Source,
    cut: &'a Cut,
    relabel: Relabel<'a>,
    /// The last link among the items.
    last: usize,
    title: &'a str,
}

impl Copying<'_> {
    fn write(&self, path: &Path, target: &Path) -> io::Result<()> {
        let now = now();
        let mut reader = Rereader::open(path)?;
        let mut out = BufWriter::new(create_private(target)?);
        for (at, item) in self.source.items.iter().enumerate() {
            if let Some(line) = self.line(at, item, &now, &mut reader)? {
                writeln!(out, "{line}")?;
            }
        }
        let to = self.relabel.to;
        let fresh = uuid::Uuid::new_v4;
        if !self.source.replacements.is_empty() {
            let replacements = self.source.replacements.join(",");
            writeln!(
                out,
                r#"{{"type":"content-replacement","sessionId":"{to}","replacements":[{replacements}],"uuid":"{}","timestamp":"{now}"}}"#,
                fresh()
            )?;
        }
        if let Some(sessions) = self.source.lineage.sessions(self.relabel.from) {
            writeln!(
                out,
                r#"{{"type":"derived-from","v":1,"sessionId":"{to}","sessions":[{sessions}]}}"#
            )?;
        }
        writeln!(
            out,
            r#"{{"type":"custom-title","sessionId":"{to}","customTitle":{},"uuid":"{}","timestamp":"{now}"}}"#,
            quoted(self.title),
            fresh()
        )?;
        out.flush()
    }

    fn line(
        &self,
        at: usize,
        item: &Item,
        now: &str,
        reader: &mut Rereader,
    ) -> io::Result<Option<String>> {
        let before_end = at < self.cut.end;
        Ok(match item {
            Item::Link(entry) if before_end && is_written(entry) && !self.cut.leaves_out(entry) => {
                // The CLI goes on from the latest message when it resumes.
                let time = (at == self.last).then_some(now);
                Some(self.relabel.link(&reader.line(entry.span)?, entry, time))
            }
            Item::Unknown { span, .. } if before_end => {
                Some(self.relabel.other(&reader.line(*span)?))
            }
            Item::Carried(span) => Some(self.relabel.other(&reader.line(*span)?)),
            Item::Link(_) | Item::Unknown { .. } => None,
        })
    }
}

/// Links by uuid that a cut leaves out.
type LeftOut = HashSet<Name>;
