//! What a tool answers.

use std::error::Error;
use std::fmt;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde::Serialize;
use serde_json::{Map, Value};

/// The answer of a tool: one or more blocks for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolReply(CallToolResult);

impl ToolReply {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::block(ContentBlock::text(text))
    }

    /// An image: its bytes in base64, and its type (`image/png`).
    pub fn image(base64: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::block(ContentBlock::image(base64, mime_type))
    }

    /// Any block that MCP knows.
    pub fn block(block: ContentBlock) -> Self {
        Self(CallToolResult::success(vec![block]))
    }

    /// A value, as structured content and as JSON text for clients that read only that. Structured
    /// content is an object: any other value becomes the member `result` of one.
    pub fn structured(value: impl Serialize) -> Result<Self, ToolError> {
        let value = match serde_json::to_value(value)? {
            object @ Value::Object(_) => object,
            other => Value::Object(Map::from_iter([("result".to_owned(), other)])),
        };
        Ok(Self(CallToolResult::structured(value)))
    }

    /// A failure, in words for the model: it may correct itself and call again.
    pub fn error(text: impl Into<String>) -> Self {
        Self(CallToolResult::error(vec![ContentBlock::text(text)]))
    }

    /// Adds text.
    pub fn and_text(self, text: impl Into<String>) -> Self {
        self.and_block(ContentBlock::text(text))
    }

    /// Adds an image: its bytes in base64, and its type.
    pub fn and_image(self, base64: impl Into<String>, mime_type: impl Into<String>) -> Self {
        self.and_block(ContentBlock::image(base64, mime_type))
    }

    /// Adds any block that MCP knows.
    pub fn and_block(mut self, block: ContentBlock) -> Self {
        self.0.content.push(block);
        self
    }

    /// Sets a key of the reply's `_meta`, which the client reads and the model does not.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let meta = self.0.meta.get_or_insert_with(MetaObject::new);
        meta.0.insert(key.into(), value.into());
        self
    }
}

impl From<CallToolResult> for ToolReply {
    fn from(result: CallToolResult) -> Self {
        Self(result)
    }
}

impl From<ToolReply> for CallToolResult {
    fn from(reply: ToolReply) -> Self {
        reply.0
    }
}

/// A tool that failed, in words for the model.
///
/// Any [`std::error::Error`] turns into one with `?`, its causes included; for this reason it is
/// not an `Error` itself.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolError(String);

impl ToolError {
    /// A failure in these words.
    pub fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }
}

impl<E: Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            // Many errors print their cause themselves.
            let inner_text = inner.to_string();
            if !text.ends_with(&inner_text) {
                text.push_str(": ");
                text.push_str(&inner_text);
            }
            cause = inner.source();
        }
        Self(text)
    }
}

impl From<ToolError> for ToolReply {
    fn from(error: ToolError) -> Self {
        Self::error(error.0)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolError").field(&self.0).finish()
    }
}
