//! Redacts JSON text, string by string, so that it stays JSON.
//!
//! Replacing in the text itself could begin within an escape or run over a quote.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::known::{Known, REDACTED};

/// The most texts that are read to find out which strings can be replaced.
const MOST_CHECKS: usize = 256;

/// Replaces registered values in the strings of a JSON text; none where there are none.
///
/// `reread` reads a text and writes it again; none for a text that cannot be read. A string stays if
/// its replacement makes the text unreadable or drops something of it: it is a word of the format,
/// such as the type of an event or the name of a field, and no secret.
pub(crate) fn redact_json(
    known: &Known,
    json: &str,
    reread: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    if !known.is_in(json.as_bytes()) {
        return None;
    }
    let mut edits = edits(known, json);
    if edits.is_empty() {
        return None;
    }
    // A text of an earlier version is not written as it was read, so that a lost field is not seen.
    let is_exact = reread(json).is_some_and(|again| again == json);
    if !is_exact {
        edits.retain(|edit| !edit.is_key);
    }
    let is_sound =
        |text: &str| reread(text).is_some_and(|again| !is_exact || is_same(&again, text));
    let mut choice = Choice::new(json, &edits, is_sound);
    choice.accept(0..choice.accepted.len());
    let chosen = choice.text();
    (chosen != json).then_some(chosen)
}

/// The same for a value that can be written and read; none where nothing is to be replaced.
pub(super) fn redact_value<T: Serialize + DeserializeOwned>(known: &Known, value: &T) -> Option<T> {
    if known.is_empty() {
        return None;
    }
    let json = serde_json::to_string(value).ok()?;
    let clean = redact_json(known, &json, reread::<T>)?;
    serde_json::from_str(&clean).ok()
}

/// Reads a text as a value and writes it again.
pub(crate) fn reread<T: Serialize + DeserializeOwned>(text: &str) -> Option<String> {
    serde_json::to_string(&serde_json::from_str::<T>(text).ok()?).ok()
}

/// Whether two texts have the same fields, in whichever order: a map is written by its names. Of a
/// name that is there twice one is lost, and the text becomes shorter.
fn is_same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == other || (one.len() == other.len() && read(one) == read(other))
}

/// A string of the text and its replacement, both with their quotes.
struct Edit {
    start: usize,
    end: usize,
    text: String,
    is_key: bool,
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
                let is_key = json[end..].trim_start().starts_with(':');
                edits.push(Edit { start, end, text, is_key });
            }
        }
        from = end;
    }
    edits
}

/// Which edits are made. Strings that are the same are decided upon together.
struct Choice<'e, F> {
    json: &'e str,
    /// With the number of the edit's string.
    edits: Vec<(usize, &'e Edit)>,
    /// By the number of the string.
    accepted: Vec<bool>,
    is_sound: F,
    checks: usize,
}

impl<'e, F: Fn(&str) -> bool> Choice<'e, F> {
    fn new(json: &'e str, edits: &'e [Edit], is_sound: F) -> Self {
        let mut numbers = BTreeMap::new();
        let number = |edit: &'e Edit| {
            let next = numbers.len();
            let string = (edit.is_key, &json[edit.start..edit.end]);
            (*numbers.entry(string).or_insert(next), edit)
        };
        let edits: Vec<_> = edits.iter().map(number).collect();
        Self { json, edits, accepted: vec![false; numbers.len()], is_sound, checks: MOST_CHECKS }
    }

    /// Accepts the edits of these strings as far as the text stays sound: all of them, or what can
    /// be accepted of one half and then of the other.
    fn accept(&mut self, strings: Range<usize>) {
        if strings.is_empty() || self.checks == 0 {
            return;
        }
        self.checks -= 1;
        self.accepted[strings.clone()].fill(true);
        if (self.is_sound)(&self.text()) {
            return;
        }
        self.accepted[strings.clone()].fill(false);
        if strings.len() > 1 {
            let middle = strings.start.midpoint(strings.end);
            self.accept(strings.start..middle);
            self.accept(middle..strings.end);
        }
    }

    /// The text with the accepted edits.
    fn text(&self) -> String {
        let mut out = String::with_capacity(self.json.len());
        let mut done = 0;
        for (_, edit) in self.edits.iter().filter(|(string, _)| self.accepted[*string]) {
            out.push_str(&self.json[done..edit.start]);
            out.push_str(&edit.text);
            done = edit.end;
        }
        out.push_str(&self.json[done..]);
        out
    }
}

