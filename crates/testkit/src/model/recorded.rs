//! A request as the model received it.

use serde_json::Value;

/// One request.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The path, without the query.
    pub path: String,
    /// Header names in lower case, and their values.
    pub headers: Vec<(String, String)>,
    /// The body; `null` if there was none or it was not JSON.
    pub body: Value,
}

/// A tool result that the model was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// The call it belongs to.
    pub tool_use_id: String,
    /// Its text; text blocks are joined by line breaks.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
}

impl Recorded {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The model that was asked for.
    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The messages of the conversation.
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Names of the tools that the model may call.
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// All text of the last user message; its text blocks are joined by line breaks.
    pub fn last_user_text(&self) -> String {
        self.messages()
            .iter()
            .rev()
            .find(|message| message["role"] == "user")
            .map(|message| text_of(&message["content"]))
            .unwrap_or_default()
    }

    /// Blocks of this type in the user messages, oldest first; images inside tool results included.
    pub fn user_blocks(&self, kind: &str) -> Vec<&Value> {
        let mut found = Vec::new();
        for message in self.messages() {
            if message["role"] == "user" {
                collect(&message["content"], kind, &mut found);
            }
        }
        found
    }

    /// The tool results of the conversation, oldest first.
    pub fn tool_results(&self) -> Vec<ToolResult> {
        self.user_blocks("tool_result")
            .into_iter()
            .map(|block| ToolResult {
                tool_use_id: block["tool_use_id"].as_str().unwrap_or_default().to_owned(),
                text: text_of(&block["content"]),
                is_error: block["is_error"].as_bool().unwrap_or(false),
            })
            .collect()
    }

    /// Whether the text of the body, as JSON, contains `needle`.
    pub fn contains(&self, needle: &str) -> bool {
        self.body.to_string().contains(needle)
    }

    pub(super) fn outline(&self) -> String {
        let text = self.last_user_text();
        let start: String = text.chars().take(60).collect();
        format!(
            "{} {} with {} messages, last {start:?}",
            self.path,
            self.model(),
            self.messages().len()
        )
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn collect<'a>(content: &'a Value, kind: &str, found: &mut Vec<&'a Value>) {
    let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
    for block in blocks {
        if block["type"] == kind {
            found.push(block);
        }
        collect(&block["content"], kind, found);
    }
}
