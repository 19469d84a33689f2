//! Text of models, tools and repositories, made safe to show.
//!
//! Some characters are obeyed or vanish where they are shown: control characters steer a terminal,
//! bidirectional controls reorder what follows, invisible ones hide text. [`name`] writes them as
//! `<U+202E>`, for terminals, titles and names. [`json`] writes them as `\u202e`, which every JSON
//! parser reads back. `web/src/render/text/visible.ts` has the same set; a test compares both with
//! `web/src/render/text/unseen.json`.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character is not shown as itself. Line ends and tabs count: whoever shows text in
/// several lines keeps them.
pub fn is_unseen(character: char) -> bool {
    matches!(character,
        // C0, DEL and C1.
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Soft hyphen, fillers, and what has no width. Joiners are not here: Persian and emoji need
        // them.
        | '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}'
        | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        // Line and paragraph separators, bidirectional marks, embeddings, overrides and isolates.
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Tags, which spell ASCII without being seen.
        | '\u{e0000}'..='\u{e007f}')
}

/// Names every character that is not shown as itself, but for line ends and tabs.
pub fn name(text: &str) -> Cow<'_, str> {
    let is_named = |character: char| is_unseen(character) && !matches!(character, '\n' | '\t');
    replace(text, is_named, |out, character| {
        let _cannot_fail = write!(out, "<U+{:04X}>", u32::from(character));
    })
}

/// Escapes characters of a JSON text that are not shown as themselves. They occur in its strings
/// only, so that the value stays the same. Line ends and tabs between values stay.
pub fn json(text: &str) -> Cow<'_, str> {
    let is_escaped = |character: char| is_unseen(character) && character > '\u{1f}';
    replace(text, is_escaped, |out, character| {
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _cannot_fail = write!(out, "\\u{unit:04x}");
        }
    })
}

fn replace(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    write: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    let Some(first) = text.find(&is_replaced) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for character in text[first..].chars() {
        match is_replaced(character) {
            true => write(&mut out, character),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_not_shown() {
        for (text, expected) in [
            ("größe 漢字\n\ta", "größe 漢字\n\ta"),
            ("\x1b]0;t\x07", "<U+001B>]0;t<U+0007>"),
            ("a\rb\x7f\u{9b}31m", "a<U+000D>b<U+007F><U+009B>31m"),
            ("safe\u{202e}txt", "safe<U+202E>txt"),
            ("\u{e0041}", "<U+E0041>"),
            ("👩\u{200d}🚒", "👩\u{200d}🚒"),
        ] {
            assert_eq!(name(text), expected);
        }
    }

    #[test]
    fn json_stays_the_same_value() {
        let all: String = ('\0'..='\u{e0100}').collect();
        let text = serde_json::to_string_pretty(&serde_json::json!({ "a": [&all, &all] })).unwrap();
        let escaped = json(&text);
        assert!(!escaped.chars().any(|character| is_unseen(character) && character != '\n'));
        let read: serde_json::Value = serde_json::from_str(&escaped).unwrap();
        assert_eq!(read["a"][0], all);
        assert!(matches!(json("{\"a\":\"b\"}"), Cow::Borrowed(_)));
    }

    /// The web client's set, as ranges of code points.
    #[test]
    fn the_web_client_has_the_same_set() {
        let ranges: Vec<(u32, u32)> =
            serde_json::from_str(include_str!("../../../web/src/render/text/unseen.json")).unwrap();
        for character in '\0'..=char::MAX {
            let code = u32::from(character);
            let listed = ranges.iter().any(|(first, last)| (*first..=*last).contains(&code));
            assert_eq!(is_unseen(character), listed, "U+{code:04X}");
        }
    }
}
