//! Redacts JSON text, string by string, so that it stays JSON.
//!
//! Replacing in the text itself could begin within an escape or run over a quote.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::known::{Known, REDACTED};

/// Replaces registered values in the strings of a JSON text; none where there are none.
///
/// A string whose replacement makes the text unreadable for `is_readable` stays: it is a word of the
/// format, such as the type of an event, and no secret.
pub(crate) fn redact_json(
    known: &Known,
    json: &str,
    is_readable: impl Fn(&str) -> bool,
) -> Option<String> {
    if !known.is_in(json.as_bytes()) {
        return None;
    }
    let edits = edits(known, json);
    if edits.is_empty() {
        return None;
    }
    let all = apply(json, edits.iter());
    if is_readable(&all) {
        return Some(all);
    }
    let alone = |edit: &&Edit| is_readable(&apply(json, std::iter::once(*edit)));
    let readable: Vec<&Edit> = edits.iter().filter(alone).collect();
    let some = apply(json, readable.into_iter());
    (some != json).then_some(some)
}

/// The same for a value that can be written and read; none where nothing is to be replaced.
pub(super) fn redact_value<T: Serialize + DeserializeOwned>(known: &Known, value: &T) -> Option<T> {
    if known.is_empty() {
        return None;
    }
    let json = serde_json::to_string(value).ok()?;
    let clean = redact_json(known, &json, |text| serde_json::from_str::<T>(text).is_ok())?;
    serde_json::from_str(&clean).ok()
}

/// A string of the text and its replacement, both with their quotes.
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

fn edits(known: &Known, json: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut from = 0;
    while let Some(start) = memchr::memchr(b'"', &json.as_bytes()[from..]).map(|at| from + at) {
        let end = string_end(json.as_bytes(), start);
        let quoted = &json[start..end];
        if known.is_in(quoted.as_bytes()) {
            let text = match serde_json::from_str::<String>(quoted) {
                Ok(text) => known.redact(&text).into_owned(),
                // Half a pair of surrogates: the rest of the string is not worth the risk.
                Err(_) => REDACTED.to_owned(),
            };
            let text = serde_json::Value::String(text).to_string();
            if text != quoted {
                edits.push(Edit { start, end, text });
            }
        }
        from = end;
    }
    edits
}

/// The place after the quote that ends a string.
fn string_end(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        match json[at] {
            b'"' => return at + 1,
            _ => at += 2,
        }
    }
    json.len()
}

fn apply<'e>(json: &str, edits: impl Iterator<Item = &'e Edit>) -> String {
    let mut out = String::with_capacity(json.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(&json[done..edit.start]);
        out.push_str(&edit.text);
        done = edit.end;
    }
    out.push_str(&json[done..]);
    out
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Secrets;
    use super::*;

    #[track_caller]
    fn check(secret: &str, before: Value, after: Value) {
        let secrets = Secrets::default();
        secrets.register(secret).unwrap();
        let text = before.to_string();
        let redacted = redact_json(&secrets.known(), &text, |_| true).unwrap_or(text);
        assert_eq!(serde_json::from_str::<Value>(&redacted).unwrap(), after);
    }

    #[test]
    fn replaces_values_whatever_they_are_made_of() {
        check(
            "hunter2hunter2",
            json!({"a": ["x hunter2hunter2 y", 1]}),
            json!({"a": ["x [redacted] y", 1]}),
        );
        check("a\"b\\c\nd\u{1}ü", json!("- a\"b\\c\nd\u{1}ü -"), json!("- [redacted] -"));
        let inner = json!({"k": "a\"b\\c\nd-"}).to_string();
        check("a\"b\\c\nd-", json!({"args": inner}), json!({"args": "{\"k\":\"[redacted]\"}"}));
        // The text has a line break before the rest, not the secret.
        check("n8xkjhkjh", json!("\n8xkjhkjh"), json!("\n8xkjhkjh"));
        check("\":\"hunter", json!({"a": "hunter"}), json!({"a": "hunter"}));
        check("hunter2hunter2", json!({"hunter2hunter2": 1}), json!({"[redacted]": 1}));
    }

    #[test]
    fn a_string_with_half_a_surrogate_goes_as_a_whole() {
        let secrets = Secrets::default();
        secrets.register("hunter2hunter2").unwrap();
        let redacted = redact_json(&secrets.known(), r#"["a\ud800 hunter2hunter2","b"]"#, |_| true);
        assert_eq!(redacted.as_deref(), Some(r#"["[redacted]","b"]"#));
    }

    #[test]
    fn words_of_the_format_stay() {
        let secrets = Secrets::default();
        secrets.register("run_ended").unwrap();
        let is_readable = |text: &str| text.contains(r#""type":"run_ended""#);
        let text = r#"{"type":"run_ended","tail":"it says run_ended"}"#;
        let redacted = redact_json(&secrets.known(), text, is_readable);
        assert_eq!(
            redacted.as_deref(),
            Some(r#"{"type":"run_ended","tail":"it says [redacted]"}"#)
        );
    }
}
