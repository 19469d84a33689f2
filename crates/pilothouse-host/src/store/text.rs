//! What can be searched for, and how it is shown when it is found.

use pilothouse_session::event::Body;
use pilothouse_session::tool::NormalizedPayload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of one event can be searched for, in bytes.
const MOST: usize = 64 << 10;
/// How many characters a snippet shows before and after what was found.
const BEFORE: usize = 40;
const AFTER: usize = 120;
/// The most words of a query.
const MOST_WORDS: usize = 24;

/// Who a text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// The user's messages.
    Asked,
    /// The model's messages and plans.
    Said,
    /// Tool calls: titles, commands, paths.
    Done,
}

/// A text of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) voice: Voice,
    pub(super) text: String,
}

/// The text of an event, where it has one.
pub(super) fn searchable(body: &Body) -> Option<Text> {
    let (voice, text) = match body {
        Body::UserMessage { text, .. } => (Voice::Asked, text.clone()),
        Body::Message { text, .. } => (Voice::Said, text.clone()),
        Body::PlanReady { plan, .. } => (Voice::Said, plan.clone()),
        Body::ToolCall { title, payload, .. } => (Voice::Done, call(title, payload)),
        _ => return None,
    };
    let end = text.floor_char_boundary(MOST.min(text.len()));
    let mut text = text;
    text.truncate(end);
    (!text.trim().is_empty()).then_some(Text { voice, text })
}

/// A call in words: its title, and what the title shortens or leaves out.
fn call(title: &str, payload: &NormalizedPayload) -> String {
    let more: [Option<&String>; 2] = match payload {
        NormalizedPayload::ShellExec(shell) => [shell.command.as_ref(), shell.description.as_ref()],
        NormalizedPayload::CodeSearch(search) => [search.query.as_ref(), search.pattern.as_ref()],
        NormalizedPayload::HttpRequest(http) => [http.url.as_ref(), http.query.as_ref()],
        NormalizedPayload::SubagentTask(task) => [task.description.as_ref(), Some(&task.prompt)],
        _ => [None, None],
    };
    let more = more.into_iter().flatten().map(String::as_str);
    let words = std::iter::once(title).chain(more).chain(payload.paths());
    let mut text = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if !text.contains(word) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(word);
        }
    }
    text
}

/// What somebody looks for, as words and phrases. Any text is a query: nothing in it is syntax but
/// double quotes, which hold a phrase together and need not be closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query(Vec<String>);

impl Query {
    pub(super) fn of(text: &str) -> Self {
        let parts = text.split('"').enumerate();
        let words = parts.flat_map(|(number, part)| {
            let is_phrase = number % 2 == 1;
            let phrase = is_phrase.then_some(part);
            let words = (!is_phrase).then(|| part.split_whitespace());
            phrase.into_iter().chain(words.into_iter().flatten())
        });
        // What has no letter and no digit is no word of the index; as a phrase it would match
        // nothing.
        let words = words.filter(|word| word.chars().any(char::is_alphanumeric));
        let clean = |word: &str| word.replace('\0', " ");
        Self(words.take(MOST_WORDS).map(clean).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The query in the language of the index. Every word is quoted; the last may go on.
    pub(super) fn to_match(&self, voices: &[Voice]) -> String {
        let phrases: Vec<String> = self.0.iter().map(|word| format!("\"{word}\"")).collect();
        let all = phrases.join(" AND ");
        if voices.is_empty() {
            return format!("{all} *");
        }
        let columns: Vec<&str> = voices.iter().map(|voice| voice.column()).collect();
        format!("{{{}}} : ({all} *)", columns.join(" "))
    }

    /// The part of `text` around the first word that is found there.
    pub(super) fn snippet(&self, text: &str) -> Snippet {
        let pieces = self.0.iter().flat_map(|word| {
            word.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty())
        });
        let pieces: Vec<Vec<char>> = pieces.map(folded).collect();
        let chars: Vec<(usize, char)> = text.char_indices().collect();
        let found_at = |at: usize| pieces.iter().find_map(|piece| found(&chars, at, piece));
        let first = (0..chars.len()).find(|at| found_at(*at).is_some()).unwrap_or(0);
        let (from, to) = (first.saturating_sub(BEFORE), (first + AFTER).min(chars.len()));
        let start = chars.get(from).map_or(0, |(at, _)| *at);
        let end = chars.get(to).map_or(text.len(), |(at, _)| *at);
        let mut marks = Vec::new();
        let mut at = from;
        while at < to {
            match found_at(at) {
                Some(length) => {
                    let stop = (at + length).min(to);
                    let stop_byte = chars.get(stop).map_or(text.len(), |(at, _)| *at);
                    marks.push((chars[at].0 - start, stop_byte - start));
                    at = stop;
                }
                None => at += 1,
            }
        }
        Snippet { text: text[start..end].to_owned(), marks, is_cut: from > 0 || to < chars.len() }
    }
}

impl Voice {
    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Said => "said",
            Self::Done => "done",
        }
    }
}

/// A piece of a text in which something was found. It is what was said, not markup.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snippet {
    /// The piece.
    pub text: String,
    /// Where in it the words stand: from and to, in bytes.
    pub marks: Vec<(usize, usize)>,
    /// There is more of the text.
    pub is_cut: bool,
}

fn folded(piece: &str) -> Vec<char> {
    piece.chars().map(fold).collect()
}

/// One character for one, so that places stay places.
fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Whether a word that begins with `piece` begins at `at`; how many characters the piece has.
fn found(chars: &[(usize, char)], at: usize, piece: &[char]) -> Option<usize> {
    let begins = at == 0 || !chars[at - 1].1.is_alphanumeric();
    let there = chars.get(at..at + piece.len())?;
    let same = there.iter().zip(piece).all(|((_, c), other)| fold(*c) == *other);
    (begins && same).then_some(piece.len())
}
