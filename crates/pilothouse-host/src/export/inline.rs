//! Escapes HTML in one line of Markdown that is not ours.
//!
//! CommonMark leaves HTML alone in code only, so `<` stays as it is in code spans and is escaped
//! everywhere else. Which backticks make a code span depends on the whole paragraph. Here it depends
//! on the line alone, because a run of backticks that has no partner in its line is escaped. A link
//! can swallow a backtick (`` [a](`) ``), so that from such a link to the end of the paragraph `<` is
//! escaped in code spans too, where the backslash is seen.

use super::fences::{is_escaped_at, run_length};

/// The part of a paragraph's context that matters to its next line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paragraph {
    /// A link could still be open, or could have taken a backtick.
    is_doubtful: bool,
}

impl Paragraph {
    /// Escapes a line so that nothing in it is HTML.
    pub(super) fn escape(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len() + 8);
        let mut rest = line;
        while let Some(at) = rest.find(['`', '<', ']', '\\']) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            rest = match rest.as_bytes()[0] {
                b'`' => self.backticks(rest, &mut out),
                b'<' => {
                    out.push_str(if starts_html(rest) { "\\<" } else { "<" });
                    &rest[1..]
                }
                b']' => {
                    self.is_doubtful |= is_doubtful_link(&rest[1..]);
                    out.push(']');
                    &rest[1..]
                }
                // A backslash and the character that it escapes.
                _ => {
                    let end = if is_escaped_at(rest) { 2 } else { 1 };
                    out.push_str(&rest[..end]);
                    &rest[end..]
                }
            };
        }
        out.push_str(rest);
        out
    }

    /// Writes the code span that `text` begins with, or escapes its backticks.
    fn backticks<'a>(&self, text: &'a str, out: &mut String) -> &'a str {
        let run = run_length(text, b'`');
        let (ticks, rest) = text.split_at(run);
        let Some(length) = closing(rest, run) else {
            out.push_str(&"\\`".repeat(run));
            return rest;
        };
        let (code, rest) = rest.split_at(length);
        out.push_str(ticks);
        // A table splits its cells before code spans are looked for.
        match self.is_doubtful || code.contains('|') {
            true => out.push_str(&escape_all(code)),
            false => out.push_str(code),
        }
        out.push_str(ticks);
        &rest[run..]
    }
}

/// Foreign text in a line of ours: neither HTML nor code nor a link.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if matches!(character, '\\' | '`' | '<' | '[' | ']') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// The number of bytes before the next run of exactly `run` backticks.
fn closing(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        at += found;
        let length = run_length(&text[at..], b'`');
        if length == run {
            return Some(at);
        }
        at += length;
    }
    None
}

/// Whether a `<` begins something that CommonMark could take for HTML or an autolink.
fn starts_html(text: &str) -> bool {
    text.as_bytes().get(1).is_some_and(|next| next.is_ascii_alphabetic() || b"/!?".contains(next))
}

fn escape_all(code: &str) -> String {
    let mut out = String::with_capacity(code.len() + 8);
    for (at, character) in code.char_indices() {
        if character == '<' && starts_html(&code[at..]) {
            // Not a backslash: a backslash before it would take its effect away.
            out.push_str("&lt;");
        } else {
            out.push(character);
        }
    }
    out
}

/// Whether what follows a `]` could be the rest of a link with a backtick in it, here or in a later
/// line.
fn is_doubtful_link(text: &str) -> bool {
    let (inside, end) = match text.as_bytes().first() {
        Some(b'(') => (&text[1..], ')'),
        Some(b'[') => (&text[1..], ']'),
        _ => return false,
    };
    let plain =
        |character: char| character.is_alphanumeric() || "-._~:/?#@!$&*+,;=%".contains(character);
    !inside.trim_start_matches(plain).starts_with(end)
}
