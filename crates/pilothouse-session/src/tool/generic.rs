//! `generic` and `misc`: calls that have no shape of their own.

use pilothouse_wire::Raw;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bound::{Album, Media, TEXT_LIMIT, bounded_json, clip, unset};
use super::outcome::Outcome;

/// A tool of an MCP server, or one that this version does not know, is called; or a known one with
/// an input that does not look like its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GenericCall {
    /// The tool, as the CLI calls it: `mcp__server__tool`.
    pub name: String,
    /// The MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool, as its MCP server calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What it is given.
    pub input: Value,
    /// What it gave back, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<GenericOutput>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A tool of the CLI itself is called that needs no display of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MiscCall {
    /// The tool, by its present name.
    pub name: String,
    /// What it does, in two or three words.
    pub label: String,
    /// With what, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What it is given.
    pub input: Value,
    /// What it gave back, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<GenericOutput>,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a tool gave back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GenericOutput {
    /// What the model reads.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What programs read, where it says more than the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// Pictures and documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media: Vec<Media>,
    /// Whether text was left out of `text` here.
    #[serde(default, skip_serializing_if = "unset")]
    pub truncated: bool,
    /// Where `text` was shortened here, how many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_bytes: Option<u64>,
}

impl GenericCall {
    pub(crate) fn of(name: &str, input: &Raw) -> Self {
        Self { name: name.to_owned(), input: bounded_json(input), ..Self::default() }
    }

    pub(crate) fn of_mcp(name: &str, server: String, tool: String, input: &Raw) -> Self {
        Self { server: Some(server), tool: Some(tool), ..Self::of(name, input) }
    }

    pub(crate) fn of_server(name: &str, server: Option<String>, input: &Raw) -> Self {
        Self { server, ..Self::of(name, input) }
    }

    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        self.output = GenericOutput::of(outcome);
    }
}

impl MiscCall {
    pub(crate) fn complete(&mut self, outcome: &Outcome<'_>) {
        self.error = outcome.error();
        self.output = GenericOutput::of(outcome);
    }
}

impl GenericOutput {
    /// None for a failure that left nothing but its reason.
    fn of(outcome: &Outcome<'_>) -> Option<Self> {
        let structured = outcome.structured.and_then(said).map(|raw| bounded_json(&raw));
        let media = Album::of(outcome.content);
        if outcome.is_error {
            let some = structured.is_some() || !media.is_empty();
            return some.then(|| Self { structured, media, ..Self::default() });
        }
        let text = clip(outcome.text(), TEXT_LIMIT);
        Some(Self {
            truncated: text.bytes.is_some(),
            original_bytes: text.bytes,
            text: text.text,
            structured,
            media,
        })
    }
}

/// What a structured result says beyond the text: nothing where it is a text itself, or the blocks
/// that the model reads.
fn said(raw: &Raw) -> Option<Raw> {
    if let Some(inner) = raw.member("structuredContent").filter(|inner| !inner.is_null()) {
        return Some(inner);
    }
    let blocks = raw.get().starts_with('[')
        && raw.read::<Vec<pilothouse_wire::Block>>().is_some_and(|blocks| {
            !blocks.is_empty() && blocks.iter().all(|block| block.tag().is_some())
        });
    (raw.get().starts_with(['{', '[']) && !blocks).then(|| raw.clone())
}
