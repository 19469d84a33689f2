//! MCP: resources, refreshing, and the output of any MCP tool.

use serde::{Serialize, Serializer};

use crate::block::Block;
use crate::field::Wire;
use crate::json::Cursor;
use crate::raw::Raw;

/// Output of an MCP tool.
#[derive(Clone, Debug, PartialEq)]
pub enum McpOutput {
    /// Text.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
    /// Anything else, mostly an object.
    Other(Raw),
}

impl McpOutput {
    pub(crate) fn of(raw: &Raw) -> Self {
        if let Some(text) = raw.read() {
            return Self::Text(text);
        }
        match raw.read() {
            Some(blocks) => Self::Blocks(blocks),
            None => Self::Other(raw.clone()),
        }
    }
}

impl Wire for McpOutput {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        <Raw as Wire>::read(cursor).map(|raw| Self::of(&raw))
    }
}

impl Serialize for McpOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Blocks(blocks) => blocks.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

object! {
    /// Input of `ListMcpResourcesTool`.
    #[derive(Default)]
    pub struct ListMcpResourcesInput {
        /// Only of this server.
        server: Option<String>,
    }
}

object! {
    /// A resource of an MCP server. `ListMcpResourcesTool` outputs a list of them.
    #[derive(Default)]
    pub struct McpResource {
        /// Its address.
        uri: String,
        /// Its name.
        name: Option<String>,
        /// Its media type.
        mime_type as "mimeType": Option<String>,
        /// What it is.
        description: Option<String>,
        /// The server.
        server: Option<String>,
    }
}

object! {
    /// Input of `ReadMcpResourceTool`.
    #[derive(Default)]
    pub struct ReadMcpResourceInput {
        /// The server.
        server: String,
        /// The resource.
        uri: String,
    }
}

object! {
    /// Output of `ReadMcpResourceTool`.
    #[derive(Default)]
    pub struct ReadMcpResourceOutput {
        /// What is in it.
        contents: Vec<McpResourceContent>,
        /// What went wrong.
        error: Option<String>,
    }
}

object! {
    /// A piece of a resource.
    #[derive(Default)]
    pub struct McpResourceContent {
        /// Its address.
        uri: String,
        /// Its media type.
        mime_type as "mimeType": Option<String>,
        /// Text.
        text: Option<String>,
        /// Where bytes were put.
        blob_saved_to as "blobSavedTo": Option<String>,
    }
}

object! {
    /// Input of `ReadMcpResourceDirTool`.
    #[derive(Default)]
    pub struct ReadMcpResourceDirInput {
        /// The server.
        server: String,
        /// The directory.
        uri: String,
    }
}

object! {
    /// Output of `ReadMcpResourceDirTool`.
    #[derive(Default)]
    pub struct ReadMcpResourceDirOutput {
        /// What is in it.
        resources: Vec<McpResource>,
        /// What went wrong.
        error: Option<String>,
    }
}

object! {
    /// Input of `RefreshMcpTools`.
    #[derive(Default)]
    pub struct RefreshMcpToolsInput {
        /// Only of this server.
        server: Option<String>,
    }
}

object! {
    /// How a server's tools were refreshed. `RefreshMcpTools` outputs a list of these.
    #[derive(Default)]
    pub struct McpRefresh {
        /// The server.
        server: String,
        /// `refreshed`, `error`, `not_connected`.
        status: Option<String>,
        /// How many tools it has.
        tool_count as "toolCount": Option<u64>,
        /// New tools.
        added: Vec<String>,
        /// Tools that are gone.
        removed: Vec<String>,
        /// What went wrong.
        error: Option<String>,
    }
}
