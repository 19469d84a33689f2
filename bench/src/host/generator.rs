//! The CLI's side of a session, as cheap as it can be: one thread, one `poll`, one `write` per line.
//!
//! Answers every control request, and speaks according to the [`Plan`] in the first prompt. A line
//! that is late is written at once and bears the moment at which it was written: what the machine
//! takes away from the generator is not counted against who reads it. Ends with its stdin.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;

use super::now;
use super::script::{Line, Mark, Plan, line, moment_uuid, words};
use crate::handshake::reply;

const SESSION: &str = "6b1f0a0e-53d2-4c57-9a71-0c3d3a5e1f00";
const MODEL: &str = "claude-opus-5-5";
const USAGE: &str = "{\"input_tokens\":3,\"cache_creation_input_tokens\":412,\"cache_read_input_tokens\":21874,\"output_tokens\":1,\"service_tier\":\"standard\"}";

/// Speaks until stdin ends.
pub fn run() -> io::Result<()> {
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let mut heard = Vec::new();
    let mut room = [0; 8192];
    let mut speech: Option<Speech> = None;
    loop {
        let wait = speech.as_ref().and_then(Speech::wait);
        if is_readable(wait)? {
            let count = stdin.read(&mut room)?;
            if count == 0 {
                return Ok(());
            }
            heard.extend_from_slice(room.get(..count).unwrap_or_default());
            while let Some(end) = heard.iter().position(|byte| *byte == b'\n') {
                let said: Vec<u8> = heard.drain(..=end).collect();
                if let Some(plan) = obey(&said, &mut stdout)? {
                    speech.get_or_insert_with(|| Speech::new(plan));
                }
            }
        }
        if let Some(speech) = &mut speech {
            speech.say_what_is_due(&mut stdout)?;
        }
    }
}

fn is_readable(wait: Option<Duration>) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut fds = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
    let wait = wait.map(|wait| Timespec {
        tv_sec: i64::try_from(wait.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(wait.subsec_nanos()),
    });
    match poll(&mut fds, wait.as_ref()) {
        Err(rustix::io::Errno::INTR) => Ok(false),
        polled => Ok(polled? > 0),
    }
}

/// Answers a request, echoes a prompt; gives the plan of a prompt.
fn obey(said: &[u8], out: &mut impl Write) -> io::Result<Option<Plan>> {
    let Ok(mut message) = serde_json::from_slice::<Value>(said) else { return Ok(None) };
    match message.get("type").and_then(Value::as_str) {
        Some("control_request") => {
            write_line(out, &reply(&message))?;
            Ok(None)
        }
        Some("user") => {
            let plan = Plan::find(&String::from_utf8_lossy(said));
            if let Some(fields) = message.as_object_mut() {
                fields.insert("session_id".into(), SESSION.into());
                fields.insert("isReplay".into(), true.into());
            }
            write_line(out, &message)?;
            Ok(plan)
        }
        _ => Ok(None),
    }
}

fn write_line(out: &mut impl Write, message: &Value) -> io::Result<()> {
    out.write_all(format!("{message}\n").as_bytes())?;
    out.flush()
}

/// What is being said.
struct Speech {
    plan: Plan,
    since: Instant,
    next: u64,
    pieces: u64,
    /// The text of the message so far.
    text: String,
    bytes: Vec<u8>,
}

impl Speech {
    fn new(plan: Plan) -> Self {
        let (text, bytes) = (String::new(), Vec::new());
        Self { plan, since: Instant::now(), next: 0, pieces: 0, text, bytes }
    }

    /// How long nothing is to be said; none when everything was.
    fn wait(&self) -> Option<Duration> {
        if self.next >= self.plan.lines() {
            return None;
        }
        let due = Duration::from_nanos((self.next * 1_000_000_000).checked_div(self.plan.rate)?);
        Some(due.saturating_sub(self.since.elapsed()))
    }

    fn say_what_is_due(&mut self, out: &mut impl Write) -> io::Result<()> {
        while self.next < self.plan.lines() {
            if self.wait().is_some_and(|wait| !wait.is_zero()) {
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
        let mut event = |body: &str| {
            bytes.extend_from_slice(b"{\"type\":\"stream_event\",\"event\":{");
            bytes.extend_from_slice(body.as_bytes());
            bytes.extend_from_slice(b"},\"parent_tool_use_id\":null");
            bytes.extend_from_slice(ends.as_bytes());
        };
        let id = format!("msg_{}", self.next / super::script::MESSAGE * super::script::MESSAGE);
        match line(self.next) {
            Line::Init => bytes.extend_from_slice(format!("{{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/\",\"tools\":[\"Bash\"],\"mcp_servers\":[],\"model\":\"{MODEL}\",\"permissionMode\":\"default\",\"slash_commands\":[],\"apiKeySource\":\"none\",\"claude_code_version\":\"2.1.325\",\"output_style\":\"default\",\"agents\":[],\"skills\":[],\"plugins\":[]{ends}").as_bytes()),
            Line::MessageStart => {
                text.clear();
                event(&format!("\"type\":\"message_start\",\"message\":{{\"model\":\"{MODEL}\",\"id\":\"{id}\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{USAGE}}}"));
            }
            Line::BlockStart => event("\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
            Line::Piece => {
                let [one, two] = words(self.pieces);
                let piece = format!("{} {one} {two} ", Mark { number: self.pieces, at }.text());
                self.pieces += 1;
                text.push_str(&piece);
                event(&format!("\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"text_delta\",\"text\":\"{piece}\"}}"));
            }
            Line::Assistant => bytes.extend_from_slice(format!("{{\"type\":\"assistant\",\"message\":{{\"model\":\"{MODEL}\",\"id\":\"{id}\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{USAGE}}},\"parent_tool_use_id\":null{ends}").as_bytes()),
            Line::BlockStop => event("\"type\":\"content_block_stop\",\"index\":0"),
            Line::MessageDelta => event(&format!("\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\",\"stop_sequence\":null}},\"usage\":{USAGE}")),
            Line::MessageStop => event("\"type\":\"message_stop\""),
            Line::Result => bytes.extend_from_slice(format!("{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":4000,\"duration_api_ms\":3900,\"num_turns\":{MESSAGES},\"result\":\"done\",\"stop_reason\":\"end_turn\",\"total_cost_usd\":0.01,\"usage\":{USAGE},\"modelUsage\":{{}},\"permission_denials\":[]{ends}", MESSAGES = super::script::MESSAGES).as_bytes()),
        }
    }
}
