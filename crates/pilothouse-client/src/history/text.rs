//! Cleaning of the names people give to sessions.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Longer sidecar titles are cut after this many characters.
const LONGEST_TITLE: usize = 200;

/// Compatibility forms folded, invisible and unassigned characters removed, trimmed.
///
/// Repeated until nothing changes, because removing a character can bring two others together
/// which then compose.
pub(super) fn clean_tag(tag: &str) -> String {
    let mut current = tag.to_owned();
    for _ in 0..10 {
        let next: String = current.nfkc().filter(|c| is_kept(*c)).collect();
        if next == current {
            break;
        }
        current = next;
    }
    current.trim().to_owned()
}

fn is_kept(character: char) -> bool {
    !matches!(
        character.general_category(),
        GeneralCategory::Format | GeneralCategory::PrivateUse | GeneralCategory::Unassigned
    )
}

/// A title from a sidecar file, which anything may have written.
pub(super) fn sidecar_title(title: &str) -> String {
    let mut out = String::new();
    let mut in_gap = false;
    for character in title.trim().chars() {
        let gap = matches!(
            character.general_category(),
            GeneralCategory::Control | GeneralCategory::Format
        ) || matches!(character, '\u{2028}' | '\u{2029}');
        if !gap {
            out.push(character);
        } else if !in_gap {
            out.push(' ');
        }
        in_gap = gap;
    }
    let shortened: String = out.chars().take(LONGEST_TITLE).collect();
    shortened.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_lose_what_cannot_be_seen() {
        assert_eq!(clean_tag("  plain "), "plain");
        assert_eq!(clean_tag("ﬁne\u{200b}\u{202e}\u{feff}\u{e000}"), "fine");
        assert_eq!(clean_tag("e\u{200d}\u{301}"), "é");
        assert_eq!(clean_tag("\u{e0001}\u{378}"), "");
        assert_eq!(clean_tag("日本 😀"), "日本 😀");
    }

    #[test]
    fn sidecar_titles_are_one_line() {
        assert_eq!(sidecar_title(" a\n\u{200b}\tb\u{2028}c "), "a b c");
        assert_eq!(sidecar_title(&"x".repeat(300)).len(), 200);
        assert_eq!(sidecar_title("\u{7}"), "");
    }
}
