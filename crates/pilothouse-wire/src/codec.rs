//! One line to one value, and back.
//!
//! [`decode`] is total: every line of bytes gives an [`Inbound`]. JSON of a kind that is not known is
//! `Unknown`, a line that is not JSON is [`Inbound::NotJson`]; neither ends the stream.

use bytes::Bytes;
use serde::Serialize;

use crate::control::{ControlCancel, ControlRequest, ControlResponse, HostControlRequest};
use crate::field::Wire;
use crate::json::Cursor;
use crate::message::*;
use crate::raw::Raw;

tagged! {
    /// A line that the CLI wrote.
    pub enum Inbound by "type" {
        /// A piece of the model's answer.
        StreamEvent(StreamFrame) = "stream_event",
        /// Finished blocks of the model's answer.
        Assistant(Box<AssistantFrame>) = "assistant",
        /// Tool results, and what is said in the user's place.
        User(Box<UserFrame>) = "user",
        /// State of the session.
        System(System) = "system",
        /// The end of a turn.
        Result(Box<ResultFrame>) = "result",
        /// A request that the host must answer.
        ControlRequest(ControlRequest) = "control_request",
        /// The answer to a request of the host's.
        ControlResponse(Box<ControlResponse>) = "control_response",
        /// A request is withdrawn.
        ControlCancel(ControlCancel) = "control_cancel_request",
        /// A tool is still running.
        ToolProgress(ToolProgress) = "tool_progress",
        /// The preceding tool calls in one line.
        ToolUseSummary(ToolUseSummary) = "tool_use_summary",
        /// The plan's limits have changed.
        RateLimitEvent(Box<RateLimitEvent>) = "rate_limit_event",
        /// A login goes on.
        AuthStatus(AuthStatus) = "auth_status",
        /// What the user may want to say next.
        PromptSuggestion(PromptSuggestion) = "prompt_suggestion",
        /// The transcript was discarded.
        ConversationReset(ConversationReset) = "conversation_reset",
        /// What has become of a prompt.
        CommandLifecycle(CommandLifecycle) = "command_lifecycle",
        /// The goal of `/goal`.
        ActiveGoal(ActiveGoal) = "active_goal",
        /// Alive.
        KeepAlive(KeepAlive) = "keep_alive",
        /// What was written to the transcript.
        TranscriptMirror(TranscriptMirror) = "transcript_mirror",
        /// State of automatic compaction.
        AutocompactState(AutocompactState) = "autocompact_state",
        /// An error envelope of the API.
        Error(ErrorFrame) = "error",
    } else {
        /// A line that is not JSON, such as a debug print; see [`Frame::raw`].
        NotJson
    }
}

/// A line with what it says.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The line as it came, without its newline.
    pub raw: Bytes,
    /// What it says.
    pub message: Inbound,
}

impl Frame {
    /// Decodes a line.
    pub fn decode(raw: Bytes) -> Self {
        let message = decode(&raw);
        Self { raw, message }
    }
}

/// Decodes a line. Bytes that are not UTF-8 are read as U+FFFD.
pub fn decode(line: &[u8]) -> Inbound {
    match simdutf8::basic::from_utf8(line) {
        Ok(text) => decode_text(text),
        Err(_) => decode_text(&String::from_utf8_lossy(line)),
    }
}

fn decode_text(text: &str) -> Inbound {
    let mut cursor = Cursor::new(text);
    match Inbound::read(&mut cursor) {
        Some(message) if cursor.is_at_end() => message,
        _ => Inbound::NotJson,
    }
}

impl Inbound {
    /// Reads a JSON value as a line would be read.
    pub fn of(raw: &Raw) -> Option<Self> {
        raw.read()
    }

    /// Whether everything in it is of a kind that this version of the crate knows.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Unknown(_) | Self::NotJson | Self::System(System::Unknown(_)) => false,
            Self::StreamEvent(frame) => match &frame.event {
                StreamEvent::ContentBlockDelta(delta) => !matches!(delta.delta, Delta::Unknown(_)),
                event => !matches!(event, StreamEvent::Unknown(_)),
            },
            Self::ControlRequest(request) => {
                !matches!(request.request, crate::control::CliRequest::Unknown(_))
            }
            Self::Assistant(frame) => frame.message.content.iter().all(is_known_block),
            Self::User(frame) => frame.message.content.blocks().iter().all(is_known_block),
            _ => true,
        }
    }
}

fn is_known_block(block: &crate::block::Block) -> bool {
    !matches!(block, crate::block::Block::Unknown(_))
}

tagged! {
    /// A line for the CLI.
    pub enum Outbound by "type" {
        /// A prompt.
        User(Box<UserFrame>) = "user",
        /// A request.
        ControlRequest(Box<HostControlRequest>) = "control_request",
        /// An answer.
        ControlResponse(Box<ControlResponse>) = "control_response",
        /// A request is withdrawn.
        ControlCancel(ControlCancel) = "control_cancel_request",
        /// Alive.
        KeepAlive(KeepAlive) = "keep_alive",
        /// Sets variables in the CLI. Kills CLIs as old as 2.1.7.
        UpdateEnvironment(UpdateEnvironment) = "update_environment_variables",
    }
}

object! {
    /// Sets variables in the CLI.
    #[derive(Default)]
    pub struct UpdateEnvironment {
        /// The variables.
        variables: std::collections::BTreeMap<String, String>,
    }
}

/// A whole line for the CLI, with its newline.
pub fn encode(message: &Outbound) -> Result<Vec<u8>, serde_json::Error> {
    encode_line(message)
}

/// Any value as a whole line: one JSON text, no newline in it but the last.
pub fn encode_line<T: Serialize + ?Sized>(message: &T) -> Result<Vec<u8>, serde_json::Error> {
    // Raw values keep the line breaks they were written with; on the wire a line is one line.
    let mut line = serde_json::to_vec(message)?;
    if line.contains(&b'\n') || line.contains(&b'\r') {
        for byte in &mut line {
            // Inside a string a line break is always escaped, so this one is only space.
            if matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    line.push(b'\n');
    Ok(line)
}
