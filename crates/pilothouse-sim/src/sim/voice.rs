//! Turns the events of one answer into frames: `stream_event` as they come, `assistant` for each
//! finished block.

use std::rc::Rc;

use serde_json::{Value, json};
use uuid::Uuid;

use super::abort::Cause;
use super::cli::Cli;
use super::clock;
use super::ledger::Tokens;
use super::scope::Scope;
use super::speak::Message;

/// The voice of one answer.
pub(super) struct Voice<'a> {
    cli: &'a Rc<Cli>,
    scope: &'a Scope,
    /// The message as it will be, for its id, counts and finished blocks.
    whole: &'a Value,
    start: Value,
    request_id: String,
    /// What has been said of the block that is open.
    open: Option<Value>,
    blocks: Vec<(Value, String)>,
    thought: u64,
    floods: u64,
    begun: bool,
}

impl<'a> Voice<'a> {
    pub(super) fn new(cli: &'a Rc<Cli>, scope: &'a Scope, whole: &'a Value) -> Self {
        Self {
            cli,
            scope,
            whole,
            start: Value::Null,
            request_id: crate::answer::fresh("req"),
            open: None,
            blocks: Vec::new(),
            thought: 0,
            floods: cli.launch.faults.flood,
            begun: false,
        }
    }

    /// One event of the API's stream.
    pub(super) fn event(&mut self, event: &Value) {
        match event["type"].as_str() {
            // Nothing in it for a host.
            Some("ping") => return,
            Some("message_start") => {
                self.begun = true;
                self.start = event["message"].clone();
                let mut tally = self.scope.tally.borrow_mut();
                let started = tally.started;
                tally.first_word_ms.get_or_insert_with(|| clock::whole(started.elapsed()));
            }
            Some("content_block_start") => self.open = Some(event["content_block"].clone()),
            Some("content_block_delta") => {
                self.grow(&event["delta"]);
                if event["delta"]["type"] == "thinking_delta" {
                    self.count_thoughts();
                }
                self.flood(event);
            }
            // The complete block comes before its end.
            Some("content_block_stop") => self.finish_block(),
            _ => {}
        }
        self.stream(event.clone(), None);
    }

    fn grow(&mut self, delta: &Value) {
        let Some(block) = &mut self.open else { return };
        for field in ["text", "thinking", "signature"] {
            if let Some(more) = delta[field].as_str() {
                let before = block[field].as_str().unwrap_or_default();
                block[field] = json!(format!("{before}{more}"));
            }
        }
    }

    fn count_thoughts(&mut self) {
        let Some(block) = &self.open else { return };
        if !self.streams() {
            return;
        }
        let characters = block["thinking"].as_str().unwrap_or_default().chars().count();
        let estimate = u64::try_from(characters.div_ceil(4)).unwrap_or(0);
        let mut frame = json!({
            "type": "system",
            "subtype": "thinking_tokens",
            "estimated_tokens": estimate,
            "estimated_tokens_delta": estimate.saturating_sub(self.thought),
        });
        self.thought = estimate;
        if let Some(lead) = &self.scope.lead {
            frame["user_message_uuid"] = json!(lead);
        }
        self.cli.emit(frame);
    }

    /// Many deltas that add nothing, if a flood is wanted.
    fn flood(&mut self, event: &Value) {
        if event["delta"]["type"] != "text_delta" {
            return;
        }
        for _ in 0..std::mem::take(&mut self.floods) {
            let mut drop = event.clone();
            drop["delta"]["text"] = json!("");
            self.stream(drop, None);
        }
    }

    fn streams(&self) -> bool {
        self.cli.launch.flags.partial_messages && self.scope.is_main()
    }

    fn stream(&self, event: Value, abandoned: Option<usize>) {
        if !self.streams() {
            return;
        }
        let kind = event["type"].clone();
        let thinks = event["delta"]["type"] == "thinking_delta"
            || event["content_block"]["type"] == "thinking";
        let mut frame = json!({
            "type": "stream_event",
            "event": event,
            "parent_tool_use_id": null,
            "api_message_id": self.whole["id"],
        });
        if kind == "message_start" {
            let mut tally = self.scope.tally.borrow_mut();
            frame["ttft_ms"] = json!(clock::whole(tally.started.elapsed()));
            frame["thinking_display"] = json!("updates");
            if !std::mem::replace(&mut tally.stream_attributed, true) && self.scope.lead.is_some() {
                self.scope.attribute(&mut frame);
                frame["owed_rows"] = json!([]);
            }
        } else if thinks {
            frame["thinking_display"] = json!("updates");
        }
        if let Some(from) = abandoned {
            frame["abandoned_blocks"] =
                json!({"api_message_id": self.whole["id"], "from_block_index": from});
        }
        let calls = self.blocks.iter().any(|(block, _)| block["type"] == "tool_use");
        if calls && self.cli.launch.faults.early_asks {
            self.cli.kept_back.borrow_mut().push(frame);
        } else {
            self.cli.emit(frame);
        }
    }

    fn finish_block(&mut self) {
        let Some(open) = self.open.take() else { return };
        // Inputs arrive as pieces of JSON; the whole block is known anyway.
        let finished = &self.whole["content"][self.blocks.len()];
        let mut block = if finished.is_null() { open } else { finished.clone() };
        if block["name"] == "Edit" && block["input"]["replace_all"].is_null() {
            block["input"]["replace_all"] = json!(false);
        }
        let uuid = self.show(&block, None);
        self.blocks.push((block, uuid));
    }