/// The place after the quote that ends a string.
pub(crate) fn string_end(json: &[u8], start: usize) -> usize {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Secrets;
    use super::*;

    fn as_it_is(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[track_caller]
    fn check(secret: &str, before: Value, after: Value) {
        let secrets = Secrets::default();
        secrets.register(secret).unwrap();
        let text = before.to_string();
        let redacted = redact_json(&secrets.known(), &text, as_it_is).unwrap_or(text);
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
        let redacted = redact_json(&secrets.known(), r#"["a\ud800 hunter2hunter2","b"]"#, as_it_is);
        assert_eq!(redacted.as_deref(), Some(r#"["[redacted]","b"]"#));
    }

    #[test]
    fn words_of_the_format_stay() {
        let secrets = Secrets::default();
        secrets.register("run_ended").unwrap();
        let reread = |text: &str| text.contains(r#""type":"run_ended""#).then(|| text.to_owned());
        let text = r#"{"type":"run_ended","tail":"it says run_ended"}"#;
        let redacted = redact_json(&secrets.known(), text, reread);
        assert_eq!(
            redacted.as_deref(),
            Some(r#"{"type":"run_ended","tail":"it says [redacted]"}"#)
        );
    }

    #[derive(Debug, Default, PartialEq, Serialize, serde::Deserialize)]
    struct Line {
        #[serde(default)]
        stderr_tail: Option<String>,
        #[serde(default)]
        input: Value,
    }

    #[test]
    fn names_of_fields_stay_where_a_field_would_be_dropped() {
        let secrets = Secrets::default();
        secrets.register("stderr_tail").unwrap();
        let line = Line {
            stderr_tail: Some("of stderr_tail".to_owned()),
            input: json!({"stderr_tail:": "stderr_tail"}),
        };
        let redacted = redact_value(&secrets.known(), &line);
        let expected = Line {
            stderr_tail: Some("of [redacted]".to_owned()),
            input: json!({"[redacted]:": "[redacted]"}),
        };
        assert_eq!(redacted, Some(expected));
        // Two names must not become one; the order of names does not matter.
        let input = json!({"stderr_tail ": 1, "stderr_tail\n\n": 2, "a": 3, "stderr_tail\n": 4});
        let redacted = redact_value(&secrets.known(), &Line { input, ..Line::default() });
        let input = json!({"[redacted] ": 1, "[redacted]\n\n": 2, "a": 3, "[redacted]\n": 4});
        assert_eq!(redacted, Some(Line { input, ..Line::default() }));
        secrets.register("stderr_tail\n").unwrap();
        let input = json!({"stderr_tail\n": 1, "stderr_tail": 2});
        let redacted = redact_value(&secrets.known(), &Line { input, ..Line::default() });
        let input = json!({"[redacted]": 1, "stderr_tail": 2});
        assert_eq!(redacted, Some(Line { input, ..Line::default() }));
        // A field that a later version dropped: its text cannot be compared.
        let older = r#"{"stderr_tail":"stderr_tail","gone":1,"input":null}"#;
        let redacted = redact_json(&secrets.known(), older, reread::<Line>);
        let expected = r#"{"stderr_tail":"[redacted]","gone":1,"input":null}"#;
        assert_eq!(redacted.as_deref(), Some(expected));
    }

    #[test]
    fn bounds_the_texts_that_are_read() {
        let secrets = Secrets::default();
        secrets.register("hunter2hunter2").unwrap();
        let strings: Vec<String> = (0..5_000).map(|n| format!("hunter2hunter2 {n}")).collect();
        let text = serde_json::to_string(&strings).unwrap();
        let reads = std::cell::Cell::new(0);
        let reread = |text: &str| {
            reads.set(reads.get() + 1);
            let is_sound = text.matches("hunter2hunter2").count() >= 5;
            is_sound.then(|| text.to_owned())
        };
        let redacted = redact_json(&secrets.known(), &text, reread).unwrap();
        assert_eq!(redacted.matches("hunter2hunter2").count(), 5);
        assert!(reads.get() <= MOST_CHECKS + 1, "{}", reads.get());
    }
}
