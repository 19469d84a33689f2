//! The forms in which a value occurs in text: as it is, in JSON, in a URL, in base64.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::names::is_long_enough;

/// Adds all forms of a value.
pub(super) fn add(value: &str, forms: &mut BTreeSet<Arc<str>>) {
    one(value, forms);
    // The lines of a key may be shown one by one, as in a diff.
    if value.contains('\n') {
        value
            .lines()
            .map(str::trim)
            .filter(|line| is_long_enough(line))
            .for_each(|line| one(line, forms));
    }
}

fn one(value: &str, forms: &mut BTreeSet<Arc<str>>) {
    let escaped = escaped(value);
    // JSON within JSON is how a quoted value looks in a line of a JSON log.
    let twice = self::escaped(&escaped);
    let mut put = |form: &str| {
        if !forms.contains(form) {
            forms.insert(form.into());
        }
    };
    put(value);
    put(&escaped);
    put(&twice);
    put(&ascii(&escaped));
    put(&percent_encoded(value));
    // Whole groups of three bytes only: the rest depends on what follows.
    let whole = &value.as_bytes()[..value.len() - value.len() % 3];
    put(&STANDARD_NO_PAD.encode(whole));
    put(&URL_SAFE_NO_PAD.encode(whole));
}

/// A value as it stands between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text).to_owned()
}

/// The same from a writer that escapes everything beyond ASCII.
fn ascii(escaped: &str) -> String {
    let mut out = String::with_capacity(escaped.len());
    for c in escaped.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _a_string_takes_it = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'~' => out.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() => out.push(byte.into()),
            _ => {
                let _a_string_takes_it = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Decodes `%XX`; none where the text has nothing encoded, or is not UTF-8 afterwards.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    text.contains('%').then_some(())?;
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex =
            after.get(..2).filter(|_| *first == b'%').and_then(|hex| str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_the_forms_of_json_urls_and_base64() {
        let mut forms = BTreeSet::new();
        add("a \"b\"/ü\\c", &mut forms);
        for form in [
            "a \"b\"/ü\\c",
            r#"a \"b\"/ü\\c"#,
            r#"a \\\"b\\\"/ü\\\\c"#,
            r#"a \"b\"/\u00fc\\c"#,
            "a%20%22b%22%2F%C3%BC%5Cc",
            "YSAiYiIvw7xc",
        ] {
            assert!(forms.contains(form), "{form} in {forms:?}");
        }
        assert_eq!(percent_decoded("a%20b%2").as_deref(), Some("a b%2"));
        assert_eq!(percent_decoded("ab"), None);
    }

    #[test]
    fn adds_the_lines_of_a_key() {
        let mut forms = BTreeSet::new();
        add("-----BEGIN KEY-----\nMIIEvQIBADANBg\nshort\n", &mut forms);
        assert!(forms.contains("MIIEvQIBADANBg") && !forms.contains("short"), "{forms:?}");
    }
}
