//! Requests and answers, both ways.

use std::collections::HashMap;

use jiff::Timestamp;
use pilothouse_wire::control::{Answer, CliRequest, ControlResponse, HostRequest};
use pilothouse_wire::message::System;
use pilothouse_wire::{Frame, Inbound, Outbound, Raw};

use super::recording::Recording;
use super::span::{Span, SpanKind};

/// How many open requests are remembered, each way.
const OPEN: usize = 1_024;
/// How long a name from outside may be.
const NAME: usize = 48;

/// What has been asked and not been answered.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// By the CLI: what the answer will be called.
    asked: HashMap<String, Span>,
    /// By us.
    asking: HashMap<String, Span>,
    /// What lines tell by themselves, in their order, until it is known what it is part of: lines
    /// that were read together are all told before the events that came of them.
    early: Vec<Early>,
}

#[derive(Debug)]
struct Early {
    at: Timestamp,
    span: Span,
    /// Its answer, by the name of the request.
    answer: Option<(String, Span)>,
}

impl Control {
    /// Nobody will answer any more.
    pub(super) fn give_up(&mut self) -> Vec<Span> {
        let unanswered = |mut span: Span| {
            span.failure = Some("the run ended before there was an answer".to_owned());
            span
        };
        let asked = self.asked.drain().map(|(_, span)| span);
        asked.chain(self.asking.drain().map(|(_, span)| span)).map(unanswered).collect()
    }
}

impl Recording {
    pub(super) fn line_in(&mut self, place: u64, frame: &Frame, at: Timestamp) {
        self.remember_line(place, frame, at);
        match &frame.message {
            Inbound::ControlRequest(request) => {
                self.cli_asks(&request.request_id, &request.request, &frame.raw, at);
            }
            Inbound::ControlCancel(cancel) => {
                self.place_early(|_| true);
                self.control.asked.remove(&cancel.request_id);
                let name = "streamjson.control.control_cancel_request";
                let mut span = self.below(self.here(), name, at);
                span.set("pilothouse.request.id", cancel.request_id.clone());
                self.send(span);
            }
            Inbound::ControlResponse(response) => self.cli_answers(response, &frame.raw, at),
            Inbound::System(System::Init(init)) => {
                let mut span = self.below(self.here(), "streamjson.system", at);
                span.set("pilothouse.system.subtype", "init");
                span.set_some("gen_ai.conversation.id", init.session_id.clone());
                span.set_some("gen_ai.request.model", init.model.clone());
                span.set_some("pilothouse.cli.version", init.claude_code_version.clone());
                span.set("pilothouse.tools", init.tools.len());
                span.add_event(self.tracer.raw(at, &frame.raw));
                self.hold_back(Early { at, span, answer: None });
            }
            _ => {}
        }
    }

    fn cli_asks(&mut self, id: &str, request: &CliRequest, raw: &[u8], at: Timestamp) {
        let subtype = name_of(request.tag());
        let name = format!("streamjson.control.control_request.{subtype}");
        let mut span = self.below(self.here(), name, at);
        span.kind = SpanKind::Server;
        span.set("pilothouse.request.id", id.to_owned());
        let mut answer = self.below(self.here(), answer_to(request, &subtype), at);
        answer.kind = SpanKind::Server;
        answer.set("pilothouse.request.id", id.to_owned());
        for span in [&mut span, &mut answer] {
            match request {
                CliRequest::CanUseTool(asked) => {
                    span.set("gen_ai.tool.name", asked.tool_name.clone());
                    span.set_some("gen_ai.tool.call.id", asked.tool_use_id.clone());
                }
                CliRequest::HookCallback(hook) => {
                    span.set("pilothouse.hook.event", name_of(hook.input.tag()));
                    span.set_some("gen_ai.tool.call.id", hook.tool_use_id.clone());
                }
                CliRequest::McpMessage(message) => {
                    span.set("pilothouse.mcp.server", message.server_name.clone());
                }
                _ => {}
            }
        }
        span.add_event(self.tracer.raw(at, raw));
        self.hold_back(Early { at, span, answer: Some((id.to_owned(), answer)) });
    }

    fn hold_back(&mut self, early: Early) {
        if self.control.early.len() >= OPEN {
            self.place_early(|_| true);
        }
        self.control.early.push(early);
    }

