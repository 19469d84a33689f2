//! A scripted reply in the words of the Messages API: the complete message, and the events that
//! stream it.
//!
//! Pure: waiting, holding and failing are named in the list of [`Emission`]s and carried out by
//! whoever sends it, be it the scripted model or a simulated CLI.

use std::time::Duration;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::script::{ApiError, Reply, Step, Usage};

/// Characters of a delta when the script does not say.
const CHUNK: usize = 16;

/// What the model says when nobody told it what to say.
pub const DEFAULT_TEXT: &str = "Nothing scripted.";

/// One thing to do while an answer is sent.
#[derive(Debug, Clone, PartialEq)]
pub enum Emission {
    /// Send this stream event; its `type` is the event's name.
    Event(Value),
    /// Let this much time pass.
    Pause(Duration),
    /// Go on when this name has been released.
    Hold(String),
    /// Fail, unless that has happened often enough ([`ApiError::times`]).
    Fail(ApiError),
    /// Close the connection, unless that has happened often enough.
    Cut {
        /// How many requests it happens to.
        times: u32,
    },
}

/// An answer ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The message as a request without streaming gets it.
    pub message: Value,
    /// What to do before the first event: holds and errors that stand before the first block.
    pub before: Vec<Emission>,
    /// The stream, from `message_start` to `message_stop`.
    pub stream: Vec<Emission>,
}

impl Answer {
    /// An answer that says one short sentence.
    pub fn text(text: &str, model: &str) -> Self {
        let reply = Reply { steps: vec![Step::Say(text.to_owned())], ..Reply::default() };
        Self::new(&reply, model, str::to_owned)
    }

    /// The answer that `reply` describes to a request for `model`.
    ///
    /// `tool_name` says what a tool of the script is called in this conversation.
    pub fn new(reply: &Reply, model: &str, tool_name: impl Fn(&str) -> String) -> Self {
        let lead = reply
            .steps
            .iter()
            .position(|step| step.is_content() || matches!(step, Step::Cut { .. }))
            .unwrap_or(reply.steps.len());
        let silent = !reply.steps.iter().any(Step::is_content) && reply.stop.is_none();
        let mut writer = Writer::default();
        for step in &reply.steps[..lead] {
            writer.step(step, &[], &tool_name);
        }
        let before = std::mem::take(&mut writer.out);
        for (index, step) in reply.steps.iter().enumerate().skip(lead) {
            writer.step(step, &reply.steps[index + 1..], &tool_name);
        }
        if silent {
            writer.step(&Step::Say(DEFAULT_TEXT.to_owned()), &[], &tool_name);
        }
        writer.close();
        writer.finish(reply, model, before)
    }
}

#[derive(Default)]
struct Writer {
    out: Vec<Emission>,
    blocks: Vec<Value>,
    /// The last block has been started and not stopped.
    open: bool,
    chunk: Option<usize>,
    pace: Option<Duration>,
}

impl Writer {
    fn event(&mut self, event: Value) {
        if let Some(pace) = self.pace {
            self.out.push(Emission::Pause(pace));
        }
        self.out.push(Emission::Event(event));
    }

    fn step(&mut self, step: &Step, rest: &[Step], tool_name: &impl Fn(&str) -> String) {
        match step {
            Step::Say(text) => {
                self.start(json!({"type": "text", "text": ""}));
                self.extend("text", text);
            }
            Step::Think(text) => {
                self.start(json!({"type": "thinking", "thinking": "", "signature": ""}));
                self.extend("thinking", text);
            }
            Step::More(text) => {
                let field = match self.blocks.last() {
                    Some(block) if block["type"] == "thinking" => "thinking",
                    _ => "text",
                };
                self.extend(field, text);
            }
            Step::Redacted => self.start(json!({
                "type": "redacted_thinking",
                "data": "c2NyaXB0ZWQgcmVkYWN0ZWQgdGhpbmtpbmc=",
            })),
            Step::Tool { name, input } => {
                self.tool("tool_use", "toolu", &tool_name(name), input);
            }
            Step::ServerTool { name, input, result } => {
                let id = self.tool("server_tool_use", "srvtoolu", name, input);
                self.start(json!({
                    "type": format!("{name}_tool_result"),
                    "tool_use_id": id,
                    "content": result,
                }));
            }
            Step::Chunk(size) => self.chunk = Some(*size),
            Step::Pace(pace) => self.pace = Some(*pace),
            Step::Hold(name) => self.interlude(Emission::Hold(name.clone()), rest),
            Step::Error(error) => self.interlude(Emission::Fail(error.clone()), rest),
            Step::Cut { times } => self.interlude(Emission::Cut { times: *times }, rest),
        }
    }

