//! Text from elsewhere, made fit for a terminal.

use pilothouse_host::visible;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Names control, bidirectional and invisible characters; line ends and tabs stay. Leaves out what
/// programs print to colour their output or to clear the rest of a line, which holds no text.
pub(crate) fn harmless(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\x1b', '\r']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match rest.starts_with("\r\n") {
            true => 1,
            false => colour(rest).unwrap_or(0),
        };
        if length == 0 {
            plain.push_str(&rest[..1]);
        }
        rest = &rest[length.max(1)..];
    }
    plain.push_str(rest);
    visible::name(&plain).into_owned()
}

/// The length of `ESC [ … m` or `ESC [ … K` at the beginning.
fn colour(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\x1b[")?;
    let numbers = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')).count();
    matches!(rest.as_bytes().get(numbers), Some(b'm' | b'K')).then_some(numbers + 3)
}

/// The same on one line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// So many of a thing.
pub(crate) fn count(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// At most so many columns, with an ellipsis where something is missing.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut used = 0;
    let mut cut = String::new();
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > room {
            break;
        }
        cut.push(character);
    }
    if columns > 0 {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let table = [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\x1b[1;38:5:1mred\x1b[K\r\nnext", "red\nnext"),
            ("\x1b]0;title\x07after", "<U+001B>]0;title<U+0007>after"),
            ("\x1b[2Jx\x1b[", "<U+001B>[2Jx<U+001B>["),
            ("a\rb\x08c\x7fd", "a<U+000D>b<U+0008>c<U+007F>d"),
            ("\u{9b}31mx", "<U+009B>31mx"),
            ("safe\u{202e}txt", "safe<U+202E>txt"),
            ("größe 漢字", "größe 漢字"),
        ];
        for (text, expected) in table {
            assert_eq!(harmless(text), expected, "{text:?}");
        }
    }

    #[test]
    fn text_is_cut_by_columns() {
        assert_eq!(cut("hello", 5), "hello");
        assert_eq!(cut("hello", 4), "hel…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("hello", 1), "…");
        assert_eq!(cut("hello", 0), "");
    }
}
