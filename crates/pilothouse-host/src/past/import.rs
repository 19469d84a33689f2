//! A past conversation as a session of ours.

use std::collections::HashMap;
use std::path::PathBuf;

use jiff::Timestamp;
use pilothouse_client::history::{MessageQuery, Scope, SessionId as CliSession};
use pilothouse_session::Session;
use pilothouse_session::event::Event;
use pilothouse_session::id::SessionId;
use pilothouse_session::session::Setup;
use pilothouse_session::session::import::{Import, Kept};
use pilothouse_wire::Raw;

use super::message::{Fields, agent_of, calls};
use super::scan::damaged;
use super::threads::{Stamped, Threads, stamped};
use super::{Past, PastError, from_ms};

/// The largest transcript that is read: of the session, and of all its subagents.
const LARGEST: u64 = 256 << 20;

/// The longest line that is no damage: what the reader of transcripts passes over.
const LONGEST_LINE: u64 = 256 << 20;

/// How many messages are in memory as the CLI wrote them.
const PAGE: usize = 5_000;

/// The most subagents whose conversations are read.
const SUBAGENTS: usize = 500;

/// A past conversation, ready to be stored and gone on with.
#[derive(Debug)]
pub struct Imported {
    /// The CLI's id of it: what the first run resumes.
    pub cli_session: String,
    /// Where it was led, and where the CLI will look for it.
    pub cwd: Option<String>,
    /// The title that somebody chose; else one line that says what it is about.
    pub title: String,
    /// The model that spoke last.
    pub model: Option<String>,
    /// What happened, numbered from 1.
    pub events: Vec<Event>,
    /// The session after these events: it rests, and its next run resumes the conversation.
    pub session: Session,
    /// When the first thing was said.
    pub started_at: Timestamp,
    /// When the last thing was said.
    pub ended_at: Timestamp,
    /// What is missing.
    pub skipped: Skipped,
}

/// What could not be read of a transcript.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines that are no JSON objects, cut off, or overlong.
    pub lines: u64,
    /// Messages of no known form.
    pub messages: u64,
    /// Subagents whose call is not in the conversation, or that were too many.
    pub subagents: u64,
}

impl Past {
    /// Reads a conversation as the session `id` of ours. `setup` is where it will go on; its place
    /// only shortens paths in titles.
    ///
    /// It has the branch that was used last, from its latest compaction on, which is what the CLI goes
    /// on with.
    pub fn import(
        &self,
        cli_session: &str,
        id: SessionId,
        setup: Setup,
    ) -> Result<Imported, PastError> {
        let name = CliSession::parse(cli_session)?;
        let about = self.about(&name)?;
        if about.size > LARGEST {
            let (session, size) = (cli_session.to_owned(), about.size);
            return Err(PastError::TooLarge { session, size, most: LARGEST });
        }
        let mut reader = Reader {
            past: self,
            name: &name,
            import: Import::new(id, setup, cli_session, about.began),
            threads: Threads::default(),
            latest: about.began,
            events: Vec::new(),
            skipped: Skipped::default(),
        };
        reader.skipped.lines = damaged(&about.transcript, LONGEST_LINE).unwrap_or(0);
        reader.subagents()?;
        reader.conversation()?;
        reader.finish(about)
    }

    /// Where a conversation was led, also of one that no list describes.
    pub fn cwd(&self, cli_session: &str) -> Result<Option<String>, PastError> {
        Ok(self.about(&CliSession::parse(cli_session)?)?.cwd)
    }

    /// What a list says about a conversation. Where its two ends say nothing, because they are
    /// pictures or damaged, it is asked what was said first.
    fn about(&self, name: &CliSession) -> Result<About, PastError> {
        if let Some(summary) = self.history.session(name, &Scope::AllProjects) {
            return Ok(About {
                began: from_ms(summary.created_at_ms.unwrap_or(summary.last_modified_ms)),
                size: summary.file_size,
                cwd: summary.cwd,
                given_title: summary.custom_title,
                summary: summary.summary,
                transcript: summary.transcript,
            });
        }
        let empty = || PastError::Empty(name.to_string());
        let transcript = self.transcript(name).ok_or_else(empty)?;
        let size = transcript.symlink_metadata().map_or(0, |metadata| metadata.len());
        let first = self.history.messages(name, &MessageQuery::new().limit(1))?;
        let first = first.first().ok_or_else(empty)?;
        let began = first.timestamp.as_deref().and_then(|text| text.parse().ok());
        let entry = Raw::from(&*first.entry);
        let cwd = Fields::of(&entry).and_then(|fields| fields.text("cwd"));
        let (given_title, summary) = (None, name.to_string());
        let began = began.unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(About { began, size, cwd, given_title, summary, transcript })
    }
}

/// What is known about a conversation before it is read.
struct About {
    began: Timestamp,
    size: u64,
    cwd: Option<String>,
    given_title: Option<String>,
    summary: String,
    transcript: PathBuf,
}

struct Reader<'a> {
    past: &'a Past,
    name: &'a CliSession,
    import: Import,
    threads: Threads,
    latest: Timestamp,
    events: Vec<Event>,
    skipped: Skipped,
}