    /// Sends the assistant frame of a block and returns its id.
    fn show(&self, block: &Value, aborted: Option<Cause>) -> String {
        let mut message = self.start.clone();
        message["content"] = json!([block]);
        let is_last =
            self.whole["content"].as_array().is_some_and(|all| all.len() == self.blocks.len() + 1);
        if self.cli.launch.faults.old && is_last && aborted.is_none() {
            // Old versions wrote the last frame when they knew how the answer ended.
            message["stop_reason"] = self.whole["stop_reason"].clone();
            message["usage"] = self.whole["usage"].clone();
        }
        message["context_management"] = Value::Null;
        let uuid = Uuid::new_v4().to_string();
        let transcript_fields = json!({"message": message, "requestId": self.request_id});
        self.scope.transcript.chain("assistant", &uuid, transcript_fields);
        let mut frame = json!({
            "type": "assistant",
            "message": message,
            "uuid": uuid,
            "timestamp": clock::iso(),
            "request_id": self.request_id,
        });
        self.scope.sign(&mut frame);
        if block["type"] == "thinking" && self.scope.is_main() {
            frame["thinking_duration_ms"] = json!(0);
            frame["thinking_display"] = json!("updates");
        }
        if aborted.is_some() {
            frame["aborted"] = json!(true);
        }
        let name = block["name"].as_str().unwrap_or_default();
        if let Some(tool) = self.cli.mcp.find(name) {
            frame["tool_use_meta"] = json!([{
                "id": block["id"],
                "display_name": tool.display_name(),
                "server_display_name": tool.server,
                "tool_name": tool.name,
            }]);
        }
        let mut tally = self.scope.tally.borrow_mut();
        if self.scope.is_main() && !std::mem::replace(&mut tally.message_attributed, true) {
            self.scope.attribute(&mut frame);
        }
        drop(tally);
        if self.is_shown(block) {
            self.progress(block);
            self.cli.emit(frame);
        }
        uuid
    }

    /// Of a subagent only the calls are shown, unless the host wants more. One in the background
    /// shows its words.
    fn is_shown(&self, block: &Value) -> bool {
        match &self.scope.agent {
            None => true,
            Some(agent) => {
                block["type"] == "tool_use"
                    || agent.is_background
                    || self.cli.wishes("forwardSubagentText")
            }
        }
    }

    /// What a subagent is about to do.
    fn progress(&self, block: &Value) {
        let Some(agent) = self.scope.agent.as_ref().filter(|_| block["type"] == "tool_use") else {
            return;
        };
        let tally = self.scope.tally.borrow();
        let name = block["name"].as_str().unwrap_or_default();
        let what = ["command", "file_path", "pattern", "description"]
            .iter()
            .find_map(|key| block["input"][*key].as_str())
            .unwrap_or_default();
        self.cli.emit(json!({
            "type": "system",
            "subtype": "task_progress",
            "task_id": agent.id,
            "run_id": agent.run_id,
            "tool_use_id": agent.tool_use_id,
            "description": format!("{name} {what}").trim_end(),
            "subagent_type": agent.kind,
            "usage": {
                "total_tokens": tally.last_tokens.total(),
                "tool_uses": tally.tool_calls + 1,
                "duration_ms": clock::whole(tally.started.elapsed()),
            },
            "last_tool_name": name,
        }));
    }

    /// The connection is lost: the stream ends, but no frame of a block appears.
    pub(super) fn fall_silent(&mut self) {
        if !self.begun {
            return;
        }
        if self.open.take().is_some() {
            self.stream(json!({"type": "content_block_stop", "index": self.blocks.len()}), None);
        }
        self.stream(json!({"type": "message_stop"}), Some(0));
    }

    /// The turn is over in the middle of a word: what was said is kept.
    pub(super) fn break_off(&mut self, cause: Cause) {
        let index = self.blocks.len();
        let open = self.open.take();
        let is_open = open.is_some();
        if let Some(block) = open
            && ["text", "thinking"]
                .iter()
                .any(|field| block[*field].as_str().is_some_and(|said| !said.is_empty()))
        {
            self.scope.tally.borrow_mut().text =
                block["text"].as_str().unwrap_or_default().to_owned();
            let uuid = self.show(&block, Some(cause));
            self.blocks.push((block, uuid));
        }
        if cause == Cause::Interrupt {
            super::turn::tell_interrupted(self.cli, self.scope, "[Request interrupted by user]");
        }
        if self.begun && !self.cli.launch.faults.old {
            if is_open {
                self.stream(json!({"type": "content_block_stop", "index": index}), None);
            }
            self.stream(
                json!({
                    "type": "message_delta",
                    "delta": {"stop_reason": null, "stop_sequence": null, "stop_details": null, "container": null},
                    "context_management": null,
                    "usage": Tokens::of(&self.start["usage"]).usage(),
                }),
                None,
            );
            self.stream(json!({"type": "message_stop"}), Some(self.blocks.len()));
        }
    }

    /// The answer is complete: counts it and hands it over.
    pub(super) fn finish(self, model: &str) -> Message {
        let tokens = Tokens::of(&self.whole["usage"]);
        let model = self.whole["model"].as_str().unwrap_or(model);
        self.cli.ledger.borrow_mut().book(model, tokens);
        let stop_reason = self.whole["stop_reason"].as_str().unwrap_or("end_turn").to_owned();
        let mut tally = self.scope.tally.borrow_mut();
        tally.tokens.add(tokens);
        tally.last_tokens = tokens;
        tally.first_input.get_or_insert(tokens.input);
        tally.stop_reason = Some(stop_reason.clone());
        let mut texts = self.blocks.iter().filter(|(block, _)| block["type"] == "text");
        let text = texts.next_back().and_then(|(block, _)| block["text"].as_str());
        tally.text = text.unwrap_or_default().to_owned();
        Message {
            id: self.whole["id"].as_str().unwrap_or_default().to_owned(),
            blocks: self.blocks,
            stop_reason,
        }
    }
}
