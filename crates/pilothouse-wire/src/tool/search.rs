//! Finding things: `Glob`, `Grep`, `LSP`, `ToolSearch`, `WebFetch`, `WebSearch`.

use serde::{Serialize, Serializer};

use crate::field::Wire;
use crate::json::Cursor;
use crate::raw::{Num, Raw};
use crate::tool::file::ArtifactVersion;

object! {
    /// Input of `Glob`.
    #[derive(Default)]
    pub struct GlobInput {
        /// The pattern.
        pattern: String,
        /// Where to look.
        path: Option<String>,
    }
}

object! {
    /// Output of `Glob`.
    #[derive(Default)]
    pub struct GlobOutput {
        /// The files.
        filenames: Vec<String>,
        /// How many.
        num_files as "numFiles": Option<u64>,
        /// How long it took.
        duration_ms as "durationMs": Option<Num>,
        /// Whether there are more.
        truncated: Option<bool>,
        /// How many match.
        total_matches as "totalMatches": Option<u64>,
        /// Whether all were counted.
        count_is_complete as "countIsComplete": Option<bool>,
        /// Whether it took too long.
        timed_out as "timedOut": Option<bool>,
    }
}

object! {
    /// Input of `Grep`.
    #[derive(Default)]
    pub struct GrepInput {
        /// The regular expression.
        pattern: String,
        /// Where to look.
        path: Option<String>,
        /// In which files.
        glob: Option<String>,
        /// In which kind of files.
        file_type as "type": Option<String>,
        /// What to show; files where absent.
        output_mode: Option<GrepMode>,
        /// Lines after a match.
        after as "-A": Option<u64>,
        /// Lines before a match.
        before as "-B": Option<u64>,
        /// Lines around a match.
        around as "-C": Option<u64>,
        /// Lines around a match.
        context: Option<u64>,
        /// Whether to number lines.
        line_numbers as "-n": Option<bool>,
        /// Whether case does not matter.
        ignore_case as "-i": Option<bool>,
        /// Whether to show only what matches.
        only_matching as "-o": Option<bool>,
        /// Whether a match may span lines.
        multiline: Option<bool>,
        /// How much to show.
        head_limit: Option<u64>,
        /// How much to skip.
        offset: Option<u64>,
    }
}

words! {
    /// What `Grep` shows.
    pub enum GrepMode {
        Content = "content",
        FilesWithMatches = "files_with_matches",
        Count = "count",
    }
}

object! {
    /// Output of `Grep`.
    #[derive(Default)]
    pub struct GrepOutput {
        /// What is shown.
        mode: Option<GrepMode>,
        /// How many files.
        num_files as "numFiles": Option<u64>,
        /// The files.
        filenames: Vec<String>,
        /// The lines.
        content: Option<String>,
        /// How many lines.
        num_lines as "numLines": Option<u64>,
        /// How many matches.
        num_matches as "numMatches": Option<u64>,
        /// How many files match.
        total_files as "totalFiles": Option<u64>,
        /// How many lines match.
        total_lines as "totalLines": Option<u64>,
        /// Cut off here.
        applied_limit as "appliedLimit": Option<u64>,
        /// This much was skipped.
        applied_offset as "appliedOffset": Option<u64>,
        /// Whether it took too long.
        timed_out as "timedOut": Option<bool>,
    }
}

object! {
    /// Input of `LSP`: a question to the language server.
    #[derive(Default)]
    pub struct LspInput {
        /// `goToDefinition`, `findReferences`, `hover`, `documentSymbol` …
        operation: String,
        /// The file.
        file_path as "filePath": Option<String>,
        /// The line, from 1.
        line: Option<u64>,
        /// The character, from 1.
        character: Option<u64>,
    }
}

object! {
    /// Output of `LSP`.
    #[derive(Default)]
    pub struct LspOutput {
        /// What was asked.
        operation: String,
        /// The answer.
        result: Option<String>,
        /// The file.
        file_path as "filePath": Option<String>,
        /// How many results.
        result_count as "resultCount": Option<u64>,
        /// In how many files.
        file_count as "fileCount": Option<u64>,
    }
}

object! {
    /// Input of `ToolSearch`: looks for tools that are not loaded yet.
    #[derive(Default)]
    pub struct ToolSearchInput {
        /// Words, or `select:` and names.
        query: String,
        /// How many at most.
        max_results: Option<u64>,
    }
}

object! {
    /// Output of `ToolSearch`.
    #[derive(Default)]
    pub struct ToolSearchOutput {
        /// The tools.
        matches: Vec<String>,
        /// What was looked for.
        query: Option<String>,
        /// Among how many.
        total_deferred_tools: Option<u64>,
        /// Servers that are still connecting.
        pending_mcp_servers: Vec<String>,
        /// Servers that could not be reached.
        failed_mcp_servers: Vec<Raw>,
    }
}

object! {
    /// Input of `WebFetch`.
    #[derive(Default)]
    pub struct WebFetchInput {
        /// The page.
        url: String,
        /// What to find out from it.
        prompt: Option<String>,
        /// Where to begin.
        offset: Option<u64>,
    }
}

object! {
    /// Output of `WebFetch`.
    #[derive(Default)]
    pub struct WebFetchOutput {
        /// The page.
        url: Option<String>,
        /// Its size.
        bytes: Option<u64>,
        /// HTTP status.
        code: Option<u64>,
        /// HTTP status in words.
        code_text as "codeText": Option<String>,
        /// What was found out.
        result: String,
        /// How long it took.
        duration_ms as "durationMs": Option<Num>,
        /// Where the page was an artifact.
        artifact_read as "artifactRead": Option<ArtifactVersion>,
    }
}

object! {
    /// Input of `WebSearch`.
    #[derive(Default)]
    pub struct WebSearchInput {
        /// What to look for.
        query: String,
        /// Only here.
        allowed_domains: Vec<String>,
        /// Not here.
        blocked_domains: Vec<String>,
    }
}

object! {
    /// Output of `WebSearch`.
    #[derive(Default)]
    pub struct WebSearchOutput {
        /// What was looked for.
        query: String,
        /// Hits and what the model said about them, in order.
        results: Vec<WebSearchItem>,
        /// How long it took.
        duration_seconds as "durationSeconds": Option<Num>,
        /// How many searches it took.
        search_count as "searchCount": Option<u64>,
    }
}

/// A piece of the outcome of a web search.
#[derive(Clone, Debug, PartialEq)]
pub enum WebSearchItem {
    /// What one search found.
    Hits(WebSearchHits),
    /// Text between searches.
    Text(String),
    /// Something else, whole.
    Other(Raw),
}

impl Wire for WebSearchItem {
    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        <Raw as Wire>::read(cursor).map(Self::of)
    }
}

impl WebSearchItem {
    fn of(raw: Raw) -> Self {
        if let Some(text) = raw.read() {
            return Self::Text(text);
        }
        match raw.read() {
            Some(hits) => Self::Hits(hits),
            None => Self::Other(raw),
        }
    }
}

impl Serialize for WebSearchItem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Hits(hits) => hits.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
            Self::Other(raw) => raw.serialize(serializer),
        }
    }
}

object! {
    /// What one search found.
    #[derive(Default)]
    pub struct WebSearchHits {
        /// The search.
        tool_use_id: String,
        /// The pages.
        content: Vec<WebSearchHit>,
    }
}

object! {
    /// A page that was found.
    #[derive(Default)]
    pub struct WebSearchHit {
        /// Its title.
        title: Option<String>,
        /// Its address.
        url: String,
        /// A piece of it.
        snippet: Option<String>,
    }
}