impl Reader<'_> {
    /// The conversation, a page at a time.
    fn conversation(&mut self) -> Result<(), PastError> {
        for page in 0.. {
            let query = MessageQuery::new().with_system().offset(page * PAGE).limit(PAGE);
            let messages = self.past.history.messages(self.name, &query)?;
            let mut said = Vec::new();
            self.skipped.messages += stamped(&messages, self.latest, |one| said.push(one));
            for one in said {
                let woven = self.threads.main(one);
                self.take(woven);
            }
            if messages.len() < PAGE {
                break;
            }
        }
        let rest = self.threads.rest();
        self.take(rest);
        Ok(())
    }

    fn take(&mut self, woven: Vec<Stamped>) {
        for Stamped { at, kept } in woven {
            self.latest = self.latest.max(at);
            self.events.extend(self.import.take(kept, self.latest));
        }
    }

    /// What subagents said. Which call started one is in a file beside its transcript; older CLIs
    /// have it only in the result of that call.
    fn subagents(&mut self) -> Result<(), PastError> {
        let history = &self.past.history;
        let agents = history.subagents(self.name, &Scope::AllProjects)?;
        self.skipped.subagents = agents.len().saturating_sub(SUBAGENTS) as u64;
        let mut left = LARGEST;
        let mut unnamed = Vec::new();
        let mut callers = HashMap::new();
        for agent in agents.into_iter().take(SUBAGENTS) {
            let size = agent.transcript.symlink_metadata().map_or(0, |metadata| metadata.len());
            let messages = match left.checked_sub(size) {
                Some(rest) => {
                    left = rest;
                    history.subagent_messages(self.name, &agent.agent_id, &MessageQuery::new())
                }
                None => Ok(Vec::new()),
            };
            // One that has gone meanwhile, or that was too much.
            let Ok(messages) = messages else { continue };
            if messages.is_empty() {
                self.skipped.subagents += 1;
                continue;
            }
            self.skipped.lines += damaged(&agent.transcript, LONGEST_LINE).unwrap_or(0);
            let mut said = Vec::new();
            self.skipped.messages += stamped(&messages, self.latest, |one| {
                note_caller(&one.kept, &mut callers);
                said.push(one);
            });
            match agent.tool_use_id {
                Some(call) => self.threads.subagent(call, said),
                None => unnamed.push((agent.agent_id, said)),
            }
        }
        if !unnamed.is_empty() {
            let messages = history.messages(self.name, &MessageQuery::new())?;
            stamped(&messages, self.latest, |one| note_caller(&one.kept, &mut callers));
        }
        for (agent, mut said) in unnamed {
            let Some(call) = callers.get(&agent) else {
                self.skipped.subagents += 1;
                continue;
            };
            said.iter_mut().for_each(|one| belongs_to(&mut one.kept, call));
            self.threads.subagent(call.clone(), said);
        }
        Ok(())
    }

    fn finish(mut self, about: About) -> Result<Imported, PastError> {
        let cli_session = self.name.to_string();
        if self.events.is_empty() {
            return Err(PastError::Empty(cli_session));
        }
        if let Some(title) = about.given_title.clone() {
            self.events.extend(self.import.take(Kept::Titled(title), self.latest));
        }
        let model = self.import.model().map(str::to_owned);
        let (session, last) = self.import.finish();
        self.events.extend(last);
        Ok(Imported {
            cli_session,
            cwd: about.cwd,
            title: about.given_title.unwrap_or(about.summary),
            model,
            events: self.events,
            session,
            started_at: about.began,
            ended_at: self.latest,
            skipped: self.skipped,
        })
    }
}

/// Which call started a subagent, by the result of that call.
fn note_caller(kept: &Kept, callers: &mut HashMap<String, String>) {
    let (_, results) = calls(kept);
    if let (Some((agent, _)), [call]) = (agent_of(kept), results.as_slice()) {
        callers.insert(agent, call.clone());
    }
}

/// Makes a message one of the subagent that `call` started.
fn belongs_to(kept: &mut Kept, call: &str) {
    use pilothouse_wire::Nullable;
    use pilothouse_wire::message::UserFrame;
    use pilothouse_wire::message::user::UserMessage;
    let parent = Nullable::Value(call.to_owned());
    match kept {
        Kept::User(frame) => frame.parent_tool_use_id = parent,
        // It stopped the subagent, not the session.
        Kept::Interrupted(frame) => {
            let mut frame = std::mem::take(frame);
            frame.parent_tool_use_id = parent;
            *kept = Kept::User(frame);
        }
        Kept::Assistant(frame) => frame.parent_tool_use_id = parent,
        Kept::Prompt { uuid, content, .. } => {
            let message =
                UserMessage { content: std::mem::take(content), ..UserMessage::default() };
            let (uuid, parent_tool_use_id) = (uuid.take(), parent);
            let frame = UserFrame { message, uuid, parent_tool_use_id, ..UserFrame::default() };
            *kept = Kept::User(Box::new(frame));
        }
        Kept::Compacted { .. } | Kept::Titled(_) => {}
    }
}
