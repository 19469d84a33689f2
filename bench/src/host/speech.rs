//! What a generator says, in its time.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::now;
use super::script::{Line, Mark, Plan, line, moment_uuid, words};

/// The CLI's name for the session.
pub(super) const SESSION: &str = "6b1f0a0e-53d2-4c57-9a71-0c3d3a5e1f00";
const MODEL: &str = "claude-opus-5-5";
const USAGE: &str = "{\"input_tokens\":3,\"cache_creation_input_tokens\":412,\"cache_read_input_tokens\":21874,\"output_tokens\":1,\"service_tier\":\"standard\"}";

/// What is being said.
pub(super) struct Speech {
    plan: Plan,
    since: Instant,
    next: u64,
    pieces: u64,
    /// The text of the message so far.
    text: String,
    bytes: Vec<u8>,
}

impl Speech {
    pub(super) fn new(plan: Plan) -> Self {
        let (text, bytes) = (String::new(), Vec::new());
        Self { plan, since: Instant::now(), next: 0, pieces: 0, text, bytes }
    }

    /// How long nothing is to be said; none when everything was.
    pub(super) fn wait(&self, now: Instant) -> Option<Duration> {
        if self.next >= self.plan.lines() {
            return None;
        }
        let due = Duration::from_nanos((self.next * 1_000_000_000).checked_div(self.plan.rate)?);
        Some(due.saturating_sub(now.saturating_duration_since(self.since)))
    }

    /// Whether everything was said.
    pub(super) fn is_over(&self) -> bool {
        self.next >= self.plan.lines()
    }

    /// Says it into a pipe, if it is time.
    pub(super) fn say_what_is_due(&mut self, out: &mut impl Write, now: Instant) -> io::Result<()> {
        while self.next < self.plan.lines() {
            if self.wait(now).is_some_and(|wait| !wait.is_zero()) {
                return Ok(());
            }
            self.bytes.clear();
            self.compose();
            // Past any buffer: a line is written when it is said.
            out.write_all(&self.bytes)?;
            out.flush()?;
            self.next += 1;
        }
        Ok(())
    }

    fn compose(&mut self) {
        let at = now();
        let (text, bytes) = (&mut self.text, &mut self.bytes);
        let uuid = moment_uuid(at);
        let ends = format!(",\"session_id\":\"{SESSION}\",\"uuid\":\"{uuid}\"}}\n");
        let mut event = |body: &[&str]| {
            bytes.extend_from_slice(b"{\"type\":\"stream_event\",\"event\":{");
            body.iter().for_each(|part| bytes.extend_from_slice(part.as_bytes()));
            bytes.extend_from_slice(b"},\"parent_tool_use_id\":null");
            bytes.extend_from_slice(ends.as_bytes());
        };
        let id = format!("msg_{}", self.next / super::script::MESSAGE * super::script::MESSAGE);
        match line(self.next) {
            Line::Init => bytes.extend_from_slice(format!("{{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/\",\"tools\":[\"Bash\"],\"mcp_servers\":[],\"model\":\"{MODEL}\",\"permissionMode\":\"default\",\"slash_commands\":[],\"apiKeySource\":\"none\",\"claude_code_version\":\"2.1.325\",\"output_style\":\"default\",\"agents\":[],\"skills\":[],\"plugins\":[]{ends}").as_bytes()),
            Line::MessageStart => {
                text.clear();
                event(&[&format!("\"type\":\"message_start\",\"message\":{{\"model\":\"{MODEL}\",\"id\":\"{id}\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{USAGE}}}")]);
            }
            Line::BlockStart => event(&["\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"]),
            Line::Piece => {
                let before = text.len();
                Mark { number: self.pieces, at }.add_to(text);
                for word in words(self.pieces) {
                    text.extend([" ", word]);
                }
                text.push(' ');
                self.pieces += 1;
                let piece = text.get(before..).unwrap_or_default();
                event(&["\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"", piece, "\"}"]);
            }
            Line::Assistant => bytes.extend_from_slice(format!("{{\"type\":\"assistant\",\"message\":{{\"model\":\"{MODEL}\",\"id\":\"{id}\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{USAGE}}},\"parent_tool_use_id\":null{ends}").as_bytes()),
            Line::BlockStop => event(&["\"type\":\"content_block_stop\",\"index\":0"]),
            Line::MessageDelta => event(&[&format!("\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\",\"stop_sequence\":null}},\"usage\":{USAGE}")]),
            Line::MessageStop => event(&["\"type\":\"message_stop\""]),
            Line::Result => bytes.extend_from_slice(format!("{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":4000,\"duration_api_ms\":3900,\"num_turns\":{MESSAGES},\"result\":\"done\",\"stop_reason\":\"end_turn\",\"total_cost_usd\":0.01,\"usage\":{USAGE},\"modelUsage\":{{}},\"permission_denials\":[]{ends}", MESSAGES = super::script::MESSAGES).as_bytes()),
        }
    }
}
