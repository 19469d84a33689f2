//! Looking for words in past conversations: file by file, newest first, until there is enough or the
//! time is up.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use memchr::memmem::Finder;
use pilothouse_client::history::{Scope, SessionId as CliSession};
use pilothouse_wire::message::ApiMessage;
use pilothouse_wire::message::user::UserMessage;
use pilothouse_wire::{Block, Content, Raw};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::message::Fields;
use super::scan::{Line, Lines};
use super::{Past, PastError, PastPlace, PastSession};
use crate::private::open_regular;

/// Longer lines are pictures and the like, and are passed over.
const LONGEST_LINE: u64 = 8 << 20;

/// The longest thing to look for.
const LONGEST_QUERY: usize = 200;

/// How many places are shown of one conversation.
const SNIPPETS: usize = 3;

/// Bytes of text shown before and after a place.
const AROUND: usize = 80;

/// How many lines are read between two looks at the clock.
const LINES: u64 = 256;

/// What to look for, and how far to go for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastSearch {
    /// The words, as they stand; case does not matter.
    pub query: String,
    /// Where.
    pub place: PastPlace,
    /// How many conversations are enough.
    pub limit: usize,
    /// How long to look.
    pub patience: Duration,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastFound {
    /// The conversations, the one written last first.
    pub hits: Vec<PastHit>,
    /// Everything was looked at. Otherwise there was enough, or no more time.
    pub complete: bool,
    /// How many transcripts were looked at.
    pub looked_at: u64,
    /// Lines in them that could not be read.
    pub skipped_lines: u64,
}

/// A conversation in which something was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PastHit {
    /// The conversation.
    pub session: PastSession,
    /// The first places in it.
    pub snippets: Vec<Snippet>,
}

/// A place in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PastSnippet")]
pub struct Snippet {
    /// Whose words.
    pub said: Said,
    /// The CLI's id of the message.
    pub uuid: Option<String>,
    /// Some text before, the words, some text after.
    pub text: String,
    /// Where the words begin in `text`: bytes of UTF-8.
    pub start: usize,
    /// Where they end.
    pub end: usize,
}

/// Whose words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The user's.
    Prompt,
    /// The model's.
    Answer,
    /// What a tool was given, or gave.
    Tool,
}

impl Past {
    /// Looks for words in what was said, and in what tools were given and gave.
    pub fn search(&self, search: &PastSearch) -> Result<PastFound, PastError> {
        let needle = Needle::of(&search.query).ok_or(PastError::NoQuery)?;
        let until = Instant::now().checked_add(search.patience);
        let is_late = || until.is_some_and(|until| Instant::now() >= until);
        let mut found =
            PastFound { hits: Vec::new(), complete: false, looked_at: 0, skipped_lines: 0 };
        for (session, path) in self.transcripts(&search.place) {
            if found.hits.len() >= search.limit || is_late() {
                return Ok(found);
            }
            let Ok(file) = open_regular(&path) else { continue };
            found.looked_at += 1;
            let mut lines = Lines::of(file, LONGEST_LINE);
            let mut snippets = Vec::new();
            let mut count = 0;
            let mut late = false;
            while snippets.len() < SNIPPETS && !late {
                match lines.next() {
                    Ok(Some(Line::Whole(line))) => needle.look(line, &mut snippets),
                    Ok(Some(Line::Overlong)) => found.skipped_lines += 1,
                    // The rest of it cannot be read.
                    Ok(None) | Err(_) => break,
                }
                count += 1;
                late = count % LINES == 0 && is_late();
            }
            if !snippets.is_empty() {
                snippets.truncate(SNIPPETS);
                let listed = self.history.session(&session, &Scope::AllProjects);
                let session = match listed {
                    Some(listed) => listed.into(),
                    None => PastSession::unlisted(&session, &path),
                };
                found.hits.push(PastHit { session, snippets });
            }
            if late {
                return Ok(found);
            }
        }
        found.complete = true;
        Ok(found)
    }

    /// Where a conversation is kept, whatever is in it.
    pub(super) fn transcript(&self, session: &CliSession) -> Option<PathBuf> {
        let mut all = self.transcripts(&PastPlace::Everywhere).into_iter();
        all.find(|(own, _)| own == session).map(|(_, path)| path)
    }

