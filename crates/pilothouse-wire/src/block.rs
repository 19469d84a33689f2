//! Content blocks: what messages to and from the model are made of.

use serde::{Serialize, Serializer};

use crate::field::{Nullable, Wire};
use crate::json::Cursor;
use crate::raw::Raw;

tagged! {
    /// A content block, of an assistant or of a user message.
    pub enum Block by "type" {
        /// Text.
        Text(TextBlock) = "text",
        /// Thinking; the text can be empty where its display is off.
        Thinking(ThinkingBlock) = "thinking",
        /// Thinking that only the API can read.
        RedactedThinking(RedactedThinking) = "redacted_thinking",
        /// The model calls a tool of the CLI.
        ToolUse(ToolUse) = "tool_use",
        /// The result of a tool of the CLI.
        ToolResult(ToolResult) = "tool_result",
        /// The model calls a tool that runs at the API.
        ServerToolUse(ServerToolUse) = "server_tool_use",
        /// Result of a web search at the API.
        WebSearchToolResult(WebSearchToolResult) = "web_search_tool_result",
        /// Result of a web fetch at the API.
        WebFetchToolResult(WebFetchToolResult) = "web_fetch_tool_result",
        /// Result of the advisor tool.
        AdvisorToolResult(AdvisorToolResult) = "advisor_tool_result",
        /// Result of code run at the API.
        CodeExecutionToolResult(CodeExecutionToolResult) = "code_execution_tool_result",
        /// Result of a shell command run at the API.
        BashCodeExecutionToolResult(BashCodeExecutionToolResult) = "bash_code_execution_tool_result",
        /// Result of an edit made at the API.
        TextEditorCodeExecutionToolResult(TextEditorCodeExecutionToolResult)
            = "text_editor_code_execution_tool_result",
        /// Result of a search for tools.
        ToolSearchToolResult(ToolSearchToolResult) = "tool_search_tool_result",
        /// The model calls an MCP tool through the API's connector.
        McpToolUse(McpToolUse) = "mcp_tool_use",
        /// The result of such a call.
        McpToolResult(McpToolResult) = "mcp_tool_result",
        /// The tools of an MCP server.
        McpToolListing(McpToolListing) = "mcp_tool_listing",
        /// A file put into the API's container.
        ContainerUpload(ContainerUpload) = "container_upload",
        /// A summary that replaces earlier messages.
        Compaction(Compaction) = "compaction",
        /// The model was replaced in mid-answer.
        Fallback(Fallback) = "fallback",
        /// A picture.
        Image(Image) = "image",
        /// A document.
        Document(Document) = "document",
        /// A search result handed to the model.
        SearchResult(SearchResult) = "search_result",
        /// A tool found by a search.
        ToolReference(ToolReference) = "tool_reference",
    }
}

object! {
    /// Text.
    #[derive(Default)]
    pub struct TextBlock {
        /// The text.
        text: String,
        /// Sources of the text.
        citations: Nullable<Vec<Raw>>,
    }
}

object! {
    /// Thinking.
    #[derive(Default)]
    pub struct ThinkingBlock {
        /// The text; empty where it is withheld.
        thinking: String,
        /// Proof that the API made it.
        signature: Option<String>,
    }
}

object! {
    /// Thinking that only the API can read.
    #[derive(Default)]
    pub struct RedactedThinking {
        /// Opaque.
        data: String,
    }
}

object! {
    /// A call of a tool that the CLI runs.
    pub struct ToolUse {
        /// Names the call; its result and its permission request carry the same id.
        id: String,
        /// The tool.
        name: String,
        /// What the model passes; see [`crate::tool::ToolInput`].
        input: Raw,
        /// Who calls, where it is not the model directly.
        caller: Option<Raw>,
        /// The set the tool comes from.
        toolset_name: Option<String>,
    }
}

object! {
    /// What a tool gave back, as the model reads it.
    pub struct ToolResult {
        /// The call.
        tool_use_id: String,
        /// Text or blocks; may be missing.
        content: Option<Content>,
        /// Whether the tool failed.
        is_error: Option<bool>,
    }
}

object! {
    /// A call of a tool that the API runs.
    pub struct ServerToolUse {
        /// Names the call.
        id: String,
        /// The tool.
        name: String,
        /// What the model passes.
        input: Raw,
    }
}

macro_rules! server_results {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        object! {
            $(#[$meta])*
            pub struct $name {
                /// The call.
                tool_use_id: String,
                /// Object or list, by tool.
                content: Raw,
            }
        }
    )*};
}

server_results! {
    /// Result of a web search.
    WebSearchToolResult,
    /// Result of a web fetch.
    WebFetchToolResult,
    /// Result of the advisor.
    AdvisorToolResult,
    /// Result of code.
    CodeExecutionToolResult,
    /// Result of a shell command.
    BashCodeExecutionToolResult,
    /// Result of an edit.
    TextEditorCodeExecutionToolResult,
    /// Result of a search for tools.
    ToolSearchToolResult,
}

object! {
    /// A call through the API's MCP connector.
    pub struct McpToolUse {
        /// Names the call.
        id: String,
        /// The tool.
        name: String,
        /// The server.
        server_name: Option<String>,
        /// What the model passes.
        input: Raw,
    }
}

