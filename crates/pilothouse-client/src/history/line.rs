//! One line of a transcript, taken apart one level deep.

use std::borrow::Cow;

use super::json::{Member, Value, is_json};

/// The members of the object on one line.
#[derive(Clone, Debug)]
pub(super) struct Line<'a> {
    members: Vec<Member<'a>>,
}

impl<'a> Line<'a> {
    /// `None` when `text` is not one JSON object.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let value = Value::new(text);
        (value.is_object() && is_json(value.raw())).then(|| Self::of(value))
    }

    /// The members of an object that may be cut off.
    pub(super) fn of(value: Value<'a>) -> Self {
        Self { members: value.members().collect() }
    }

    /// The member called `key`: the last one, when the key repeats.
    pub(super) fn get(&self, key: &str) -> Option<Value<'a>> {
        self.members.iter().rev().find(|member| member.is(key)).map(|member| member.value)
    }

    /// The string called `key`, when its end is there.
    pub(super) fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(Value::whole_text)
    }

    /// The string called `key`, unless it is empty.
    pub(super) fn non_empty(&self, key: &str) -> Option<Cow<'a, str>> {
        self.text(key).filter(|text| !text.is_empty())
    }

    pub(super) fn is_truthy(&self, key: &str) -> bool {
        self.get(key).is_some_and(Value::is_truthy)
    }

    pub(super) fn is_true(&self, key: &str) -> bool {
        self.get(key).is_some_and(Value::is_true)
    }

    pub(super) fn is_type(&self, name: &str) -> bool {
        self.text("type").is_some_and(|own| own == name)
    }

    /// `message.content`
    pub(super) fn content(&self) -> Option<Value<'a>> {
        self.get("message")?.get("content")
    }
}

/// Whether a content block is of this type.
pub(super) fn block_is(block: Value<'_>, name: &str) -> bool {
    block.get("type").and_then(Value::text).is_some_and(|own| own == name)
}

/// How much of a line a window shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// All of it.
    Whole,
    /// The window ends in the middle of it.
    Cut,
    /// A torn line with a whole metadata line appended to it: this is the appended part. It
    /// happens when a CLI is killed while writing and something else appends a title.
    Appended,
}

/// The lines of the head or the tail of a transcript; what cannot be used is left out.
pub(super) fn window(text: &str) -> Vec<(Line<'_>, Sight)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, ended) = match rest.split_once('\n') {
            Some((line, after)) => {
                rest = after;
                (line, true)
            }
            None => (std::mem::take(&mut rest), false),
        };
        if let Some(whole) = Line::parse(line) {
            lines.push((whole, Sight::Whole));
        } else if let Some(appended) = appended(line) {
            lines.push((appended, Sight::Appended));
        } else if !ended && Value::new(line).is_object() {
            lines.push((Line::of(Value::new(line)), Sight::Cut));
        }
    }
    lines
}

/// The whole object at the end of a torn line.
fn appended(line: &str) -> Option<Line<'_>> {
    let start = line.rfind("{\"type\":\"").filter(|start| *start > 0)?;
    // After these the object would be a part of the torn line, not an appended one.
    let part_of_it = matches!(line.as_bytes()[start - 1], b':' | b',' | b'[');
    if part_of_it { None } else { Line::parse(&line[start..]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_are_lines() {
        assert!(Line::parse(r#"{"a":1}"#).is_some());
        assert!(Line::parse(" {\"a\":1}\r").is_some());
        for bad in ["", "1", "[]", "\"x\"", "{", "{\"a\":1}x"] {
            assert!(Line::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn a_window_knows_what_it_sees() {
        let text = concat!(
            "tial\"}\n",
            "{\"type\":\"a\"}\n",
            "\n",
            "{\"type\":\"user\",\"mess{\"type\":\"tag\",\"tag\":\"x\"}\n",
            "{\"type\":\"user\",\"message\":{\"type\":\"b\"}\n",
            "{\"type\":\"c\",\"text\":\"cut he"
        );
        let seen: Vec<_> = window(text)
            .into_iter()
            .map(|(line, sight)| (line.text("type").unwrap().into_owned(), sight))
            .collect();
        assert_eq!(
            seen,
            [
                ("a".to_owned(), Sight::Whole),
                ("tag".to_owned(), Sight::Appended),
                ("c".to_owned(), Sight::Cut)
            ]
        );
    }
}
