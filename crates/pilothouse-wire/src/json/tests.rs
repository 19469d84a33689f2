//! The grammar as `serde_json` has it, and strings with anything at every place of a block.

use proptest::prelude::*;
use serde_json::Value;
use serde_json::value::RawValue;

use super::*;

fn skipped(text: &str) -> Option<&str> {
    let mut cursor = Cursor::new(text);
    let json = cursor.skip()?;
    cursor.is_at_end().then_some(json)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

#[test]
fn passes_what_serde_json_passes() {
    let texts = [
        "null",
        "tru",
        "true",
        "truex",
        "0",
        "-0",
        "01",
        "-",
        "1.",
        "1.5e",
        "1e400",
        "1E+2",
        "\"\"",
        "\"a",
        "\"\\u12\"",
        "\"\\ud83d\"",
        "\"\\x\"",
        "\"\t\"",
        "[]",
        "[1,]",
        "[,]",
        "{}",
        "{\"a\":1}",
        "{\"a\" : 1 , \"b\":[{}]}",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\"}",
        "[1 2]",
        "[[[]]",
        "{]",
        "",
        " ",
        "[}",
        "\u{a0}1",
    ];
    for text in texts {
        assert_eq!(skipped(text).is_some(), is_json(text), "{text}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(skipped(&deep), Some(&*deep));
}

#[test]
fn surrogates_pair_up_or_become_replacement_characters() {
    for (text, expected) in [
        (r#""\ud83d\ude00""#, "😀"),
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ud83dx""#, "\u{fffd}x"),
        (r#""\ud83d\n""#, "\u{fffd}\n"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\ude00\u0041""#, "\u{fffd}A"),
    ] {
        assert_eq!(Cursor::new(text).string().as_deref(), Some(expected), "{text}");
    }
}

/// Each kind of escape and what it stands for.
const ESCAPED: [(&str, &str); 10] = [
    (r"\n", "\n"),
    (r"\\", "\\"),
    (r#"\""#, "\""),
    (r"\\\\\n", "\\\\\n"),
    (r"\u00e9", "é"),
    (r"\ud83d\ude00", "😀"),
    (r"\ud83d", "\u{fffd}"),
    (r"\ude00\n", "\u{fffd}\n"),
    (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
    (r"\ud83d\u0041", "\u{fffd}A"),
];

#[test]
fn escapes_are_undone_wherever_they_stand() {
    for (escaped, plain) in ESCAPED {
        // Characters of several bytes lie across the ends of blocks and pieces.
        for filler in ["a", "é", "€"] {
            for before in (0..=2 * BLOCK + 2).map(|count| filler.repeat(count)) {
                for after in ["", "b", "€€€", &filler.repeat(PIECE), &filler.repeat(BLOCK)] {
                    let json = format!("\"{before}{escaped}{after}{escaped}\" ");
                    let expected = format!("{before}{plain}{after}{plain}");
                    let mut cursor = Cursor::new(&json);
                    assert_eq!(cursor.string().as_deref(), Some(&*expected), "{json}");
                    assert!(cursor.is_at_end(), "{json}");
                    assert_eq!(skipped(&json), Some(json.trim_end()));
                }
            }
        }
    }
}

#[test]
fn a_text_that_ends_in_a_string_is_none() {
    for (escaped, _) in ESCAPED {
        for before in (0..=2 * BLOCK + 2).map(|count| "a".repeat(count)) {
            let json = format!("\"{before}{escaped}");
            for end in 1 + before.len()..=json.len() {
                assert_eq!(Cursor::new(&json[..end]).string(), None, "{}", &json[..end]);
                assert_eq!(skipped(&json[..end]), None, "{}", &json[..end]);
            }
        }
    }
}

#[test]
fn what_is_no_escape_is_none_wherever_it_stands() {
    for wrong in [r"\x", r"\u00g0", r"\u 041", r"\ud83d\uzzzz", "\\\u{e9}", "\u{1}", "\n"] {
        for before in (0..=2 * BLOCK + 2).map(|count| "a".repeat(count)) {
            for json in [format!("\"{before}{wrong}\""), format!("\"\\n{before}{wrong}aaaa\"")] {
                assert_eq!(Cursor::new(&json).string(), None, "{json}");
                assert_eq!(skipped(&json), None, "{json}");
            }
        }
    }
}

#[test]
fn a_string_takes_room_in_proportion() {
    let long = "line\\n".repeat(LONG);
    for (json, length) in [
        (format!("\"a\\n\",\"{long}\""), 2),
        (format!("\"{long}\""), 5 * LONG),
        (format!("\"{long}\",\"{long}\""), 5 * LONG),
        (format!("\"{long}\",\"{}\"", long.repeat(9)), 5 * LONG),
    ] {
        let string = Cursor::new(&json).string().unwrap_or_default().into_owned();
        assert_eq!(string.len(), length);
        assert!(string.capacity() <= 4 * length, "{} for {length}", string.capacity());
    }
}

proptest! {
    #[test]
    fn strings_are_what_serde_json_says(text in ".{0,200}") {
        let json = Value::String(text.clone()).to_string();
        let string = Cursor::new(&json).string();
        prop_assert_eq!(string.as_deref(), Some(&*text));
        prop_assert_eq!(skipped(&json), Some(&*json));
    }

    #[test]
    fn any_text_passes_if_and_only_if_it_is_json(
        text in r#"[\[\]{}",:0-9eE.+\-\\untrfalse \u{1}ü]{0,30}"#
    ) {
        prop_assert_eq!(skipped(&text).is_some(), is_json(&text));
    }

    #[test]
    fn long_strings_are_searched_to_the_end(
        before in "[a-z]{0,140}", special in prop_oneof![Just('"'), Just('\\'), Just('\u{1}')]
    ) {
        let text = format!("{before}{special}rest\"");
        prop_assert_eq!(Cursor::new(&text).special(), Some(before.len()));
        prop_assert_eq!(Cursor::new(&before).special(), None);
    }

    #[test]
    fn the_next_special_byte_is_found_from_everywhere(
        text in r#"[a-zé\u{1}"\\]{0,9}[a-zé]{0,90}[a-z"\\]{0,90}[a-zé]{0,90}"#, steps in any::<bool>()
    ) {
        let mut cursor = Cursor::new(&text);
        let mut places: Vec<usize> = (0..=text.len()).collect();
        if !steps {
            // Back again, to before the block that was searched last.
            places.reverse();
        }
        for place in places {
            cursor.rewind(Mark(place));
            let rest = text.as_bytes()[place..].iter();
            let first = rest.take_while(|byte| !matches!(byte, b'"' | b'\\' | ..0x20)).count();
            let found = Some(place + first).filter(|found| *found < text.len());
            prop_assert_eq!(cursor.special(), found, "from {}", place);
        }
    }

    #[test]
    fn strings_full_of_escapes_are_what_serde_json_says(
        text in r#"([a-zé]{0,70}["\\\n\u{1}/😀]{1,3}){0,9}"#
    ) {
        let json = Value::String(text.clone()).to_string();
        let string = Cursor::new(&json).string();
        prop_assert_eq!(string.as_deref(), Some(&*text));
        prop_assert_eq!(skipped(&json), Some(&*json));
    }
}