object! {
    /// Result of a call through the API's MCP connector.
    pub struct McpToolResult {
        /// The call.
        tool_use_id: String,
        /// Whether the tool failed.
        is_error: Option<bool>,
        /// Text or blocks.
        content: Option<Content>,
    }
}

object! {
    /// The tools of an MCP server.
    pub struct McpToolListing {
        /// The server.
        mcp_server_name: Option<String>,
        /// Its tools.
        tools: Option<Raw>,
    }
}

object! {
    /// A file put into the API's container.
    pub struct ContainerUpload {
        /// The file.
        file_id: String,
    }
}

object! {
    /// A summary that replaces earlier messages.
    #[derive(Default)]
    pub struct Compaction {
        /// The summary.
        content: Nullable<String>,
        /// The same for the API only.
        encrypted_content: Nullable<String>,
        /// Proof that the API made it.
        signature: Option<String>,
    }
}

object! {
    /// The model was replaced in mid-answer.
    #[derive(Default)]
    pub struct Fallback {
        /// The model that began.
        from: Option<Raw>,
        /// The model that went on.
        to: Option<Raw>,
        /// Why.
        trigger: Option<Raw>,
    }
}

object! {
    /// A picture.
    pub struct Image {
        /// Where its bytes are.
        source: Source,
    }
}

object! {
    /// A document.
    pub struct Document {
        /// Where its bytes are.
        source: Source,
        /// Its title.
        title: Option<String>,
        /// What the model should know about it.
        context: Option<String>,
        /// Whether to cite it.
        citations: Option<Raw>,
    }
}

tagged! {
    /// Where the bytes of a picture or document are.
    pub enum Source by "type" {
        /// In the message.
        Base64(Base64Source) = "base64",
        /// Plain text in the message.
        Text(TextSource) = "text",
        /// Blocks in the message.
        Content(ContentSource) = "content",
        /// At an address.
        Url(UrlSource) = "url",
        /// In the API's file store.
        File(FileSource) = "file",
    }
}

object! {
    /// Bytes in the message.
    #[derive(Default)]
    pub struct Base64Source {
        /// Such as `image/png` or `application/pdf`.
        media_type: String,
        /// Base64.
        data: String,
    }
}

object! {
    /// Plain text in the message.
    #[derive(Default)]
    pub struct TextSource {
        /// `text/plain`.
        media_type: Option<String>,
        /// The text.
        data: String,
    }
}

object! {
    /// Blocks in the message.
    pub struct ContentSource {
        /// Text or blocks.
        content: Content,
    }
}

object! {
    /// An address.
    #[derive(Default)]
    pub struct UrlSource {
        /// The address.
        url: String,
    }
}

object! {
    /// A file of the API's store.
    #[derive(Default)]
    pub struct FileSource {
        /// The file.
        file_id: String,
    }
}

object! {
    /// A search result handed to the model.
    #[derive(Default)]
    pub struct SearchResult {
        /// Where it is from.
        source: Option<String>,
        /// Its title.
        title: Option<String>,
        /// Its text.
        content: Vec<Block>,
        /// Whether to cite it.
        citations: Option<Raw>,
    }
}

object! {
    /// A tool found by a search.
    #[derive(Default)]
    pub struct ToolReference {
        /// The tool.
        tool_name: String,
    }
}

/// The content of a message or of a tool result: plain text, or blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Plain text.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
}

impl Content {
    /// All text in it; blocks are joined by newlines.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts: Vec<&str> = blocks.iter().filter_map(Block::as_text).collect();
                texts.join("\n")
            }
        }
    }

    /// Its blocks; none where it is plain text.
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl Default for Content {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Blocks(vec![Block::text(text)])
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Blocks(vec![Block::text(text)])
    }
}

impl From<Vec<Block>> for Content {
    fn from(blocks: Vec<Block>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Block {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock { text: text.into(), ..TextBlock::default() })
    }

    /// A picture whose bytes are base64 in `data`.
    pub fn image(media_type: impl Into<String>, data: impl Into<String>) -> Self {
        let (media_type, data) = (media_type.into(), data.into());
        let source = Base64Source { media_type, data, ..Base64Source::default() };
        Self::Image(Image { source: source.into(), extra: Default::default() })
    }

    /// A PDF whose bytes are base64 in `data`.
    pub fn pdf(data: impl Into<String>) -> Self {
        let media_type = "application/pdf".to_owned();
        let source = Base64Source { media_type, data: data.into(), ..Base64Source::default() };
        Self::document(source.into())
    }

    /// A document of plain text.
    pub fn text_document(text: impl Into<String>) -> Self {
        let media_type = Some("text/plain".to_owned());
        let source = TextSource { media_type, data: text.into(), ..TextSource::default() };
        Self::document(source.into())
    }

    fn document(source: Source) -> Self {
        let (title, context, citations, extra) = (None, None, None, Default::default());
        Self::Document(Document { source, title, context, citations, extra })
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

deserialize!(Content);

impl Wire for Content {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        match cursor.peek()? {
            b'"' => String::read(cursor).map(Self::Text),
            _ => Vec::read(cursor).map(Self::Blocks),
        }
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Blocks(blocks) => blocks.serialize(serializer),
        }
    }
}
