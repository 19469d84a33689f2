//! Files and resources that a prompt mentions with `@`.
//!
//! The CLI reads what a prompt mentions by itself: no hook sees it and nobody is asked. So a prompt
//! is looked through before it is sent. What is found here is at least what the CLI finds (2.1.7 to
//! 2.1.326, see `docs/PROTOCOL-NOTES.md`): an `@` at the start or after white space, then a path in
//! double quotes, or everything up to the next white space without the punctuation at its end, with
//! or without lines (`#L1-5`).

use std::collections::BTreeSet;

/// More mentions in one prompt are not looked at; a prompt with more is not sent.
pub const MAX_MENTIONS: usize = 1024;

/// Something that a prompt mentions. One text can be taken for both.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mention {
    /// A file or a directory.
    File(String),
    /// Something that an MCP server offers.
    Resource {
        /// The server.
        server: String,
        /// The address there.
        uri: String,
    },
}

impl std::fmt::Display for Mention {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) if path.contains(char::is_whitespace) => write!(f, "@\"{path}\""),
            Self::File(path) => write!(f, "@{path}"),
            Self::Resource { server, uri } => write!(f, "@{server}:{uri}"),
        }
    }
}

/// Returns the files and resources that `text` mentions.
///
/// ```
/// use pilothouse_session::policy::{Mention, mentions};
///
/// let file = |path: &str| Mention::File(path.to_owned());
/// let found = mentions("look at @.env, and @\"a b.txt\" (not me@example.org)");
/// assert!(found.contains(&file(".env")) && found.contains(&file("a b.txt")));
/// assert!(mentions("mail me@example.org").is_empty());
/// assert!(mentions("@src/a.rs#L1-5").contains(&file("src/a.rs")));
/// ```
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found = BTreeSet::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        if c == '@' && before.is_none_or(may_come_before) {
            collect(&text[at + 1..], &mut found);
        }
        if found.len() > MAX_MENTIONS {
            break;
        }
        before = Some(c);
    }
    found.into_iter().collect()
}

/// The newest CLI also takes the punctuation of Chinese and Japanese for white space here.
fn may_come_before(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '。' | '、' | '？' | '！')
}

fn collect(rest: &str, found: &mut BTreeSet<Mention>) {
    if let Some((path, _)) = rest.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        file(path, found);
    }
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let word = rest.split(blank).next().unwrap_or_default();
    // The CLI ends a mention at the last letter, digit or `_` of ASCII.
    let short = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    for text in [word, short] {
        file(text, found);
        if let Some((server, uri)) = text.split_once(':').filter(|(server, _)| !server.is_empty()) {
            found.insert(Mention::Resource { server: server.to_owned(), uri: uri.to_owned() });
        }
    }
}

fn file(text: &str, found: &mut BTreeSet<Mention>) {
    let without_lines = text.split('#').next().unwrap_or_default();
    for path in [text, without_lines] {
        if !path.is_empty() {
            found.insert(Mention::File(path.to_owned()));
        }
    }
}