    /// Something between two blocks, or in the middle of one if the script goes on with it
    /// afterwards.
    fn interlude(&mut self, emission: Emission, rest: &[Step]) {
        let goes_on = rest.iter().find(|step| step.is_content());
        if !matches!(goes_on, Some(Step::More(_))) {
            self.close();
        }
        self.out.push(emission);
    }

    fn start(&mut self, block: Value) {
        self.close();
        let index = self.blocks.len();
        self.event(json!({"type": "content_block_start", "index": index, "content_block": block}));
        self.blocks.push(block);
        self.open = true;
    }

    fn tool(&mut self, kind: &str, prefix: &str, name: &str, input: &Value) -> String {
        let id = fresh(prefix);
        self.start(json!({"type": kind, "id": id, "name": name, "input": {}}));
        let text = input.to_string();
        for piece in pieces(&text, self.chunk.unwrap_or(CHUNK)) {
            self.delta(json!({"type": "input_json_delta", "partial_json": piece}));
        }
        self.set("input", input.clone());
        id
    }

    fn extend(&mut self, field: &str, text: &str) {
        for piece in pieces(text, self.chunk.unwrap_or(CHUNK)) {
            self.delta(json!({"type": format!("{field}_delta"), field: piece}));
        }
        let before = self.blocks.last().and_then(|block| block[field].as_str());
        let whole = format!("{}{text}", before.unwrap_or_default());
        self.set(field, Value::String(whole));
    }

    fn set(&mut self, field: &str, value: Value) {
        if let Some(block) = self.blocks.last_mut() {
            block[field] = value;
        }
    }

    fn delta(&mut self, delta: Value) {
        let index = self.blocks.len().saturating_sub(1);
        self.event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
    }

    fn close(&mut self) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        if self.blocks.last().is_some_and(|block| block["type"] == "thinking") {
            let signature = "c2NyaXB0ZWQgc2lnbmF0dXJl";
            self.delta(json!({"type": "signature_delta", "signature": signature}));
            self.set("signature", json!(signature));
        }
        let index = self.blocks.len().saturating_sub(1);
        self.event(json!({"type": "content_block_stop", "index": index}));
    }

    fn finish(mut self, reply: &Reply, model: &str, before: Vec<Emission>) -> Answer {
        let calls = self.blocks.iter().any(|block| block["type"] == "tool_use");
        let stop = match (&reply.stop, calls) {
            (Some(reason), _) => reason.as_str(),
            (None, true) => "tool_use",
            (None, false) => "end_turn",
        };
        let usage = reply.usage.unwrap_or(Usage {
            input: 100,
            output: 20,
            cache_creation: 0,
            cache_read: 0,
        });
        let mut message = json!({
            "id": fresh("msg"),
            "type": "message",
            "role": "assistant",
            "model": reply.model.as_deref().unwrap_or(model),
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": counts(usage, 1.min(usage.output)),
        });
        let mut stream = vec![
            Emission::Event(json!({"type": "message_start", "message": message})),
            Emission::Event(json!({"type": "ping"})),
        ];
        let end = json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": null},
            "usage": counts(usage, usage.output),
        });
        self.event(end);
        self.event(json!({"type": "message_stop"}));
        stream.append(&mut self.out);
        message["content"] = Value::Array(self.blocks);
        message["stop_reason"] = json!(stop);
        message["usage"] = counts(usage, usage.output);
        Answer { message, before, stream }
    }
}

fn counts(usage: Usage, output: u64) -> Value {
    let mut counts = Map::new();
    counts.insert("input_tokens".to_owned(), json!(usage.input));
    counts.insert("cache_creation_input_tokens".to_owned(), json!(usage.cache_creation));
    counts.insert("cache_read_input_tokens".to_owned(), json!(usage.cache_read));
    counts.insert("output_tokens".to_owned(), json!(output));
    counts.insert("service_tier".to_owned(), json!("standard"));
    Value::Object(counts)
}

/// An id as the API makes them. The CLI tells messages apart by them, across restarts too, so they
/// must never repeat.
pub fn fresh(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::new_v4().simple())
}

