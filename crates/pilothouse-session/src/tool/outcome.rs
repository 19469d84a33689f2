//! What came of a call, and how to read it.
//!
//! The CLI reports a call twice: as content for the model, and as a structured result for the host.
//! The second is missing in frames of subagents, in most failures and in old transcripts.

use std::borrow::Cow;

use pilothouse_wire::{Block, Content, Raw, Wire};

use super::bound::clip_text;

/// What came of a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome<'a> {
    /// The `content` of the `tool_result` block: what the model reads.
    pub content: Option<&'a Content>,
    /// The `tool_use_result` of the frame: what hosts read.
    pub structured: Option<&'a Raw>,
    /// The `is_error` of the `tool_result` block.
    pub is_error: bool,
}

impl Outcome<'_> {
    /// Whether the call still runs and this only says so; the result comes later.
    pub fn is_detached(&self) -> bool {
        // The mark stands in a small object of its own; large results are not searched for it.
        self.structured.is_some_and(|raw| {
            raw.get().len() < 4096
                && raw.member("detachedToolCall").and_then(|mark| mark.read()) == Some(true)
        })
    }

    /// The result as text, without the tags and reminders that the CLI puts around it.
    pub fn text(&self) -> String {
        match self.content {
            Some(Content::Text(text)) => bare(text).into_owned(),
            Some(Content::Blocks(blocks)) => {
                let texts: Vec<_> = blocks.iter().filter_map(Block::as_text).map(bare).collect();
                texts.join("\n")
            }
            None => self.structured_text().unwrap_or_default(),
        }
    }

    /// Why the call failed, if it did.
    pub fn error(&self) -> Option<String> {
        if !self.is_error {
            return None;
        }
        let text = self.text();
        let text = if text.is_empty() { self.structured_text() } else { Some(text) };
        Some(clip_text(text.unwrap_or_else(|| "The tool failed and did not say why.".to_owned())))
    }

    /// The structured result, where it is a container that can be read as `T`.
    pub(crate) fn typed<T: Wire>(&self) -> Option<T> {
        // Tagged types take anything else as an unknown variant.
        self.structured.filter(|raw| raw.get().starts_with(['{', '['])).and_then(Raw::read)
    }

    /// The list `key` of the structured result, where it is there and all of it can be read.
    pub(crate) fn list<T: Wire>(&self, key: &str) -> Option<Vec<T>> {
        self.structured?.member(key)?.read()
    }

    /// The structured result, where it is plain text: mostly why a call failed.
    fn structured_text(&self) -> Option<String> {
        let text: String = self.structured?.read()?;
        Some(bare(text.strip_prefix("Error: ").unwrap_or(&text)).into_owned())
    }
}

/// `text` without a `tool_use_error` tag around it and without reminders to the model at its end.
fn bare(text: &str) -> Cow<'_, str> {
    const OPEN: &str = "<tool_use_error>";
    const CLOSE: &str = "</tool_use_error>";
    let text = without_reminders(text);
    let inner = text.trim().strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE));
    Cow::Borrowed(inner.unwrap_or(text))
}

fn without_reminders(mut text: &str) -> &str {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    while let Some(rest) = text.trim_end().strip_suffix(CLOSE) {
        let Some(start) = rest.rfind(OPEN) else { break };
        // A blank line stands between the result and a reminder.
        let before = &rest[..start];
        text = before.strip_suffix("\n\n").or(before.strip_suffix('\n')).unwrap_or(before);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_reminders_are_taken_off() {
        let cases = [
            ("plain", "plain"),
            ("<tool_use_error>no such file</tool_use_error>", "no such file"),
            ("a\n\n<system-reminder>\nb\n</system-reminder>\n", "a"),
            (
                "a\n\n<system-reminder>b</system-reminder>\n<system-reminder>c</system-reminder>",
                "a",
            ),
            ("<system-reminder>empty file</system-reminder>", ""),
            ("</system-reminder>", "</system-reminder>"),
            (
                "<system-reminder>not at the end</system-reminder> x",
                "<system-reminder>not at the end</system-reminder> x",
            ),
            ("<tool_use_error>half", "<tool_use_error>half"),
        ];
        for (text, expected) in cases {
            assert_eq!(bare(text), expected, "{text}");
        }
    }

    #[test]
    fn a_failure_says_why() {
        let failed = Outcome { is_error: true, ..Outcome::default() };
        assert_eq!(failed.error().unwrap(), "The tool failed and did not say why.");
        let structured = Raw::from(serde_json::json!("Error: <tool_use_error>x</tool_use_error>"));
        let failed = Outcome { structured: Some(&structured), ..failed };
        assert_eq!(failed.error().unwrap(), "x");
        let content = Content::Text("y".to_owned());
        let failed = Outcome { content: Some(&content), ..failed };
        assert_eq!(failed.error().unwrap(), "y");
        assert_eq!(Outcome { is_error: false, ..failed }.error(), None);
    }
}
