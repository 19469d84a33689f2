//! Text from elsewhere, made fit for a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Without escape sequences and control characters; line ends and tabs stay.
pub(crate) fn harmless(text: &str) -> String {
    let stripped = anstream::adapter::strip_str(text).to_string();
    let mut harmless = String::with_capacity(stripped.len());
    for character in stripped.chars() {
        match character {
            '\n' | '\t' => harmless.push(character),
            // A progress bar that rewrites its line becomes lines.
            '\r' => {}
            // These can make text look like other text.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            character if character.is_control() => {}
            character => harmless.push(character),
        }
    }
    harmless
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
            ("\x1b]0;title\x07after", "after"),
            ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("a\rb\x08c\x7fd", "abcd"),
            ("\u{9b}31mx", "31mx"),
            ("safe\u{202e}txt", "safetxt"),
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