fn pieces(text: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(size.max(1)).map(|chunk| chunk.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::Script;

    fn answer(source: &str) -> Answer {
        let script = Script::parse(source).unwrap();
        Answer::new(&script.replies[0], "asked", str::to_owned)
    }

    /// The stream in short: event names with what distinguishes them.
    fn outline(emissions: &[Emission]) -> Vec<String> {
        let line = |emission: &Emission| match emission {
            Emission::Event(event) => match event["type"].as_str().unwrap() {
                "content_block_start" => format!("start {}", event["content_block"]["type"]),
                "content_block_delta" => format!("delta {}", event["delta"]["type"]),
                name => name.to_owned(),
            },
            Emission::Pause(pause) => format!("pause {}", pause.as_millis()),
            Emission::Hold(name) => format!("hold {name}"),
            Emission::Fail(error) => format!("fail {}", error.status),
            Emission::Cut { .. } => "cut".to_owned(),
        };
        emissions.iter().map(|emission| line(emission).replace('"', "")).collect()
    }

    #[test]
    fn blocks_are_streamed_in_order_and_collected() {
        let answer = answer("think hm\nsay 12345678901234567\ntool Bash {\"command\":\"ls -l\"}");
        assert_eq!(
            outline(&answer.stream),
            [
                "message_start",
                "ping",
                "start thinking",
                "delta thinking_delta",
                "delta signature_delta",
                "content_block_stop",
                "start text",
                "delta text_delta",
                "delta text_delta",
                "content_block_stop",
                "start tool_use",
                "delta input_json_delta",
                "delta input_json_delta",
                "content_block_stop",
                "message_delta",
                "message_stop",
            ]
        );
        let message = &answer.message;
        assert_eq!(message["model"], "asked");
        assert_eq!(message["stop_reason"], "tool_use");
        assert_eq!(message["content"][0]["thinking"], "hm");
        assert_eq!(message["content"][1]["text"], "12345678901234567");
        assert_eq!(message["content"][2]["input"]["command"], "ls -l");
    }

    #[test]
    fn a_block_stays_open_only_if_the_script_goes_on_with_it() {
        let body = |source| {
            let stream = outline(&answer(source).stream);
            stream[2..stream.len() - 2].join(", ")
        };
        assert_eq!(
            body("say a\nhold h\nmore b"),
            "start text, delta text_delta, hold h, delta text_delta, content_block_stop"
        );
        assert_eq!(
            body("say a\nhold h\nsay b"),
            "start text, delta text_delta, content_block_stop, hold h, \
             start text, delta text_delta, content_block_stop"
        );
        assert_eq!(body("say a\ncut\nmore b").split(", ").nth(2), Some("cut"));
        assert_eq!(answer("say a\nhold h\nmore b").message["content"][0]["text"], "ab");
    }

    #[test]
    fn what_stands_before_the_first_block_comes_before_the_first_event() {
        let answer = answer("error 529\nhold h\nsay a");
        assert_eq!(outline(&answer.before), ["fail 529", "hold h"]);
        assert_eq!(outline(&answer.stream)[0], "message_start");
    }

    #[test]
    fn a_reply_without_blocks_still_says_something_unless_it_stops() {
        let silent = answer("error 500").message;
        assert_eq!(silent["content"][0]["text"], DEFAULT_TEXT);
        let stopped = answer("stop refusal").message;
        assert_eq!(stopped["content"], json!([]));
        assert_eq!(stopped["stop_reason"], "refusal");
    }

    #[test]
    fn server_tools_bring_their_result() {
        let message = answer("server_tool web_search {\"query\":\"q\"} []").message;
        let blocks = &message["content"];
        assert_eq!(blocks[0]["type"], "server_tool_use");
        assert_eq!(blocks[1]["type"], "web_search_tool_result");
        assert_eq!(blocks[0]["id"], blocks[1]["tool_use_id"]);
        assert_eq!(message["stop_reason"], "end_turn");
    }

    #[test]
    fn pace_and_chunk_apply_from_where_they_stand() {
        let stream = outline(&answer("say ab\nchunk 1\npace 5\nsay cd").stream);
        assert_eq!(stream.iter().filter(|line| **line == "pause 5").count(), 7);
        assert_eq!(stream.iter().filter(|line| **line == "delta text_delta").count(), 3);
    }
}
