//! The script language: what the model answers, written into the prompt that asks for it.
//!
//! A script begins at a line that is exactly `#script` and ends at a line `#end` or with the text.
//! It is a list of *replies* separated by lines `---`; inside a reply there is one directive per
//! line. Blank lines and lines that begin with `//` are skipped.
//!
//! ```text
//! say TEXT            a text block: the rest of the line, or a JSON string if it begins with a
//!                     quote
//! think TEXT          a thinking block
//! more TEXT           goes on with the block before it, which stays open across a `hold`, `pace` or
//!                     `cut` between them
//! redacted            a redacted_thinking block
//! tool NAME JSON      a tool_use block; several in a reply are parallel calls
//! server_tool NAME JSON RESULT   a server_tool_use block and the block with its result
//! stop REASON         overrides the stop reason (otherwise tool_use or end_turn, whichever fits)
//! usage IN OUT [CACHE_CREATION CACHE_READ]
//! model NAME          reports NAME as the model
//! chunk N             from here on split deltas in pieces of N characters
//! pace MS             from here on wait MS milliseconds between stream events
//! hold NAME           stop here until the test releases NAME
//! error STATUS [xN] [TYPE] [retry-after=SECONDS] [message=REST OF LINE]
//!                     fail the request here, N times (once if not given), then pass
//! cut [xN]            close the connection here, N times (once if not given), then pass
//! ```
//!
//! After a line `--- refused` stands the reply that ends the conversation when a call was refused; the
//! replies before it suppose that all went well. Only the simulated CLI heeds it.
//!
//! A reply that holds nothing but errors and cuts belongs to the one after it: the request that
//! failed is tried again, and its position in the conversation is still the same.
//!
//! This module knows neither a runtime nor a network.

use std::time::Duration;

use serde_json::Value;

mod parse;

pub use parse::ScriptError;

/// What the model answers, request by request.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// One entry for each request that reaches the end of its reply.
    pub replies: Vec<Reply>,
    /// What is said instead of the rest when a call was refused.
    pub refused: Option<Reply>,
    /// The lines it was read from; tells scripts apart where something has to be counted for each.
    pub source: String,
}

/// One answer of the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reply {
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// Replaces the stop reason that the blocks imply.
    pub stop: Option<String>,
    /// Replaces the made-up token counts.
    pub usage: Option<Usage>,
    /// Replaces the model that was asked for.
    pub model: Option<String>,
}

/// One thing that happens in a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A text block.
    Say(String),
    /// A thinking block.
    Think(String),
    /// More text for the `Say` or `Think` before it.
    More(String),
    /// A thinking block that the API has encrypted.
    Redacted,
    /// A tool call that the CLI has to run.
    Tool {
        /// The tool's name.
        name: String,
        /// Its input.
        input: Value,
    },
    /// A tool call that the API runs itself, with what came of it.
    ServerTool {
        /// The tool's name, such as `web_search`.
        name: String,
        /// Its input.
        input: Value,
        /// The `content` of its result block.
        result: Value,
    },
    /// From here on deltas have at most this many characters.
    Chunk(usize),
    /// From here on this much time passes between two stream events.
    Pace(Duration),
    /// Nothing more until the test releases this name.
    Hold(String),
    /// The request fails here.
    Error(ApiError),
    /// The connection is closed here.
    Cut {
        /// How many requests it happens to before one passes.
        times: u32,
    },
}

impl Step {
    /// Whether this step is (or continues) a block of the message.
    pub fn is_content(&self) -> bool {
        match self {
            Self::Say(_) | Self::Think(_) | Self::More(_) | Self::Redacted => true,
            Self::Tool { .. } | Self::ServerTool { .. } => true,
            Self::Chunk(_) | Self::Pace(_) | Self::Hold(_) | Self::Error(_) | Self::Cut { .. } => {
                false
            }
        }
    }
}

/// Token counts of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// `input_tokens`.
    pub input: u64,
    /// `output_tokens`.
    pub output: u64,
    /// `cache_creation_input_tokens`.
    pub cache_creation: u64,
    /// `cache_read_input_tokens`.
    pub cache_read: u64,
}

/// An error of the Messages API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// How many requests fail before one passes.
    pub times: u32,
    /// `error.type`.
    pub kind: String,
    /// `error.message`.
    pub message: String,
    /// The `retry-after` header, as written in the script.
    pub retry_after: Option<String>,
}

impl ApiError {
    /// An error which every request runs into, of the type that goes with `status`.
    pub fn always(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            times: u32::MAX,
            kind: parse::error_type(status).to_owned(),
            message: message.into(),
            retry_after: None,
        }
    }

    /// The body that the API sends with it.
    pub fn body(&self, request_id: &str) -> Value {
        serde_json::json!({
            "type": "error",
            "error": {"type": self.kind, "message": self.message},
            "request_id": request_id,
        })
    }
}

impl Script {
    /// The last script in `text`, if there is one.
    ///
    /// A script with a mistake in it becomes one that answers every request with status 400 and
    /// says what is wrong, so that a typo fails the test which made it and says why.
    pub fn find(text: &str) -> Option<Self> {
        let mut body: Option<Vec<&str>> = None;
        let mut open = false;
        for line in text.lines() {
            match (line.trim_end(), &mut body) {
                ("#script", _) => {
                    body = Some(Vec::new());
                    open = true;
                }
                ("#end", _) => open = false,
                (_, Some(lines)) if open => lines.push(line),
                _ => {}
            }
        }
        let source = body?.join("\n");
        Some(Self::parse(&source).unwrap_or_else(|fault| Self {
            replies: vec![Reply {
                steps: vec![Step::Error(ApiError::always(
                    400,
                    format!("mistake in the test's script: {fault}"),
                ))],
                ..Reply::default()
            }],
            refused: None,
            source,
        }))
    }

    /// Reads a script that stands by itself, such as a file. The `#script` and `#end` lines may be
    /// left out.
    pub fn parse(source: &str) -> Result<Self, ScriptError> {
        let (replies, refused) = parse::replies(source)?;
        Ok(Self { replies, refused, source: source.to_owned() })
    }
}
