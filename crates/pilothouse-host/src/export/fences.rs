//! Finds the blocks of code in Markdown that is not ours.
//!
//! They are written again, at the margin and with a fence that nothing in them closes. Wherever the
//! original stood, in a list or in an open paragraph, a fence at the margin begins a block of its own,
//! so that our view of what is code is that of every CommonMark parser.

/// A fence that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence<'a> {
    letter: u8,
    length: usize,
    /// Columns before the fence, which are taken off each line.
    indent: usize,
    /// What stands after the fence, usually a language.
    pub(super) info: &'a str,
    /// List markers that stand before the fence.
    pub(super) markers: &'a str,
}

impl<'a> Fence<'a> {
    /// The fence that a line opens. A deeply indented one is a fence in a list only.
    pub(super) fn open(line: &'a str, is_in_list: bool) -> Option<Self> {
        let text = line.trim_start_matches([' ', '\t']);
        let fence = without_markers(text);
        let markers = &text[..text.len() - fence.len()];
        let indent = columns(&line[..line.len() - fence.len()]);
        if indent > 3 && !is_in_list && markers.is_empty() {
            return None;
        }
        let letter = *fence.as_bytes().first().filter(|letter| matches!(letter, b'`' | b'~'))?;
        let length = run_length(fence, letter);
        let info = fence[length..].trim();
        let is_fence = length >= 3 && !(letter == b'`' && info.contains('`'));
        is_fence.then_some(Self { letter, length, indent, info, markers: markers.trim_end() })
    }

    /// Whether a line closes the fence.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        let line = self.content(line);
        let text = line.trim_start_matches(' ');
        let run = run_length(text, self.letter);
        line.len() - text.len() <= 3
            && run >= self.length
            && text[run..].trim_matches([' ', '\t']).is_empty()
    }

    /// A line of code, without the indentation of the fence.
    pub(super) fn content<'b>(&self, line: &'b str) -> &'b str {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        &line[spaces.min(self.indent)..]
    }
}

/// Skips list markers, each with the space after it.
fn without_markers(mut text: &str) -> &str {
    while let Some(rest) = after_marker(text) {
        text = rest.trim_start_matches([' ', '\t']);
    }
    text
}

/// What follows a list marker and its space.
pub(super) fn after_marker(text: &str) -> Option<&str> {
    let digits = text.len() - text.trim_start_matches(|own: char| own.is_ascii_digit()).len();
    let rest = match digits {
        0 => text.strip_prefix(['-', '*', '+'])?,
        1..=9 => text[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    rest.starts_with([' ', '\t']).then_some(rest)
}

/// A line of an indented block of code, without its indentation.
pub(super) fn indented(line: &str) -> Option<&str> {
    let text = line.trim_start_matches([' ', '\t']);
    if text.is_empty() || columns(&line[..line.len() - text.len()]) < 4 {
        return None;
    }
    // Four columns: spaces, or a tab after at most three of them.
    let spaces = line.len() - line.trim_start_matches(' ').len();
    Some(if spaces >= 4 { &line[4..] } else { &line[spaces + 1..] })
}

/// The rest of a line of a block quote.
pub(super) fn quoted(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    let rest = text.strip_prefix('>').filter(|_| line.len() - text.len() <= 3)?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// The columns that a text takes at the beginning of a line.
fn columns(text: &str) -> usize {
    let add = |at: usize, own: char| if own == '\t' { (at / 4 + 1) * 4 } else { at + 1 };
    text.chars().fold(0, add)
}

/// How often a letter is repeated at the beginning.
pub(super) fn run_length(text: &str, letter: u8) -> usize {
    text.bytes().take_while(|own| *own == letter).count()
}

/// Whether the backslash at the beginning escapes the character after it.
pub(super) fn is_escaped_at(text: &str) -> bool {
    text.as_bytes().get(1).is_some_and(u8::is_ascii_punctuation)
}
