//! What a tool comes to: the text that the model reads and the object that the host gets.

use serde_json::{Value, json};

use crate::sim::mcp::Called;

/// The result of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outcome {
    /// `content` of the `tool_result` block.
    pub(super) content: Value,
    pub(super) is_error: bool,
    /// `tool_use_result`.
    pub(super) structured: Value,
    /// Some tools say `is_error: false`, others nothing.
    pub(super) says_success: bool,
    /// The structured output that ends the turn.
    pub(super) output: Option<Value>,
}

impl Outcome {
    pub(super) fn text(text: &str, structured: Value) -> Self {
        Self {
            content: json!(text),
            is_error: false,
            structured,
            says_success: false,
            output: None,
        }
    }

    /// The host gets the same text.
    pub(super) fn said(text: &str) -> Self {
        Self::text(text, json!(text))
    }

    /// The tool was run, or was not permitted, and that is an error.
    pub(super) fn failed(text: &str) -> Self {
        Self { is_error: true, ..Self::text(text, json!(format!("Error: {text}"))) }
    }

    /// The call made no sense.
    pub(super) fn invalid(text: &str) -> Self {
        let plain = text.strip_prefix("Error: ").unwrap_or(text);
        Self {
            content: json!(format!("<tool_use_error>{text}</tool_use_error>")),
            ..Self::failed(plain)
        }
    }

    pub(super) fn of_mcp(called: Called) -> Self {
        match called {
            Called::Content(content) => {
                Self { content: content.clone(), ..Self::text("", content) }
            }
            Called::Failed(text) => Self::failed(&text),
        }
    }

    /// A hook wants another output.
    pub(super) fn replace(&mut self, structured: Value) {
        self.content = match structured["stdout"].as_str() {
            Some(text) => json!(text),
            None if structured.is_object() => json!(structured.to_string()),
            None => structured.clone(),
        };
        self.structured = structured;
    }
}
