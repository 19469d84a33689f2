//! What people, models and tools wrote: cut, and without secrets.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::Tracer;
use super::span::SpanEvent;

/// The most that is put into one attribute, in bytes.
const CONTENT: usize = 16 << 10;
/// As much more is searched for secrets.
const MARGIN: usize = 16 << 10;

impl Tracer {
    /// Text as it may be shown; none unless it was asked for.
    pub(super) fn text(&self, text: &str) -> Option<String> {
        // What is cut off may be the end of a secret: redacted before that, and then cut.
        let text = &text[..text.floor_char_boundary(CONTENT + MARGIN)];
        self.capture_content.then(|| cut(&self.secrets.redact(text)).to_owned())
    }

    /// The same of a line.
    pub(super) fn line(&self, line: &[u8]) -> Option<String> {
        self.capture_content.then_some(())?;
        self.text(&String::from_utf8_lossy(&line[..line.len().min(CONTENT + MARGIN)]))
    }

    /// What the CLI said, or was told, to stand beside what was made of it.
    pub(super) fn raw(&self, at: Timestamp, line: &[u8]) -> SpanEvent {
        let mut attributes = vec![("bytes", line.len().into())];
        attributes.extend(self.line(line).map(|text| ("body", text.into())));
        SpanEvent { name: "raw".into(), at, attributes }
    }

    /// The same of anything that can be written as JSON.
    pub(super) fn json(&self, value: &impl Serialize) -> Option<String> {
        let text = self.capture_content.then(|| serde_json::to_string(value).ok())??;
        self.text(&text)
    }

    /// One text message, as the conventions want messages written.
    pub(super) fn message(&self, role: &str, text: &str) -> Option<String> {
        let parts = json!([{"type": "text", "content": self.text(text)?}]);
        Some(Value::Array(vec![json!({"role": role, "parts": parts})]).to_string())
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(CONTENT)]
}

/// How long something is as JSON.
pub(super) fn length(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => 0,
    }
}