    /// What was held back and has such a time is part of what is going on now.
    pub(super) fn place_early(&mut self, is_due: impl Fn(Timestamp) -> bool) {
        let due = self.control.early.iter().take_while(|early| is_due(early.at)).count();
        let (parent, early) = (self.here().span, self.control.early.drain(..due));
        for Early { mut span, answer, .. } in early.collect::<Vec<_>>() {
            span.parent = Some(parent);
            self.send(span);
            if let Some((id, mut answer)) = answer
                && self.control.asked.len() < OPEN
            {
                answer.parent = Some(parent);
                self.control.asked.insert(id, answer);
            }
        }
    }

    fn cli_answers(&mut self, response: &ControlResponse, raw: &[u8], at: Timestamp) {
        let id = response.response.request_id();
        let Some(mut span) = id.and_then(|id| self.control.asking.remove(&*id)) else { return };
        if let Answer::Error(failure) = &response.response {
            let code = failure.error_code.clone().unwrap_or_else(|| "_OTHER".to_owned());
            span.set("error.type", code);
            let error = self.tracer.text(&failure.error);
            span.failure = Some(error.unwrap_or_else(|| "the CLI refused".to_owned()));
        }
        span.add_event(self.tracer.raw(at, raw));
        self.send(span.ended(at));
    }

    pub(super) fn line_out(&mut self, line: &[u8], at: Timestamp) {
        // What is written follows from what was told.
        self.place_early(|_| true);
        let line = line.trim_ascii_end();
        // Prompts may be large, and are traced by what the machine makes of them.
        if line.starts_with(br#"{"type":"user""#) {
            return;
        }
        let Ok(text) = std::str::from_utf8(line) else { return };
        let message = Raw::from_text(text).ok().and_then(|raw| raw.read::<Outbound>());
        match message {
            Some(Outbound::ControlRequest(request)) => {
                let span = self.we_ask(&request.request_id, &request.request, line, at);
                if self.control.asking.len() < OPEN {
                    self.control.asking.insert(request.request_id, span);
                }
            }
            Some(Outbound::ControlResponse(response)) => self.we_answer(&response, line, at),
            _ => {}
        }
    }

    fn we_ask(&mut self, id: &str, request: &HostRequest, raw: &[u8], at: Timestamp) -> Span {
        let subtype = name_of(request.tag());
        let name = format!("streamjson.control.control_response.{subtype}");
        let mut span = self.below(self.here(), name, at);
        span.kind = SpanKind::Client;
        span.set("pilothouse.request.id", id.to_owned());
        span.add_event(self.tracer.raw(at, raw));
        span
    }

    fn we_answer(&mut self, response: &ControlResponse, raw: &[u8], at: Timestamp) {
        let id = response.response.request_id();
        let Some(mut span) = id.and_then(|id| self.control.asked.remove(&*id)) else { return };
        match &response.response {
            Answer::Success(success) => {
                let payload = success.response.as_ref();
                let behavior: Option<String> =
                    payload.and_then(|payload| payload.member("behavior")?.read());
                span.set_some(
                    "pilothouse.permission.behavior",
                    behavior.map(|it| name_of(Some(&it))),
                );
            }
            Answer::Error(failure) => {
                let code = failure.error_code.clone().unwrap_or_else(|| "_OTHER".to_owned());
                span.set("error.type", code);
                span.failure = Some("the request was refused".to_owned());
            }
            Answer::Unknown(_) => {}
        }
        span.add_event(self.tracer.raw(at, raw));
        self.send(span.ended(at));
    }
}

fn answer_to(request: &CliRequest, subtype: &str) -> String {
    match request {
        CliRequest::CanUseTool(_) => "streamjson.control.permission_response".to_owned(),
        CliRequest::HookCallback(hook) => {
            let event = snake(&name_of(hook.input.tag()));
            format!("streamjson.control.hook_response.{event}")
        }
        _ => format!("streamjson.control.{subtype}_response"),
    }
}

/// A word of the CLI's, as part of a name: nothing else can come in with it.
fn name_of(word: Option<&str>) -> String {
    let word = word.unwrap_or("unknown");
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    word.chars().take(NAME).map(plain).collect()
}

/// `PreToolUse` is `pre_tool_use`.
fn snake(word: &str) -> String {
    let mut out = String::with_capacity(word.len() + 4);
    for letter in word.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_are_tame() {
        assert_eq!(name_of(Some("can_use_tool")), "can_use_tool");
        assert_eq!(name_of(Some("a b\n{}")), "a_b___");
        assert_eq!(name_of(Some(&"x".repeat(900))).len(), NAME);
        assert_eq!(snake("PreToolUse"), "pre_tool_use");
        assert_eq!(snake("Stop"), "stop");
    }
}