    /// The transcripts, the one written last first; each conversation once.
    fn transcripts(&self, place: &PastPlace) -> Vec<(CliSession, PathBuf)> {
        let dirs = match place {
            PastPlace::Everywhere => entries(self.history.projects_dir()),
            PastPlace::Directory(path) => self.history.project_dirs(path),
        };
        let files = dirs.iter().flat_map(entries);
        let mut files: Vec<(SystemTime, CliSession, PathBuf)> = files
            .filter_map(|path| {
                let name = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
                let session = CliSession::parse(name).ok()?;
                let metadata = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
                Some((metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH), session, path))
            })
            .collect();
        files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut seen = std::collections::HashSet::new();
        files.retain(|(_, session, _)| seen.insert(session.clone()));
        files.into_iter().map(|(_, session, path)| (session, path)).collect()
    }
}

fn entries(dir: impl AsRef<std::path::Path>) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    entries.flatten().map(|entry| entry.path()).collect()
}

/// What is looked for, in lower case.
struct Needle {
    text: String,
    finder: Finder<'static>,
    /// It stands in JSON as it is, so that most lines need no reading.
    is_plain: bool,
}

impl Needle {
    fn of(query: &str) -> Option<Self> {
        let query = query.trim();
        let cut = query.floor_char_boundary(LONGEST_QUERY);
        let text = query[..cut].to_lowercase();
        let is_plain = !text.contains(['"', '\\']) && !text.chars().any(char::is_control);
        let finder = Finder::new(text.as_bytes()).into_owned();
        (!text.is_empty()).then_some(Self { text, finder, is_plain })
    }

    fn look(&self, line: &[u8], snippets: &mut Vec<Snippet>) {
        let text = String::from_utf8_lossy(line);
        if self.is_plain && self.finder.find(lower(&text).as_bytes()).is_none() {
            return;
        }
        let Ok(raw) = Raw::from_text(text) else { return };
        let Some(fields) = Fields::of(&raw) else { return };
        let is_true = |key| fields.get(key).is_some_and(|raw| raw.get() == "true");
        if is_true("isSidechain") || is_true("isMeta") {
            return;
        }
        let uuid = fields.text("uuid");
        let Some(message) = fields.get("message") else { return };
        let mut add = |said, text: &str| {
            if snippets.len() < SNIPPETS {
                snippets.extend(self.snippet(said, uuid.as_deref(), text));
            }
        };
        match fields.text("type").as_deref() {
            Some("user") => {
                let Some(message) = message.read::<UserMessage>() else { return };
                match &message.content {
                    Content::Text(text) => add(Said::Prompt, text),
                    Content::Blocks(blocks) => blocks.iter().for_each(|block| match block {
                        Block::Text(text) => add(Said::Prompt, &text.text),
                        Block::ToolResult(result) => {
                            let text = result.content.as_ref().map(Content::text);
                            add(Said::Tool, &text.unwrap_or_default());
                        }
                        _ => {}
                    }),
                }
            }
            Some("assistant") => {
                let Some(message) = message.read::<ApiMessage>() else { return };
                message.content.iter().for_each(|block| match block {
                    Block::Text(text) => add(Said::Answer, &text.text),
                    Block::ToolUse(call) => add(Said::Tool, call.input.get()),
                    _ => {}
                });
            }
            _ => {}
        }
    }

    /// The first place in a text.
    fn snippet(&self, said: Said, uuid: Option<&str>, text: &str) -> Option<Snippet> {
        let (start, end) = self.place(text)?;
        let from = text.ceil_char_boundary(start.saturating_sub(AROUND));
        let to = text.floor_char_boundary(end.saturating_add(AROUND).min(text.len()));
        // A character may be cut where one is taken for two: never the words themselves.
        let (from, to) = (from.min(start), to.max(end));
        Some(Snippet {
            said,
            uuid: uuid.map(str::to_owned),
            text: text[from..to].to_owned(),
            start: start - from,
            end: end - from,
        })
    }

    /// Where the words stand in `text`. Small letters may be longer or shorter than large ones, so
    /// places are counted in the text as it is.
    fn place(&self, text: &str) -> Option<(usize, usize)> {
        let lowered = lower(text);
        let at = self.finder.find(lowered.as_bytes())?;
        if lowered.len() == text.len() && text.is_ascii() {
            return Some((at, at + self.text.len()));
        }
        let mut passed = 0;
        let (mut start, mut end) = (None, text.len());
        for (index, character) in text.char_indices() {
            if start.is_none() && passed + lower_len(character) > at {
                start = Some(index);
            }
            if passed >= at + self.text.len() {
                end = index;
                break;
            }
            passed += lower_len(character);
        }
        start.map(|start| (start, end))
    }
}

fn lower_len(character: char) -> usize {
    character.to_lowercase().map(char::len_utf8).sum()
}

/// Like `str::to_lowercase`, but for each character by itself: places can be counted back.
fn lower(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.chars().flat_map(char::to_lowercase).collect(),
    }
}
