//! The spans of one session, while they grow.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use pilothouse_session::event::{Body, Completion, Exit, PromptState, ToolStatus};
use pilothouse_session::id::{PromptId, RunId, SessionId, TurnId};
use pilothouse_session::tool::NormalizedPayload;
use pilothouse_session::{Delta, Event};
use pilothouse_wire::Frame;

use super::Tracer;
use super::content::length;
use super::context::{self, Names, RemoteParent, SpanContext};
use super::control::Control;
use super::lines::Lines;
use super::naming::{self, Telling};
use super::span::{Span, SpanEvent, SpanKind};
use crate::telemetry::metrics::{Label, StatusWord};
use crate::telemetry::words;

/// How many things of one kind are remembered at most: calls, prompts. A CLI that never ends what it
/// begins must not fill the memory.
const OPEN: usize = 1_024;
/// How many ended calls are remembered, for what their subagents still do.
const PAST: usize = 64;

#[derive(Debug)]
pub(super) struct Recording {
    pub(super) tracer: Arc<Tracer>,
    session: SessionId,
    parent: Option<RemoteParent>,
    pub(super) names: Names,
    run: Option<Run>,
    turn: Option<(TurnId, Span)>,
    calls: HashMap<String, Span>,
    past_calls: VecDeque<(String, SpanContext)>,
    prompts: VecDeque<(PromptId, Asked)>,
    pub(super) control: Control,
    lines: Lines,
    model: Option<String>,
    conversation: Option<String>,
    deltas: Deltas,
}

#[derive(Debug)]
struct Run {
    context: SpanContext,
    /// None for a run that an earlier daemon has started and whose beginning is not known.
    span: Option<Span>,
}

/// A prompt that no turn has taken up yet.
#[derive(Debug)]
struct Asked {
    at: Timestamp,
    bytes: usize,
    attachments: usize,
    message: Option<String>,
}

/// Since the last turn has ended: pieces may be told before the turn that they are part of.
#[derive(Debug, Default)]
struct Deltas {
    first: Option<SpanEvent>,
    count: u64,
    bytes: usize,
}

impl Recording {
    pub(super) fn new(tracer: Arc<Tracer>, session: SessionId) -> Self {
        Self {
            parent: tracer.parent,
            tracer,
            session,
            names: Names::new(),
            run: None,
            turn: None,
            calls: HashMap::new(),
            past_calls: VecDeque::new(),
            prompts: VecDeque::new(),
            control: Control::default(),
            lines: Lines::default(),
            model: None,
            conversation: None,
            deltas: Deltas::default(),
        }
    }

    pub(super) fn set_parent(&mut self, parent: RemoteParent) {
        self.parent = Some(parent);
    }

    pub(super) fn adopt(&mut self, run: RunId, cli_session: Option<&str>) {
        self.run = Some(Run { context: self.context_of(run), span: None });
        self.conversation = cli_session.map(str::to_owned);
    }

    pub(super) fn context_of(&self, run: RunId) -> SpanContext {
        context::of_run(run, self.parent)
    }

    /// The root of everything in this run. Before the first one, the session's.
    fn root(&self) -> SpanContext {
        match &self.run {
            Some(run) => run.context,
            None => self.context_of(RunId(self.session.0)),
        }
    }

    /// What a moment in this turn, and in this subagent, is part of.
    fn place(&self, turn: Option<TurnId>, call: Option<&str>) -> SpanContext {
        if let Some(context) = call.and_then(|call| self.context_of_call(call)) {
            return context;
        }
        match turn {
            Some(turn) => context::of_turn(self.root(), turn),
            None => self.root(),
        }
    }

    fn context_of_call(&self, call: &str) -> Option<SpanContext> {
        let open = self.calls.get(call).map(|span| span.context);
        let past =
            || self.past_calls.iter().find(|(id, _)| id == call).map(|(_, context)| *context);
        open.or_else(past)
    }

    /// What is going on now, for what belongs to no event.
    pub(super) fn here(&self) -> SpanContext {
        match &self.turn {
            Some((_, span)) => span.context,
            None => self.root(),
        }
    }

    /// A new span below `parent`.
    pub(super) fn below(
        &mut self,
        parent: SpanContext,
        name: impl Into<Cow<'static, str>>,
        at: Timestamp,
    ) -> Span {
        let context = self.names.within(parent.trace);
        let mut span = Span::new(name, context, Some(parent.span), at);
        span.set("pilothouse.session.id", self.session.to_string());
        span
    }

    pub(super) fn send(&self, span: Span) {
        self.tracer.courier.send(span);
    }

    pub(super) fn remember_line(&mut self, place: u64, frame: &Frame, at: Timestamp) {
        self.lines.push(place, frame, at, || self.tracer.raw(at, &frame.raw));
    }

    pub(super) fn delta(&mut self, delta: &Delta) {
        let Some(at) = self.lines.last_at() else { return };
        self.deltas.first.get_or_insert_with(|| {
            let attributes = vec![("type", words::delta(delta.kind).into())];
            SpanEvent { name: "first_delta".into(), at, attributes }
        });
        self.deltas.count += 1;
        self.deltas.bytes += delta.text.len();
    }

    pub(super) fn event(&mut self, event: &Event) {
        self.place_early(|early| early < event.at);
        self.begin(event);
        match naming::telling(&event.body) {
            Telling::Span(name) => self.moment(name, event),
            Telling::Remark(name) => self.remark(name, event),
        }
        self.end(event);
    }

    fn begin(&mut self, event: &Event) {
        match &event.body {
            Body::RunStarted { run, pid, .. } => self.run_started(*run, *pid, event.at),
            Body::TurnStarted { autonomous } => self.turn_started(event, *autonomous),
            Body::UserMessage { prompt: Some(prompt), text, attachments, .. } => {
                let message = self.tracer.message("user", text);
                let (bytes, attachments) = (text.len(), attachments.len());
                if self.prompts.len() >= OPEN {
                    self.prompts.pop_front();
                }
                let asked = Asked { at: event.at, bytes, attachments, message };
                self.prompts.push_back((*prompt, asked));
            }
            Body::PromptUpdated { prompt, state } => self.prompt_updated(*prompt, state, event.at),
            Body::ModelChanged { model } => {
                self.model = Some(model.clone());
                self.label_turn();
            }
            Body::ConversationChanged { cli_session, .. } => {
                self.conversation = Some(cli_session.clone());
                self.label_turn();
            }
            Body::ToolCall { tool_call_id, tool_name, payload, .. } => {
                self.call_began(event, tool_call_id, tool_name, payload);
            }
            Body::Message { text, .. } if event.parent_tool_call_id.is_none() => {
                let message = self.tracer.message("assistant", text);
                if let Some((_, turn)) = &mut self.turn {
                    turn.set_some("gen_ai.output.messages", message);
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, event: &Event) {
        match &event.body {
            Body::ToolUpdate { tool_call_id, status, payload, .. } => {
                self.call_ended(event.at, tool_call_id, *status, payload);
            }
            Body::Complete { completion } => self.turn_ended(event, completion),
            Body::Error { message, code } => {
                let message = self.tracer.text(message);
                if let Some((_, turn)) = &mut self.turn {
                    turn.set("error.type", code.clone().unwrap_or_else(|| "_OTHER".to_owned()));
                    turn.failure = Some(message.unwrap_or_else(|| "the turn failed".to_owned()));
                }
            }
            // The turn that it asks in has been told of.
            Body::ApprovalRequested { .. } => self.place_early(|_| true),
            Body::RunEnded { exit, .. } => self.run_ended(event.at, Some(*exit)),
            _ => {}
        }
    }

    /// A span without length, with what the CLI said and what was made of it side by side.
    fn moment(&mut self, name: &'static str, event: &Event) {
        let parent = self.place(event.turn, event.parent_tool_call_id.as_deref());
        let mut span = self.below(parent, name, event.at);
        span.set("pilothouse.event.seq", event.seq);
        span.set_some("gen_ai.conversation.id", self.conversation.clone());
        naming::describe(&mut span, &event.body);
        if let Some(raw) = self.lines.of(event) {
            span.add_event(raw.clone());
        }
        let mut attributes = vec![("type", words::event(&event.body).into())];
        attributes.extend(self.tracer.json(event).map(|text| ("body", text.into())));
        span.add_event(SpanEvent { name: "normalized".into(), at: event.at, attributes });
        self.send(span);
    }

    fn remark(&mut self, name: &'static str, event: &Event) {
        let open = match (&mut self.turn, &mut self.run) {
            (Some((turn, span)), _) if event.turn.is_none_or(|of| of == *turn) => Some(span),
            (_, Some(run)) => run.span.as_mut(),
            _ => None,
        };
        if let Some(span) = open {
            let mut attributes = vec![("pilothouse.event.seq", event.seq.into())];
            if let Body::SessionStatus { status } = &event.body {
                attributes.push(("status", StatusWord::from(*status).word().into()));
            }
            span.add_event(SpanEvent { name: name.into(), at: event.at, attributes });
        }
    }

    fn run_started(&mut self, run: RunId, pid: Option<u32>, at: Timestamp) {
        let context = self.context_of(run);
        let parent = self.parent.map(|parent| parent.context.span);
        let mut span = Span::new("streamjson.run", context, parent, at);
        span.parent_is_remote = parent.is_some();
        span.set("pilothouse.session.id", self.session.to_string());
        span.set("pilothouse.run.id", run.to_string());
        span.set("gen_ai.system", "anthropic");
        span.set("gen_ai.provider.name", "anthropic");
        span.set_some("process.pid", pid);
        self.run = Some(Run { context, span: Some(span) });
    }

    /// Ends everything; nothing can come of it any more.
    fn run_ended(&mut self, at: Timestamp, exit: Option<Exit>) {
        self.place_early(|_| true);
        for (_, mut call) in std::mem::take(&mut self.calls) {
            call.set("pilothouse.tool.status", words::tool_status(ToolStatus::Cancelled));
            call.failure = Some("the run ended before the call did".to_owned());
            self.send(call.ended(at));
        }
        for span in self.control.give_up() {
            self.send(span.ended(at));
        }
        if let Some((_, mut turn)) = self.turn.take() {
            turn.failure.get_or_insert_with(|| "the run ended before the turn did".to_owned());
            self.send(turn.ended(at));
        }
        if let Some(mut span) = self.run.take().and_then(|run| run.span) {
            if let Some(exit) = exit {
                span.set_some("process.exit.code", exit.code);
                span.set_some("pilothouse.run.signal", exit.signal);
                if exit.code != Some(0) {
                    span.failure =
                        Some("the CLI did not end by itself, or with an error".to_owned());
                }
            }
            self.send(span.ended(at));
        }
        self.past_calls.clear();
        self.lines = Lines::default();
        self.deltas = Deltas::default();
    }

    pub(super) fn ended(&mut self, at: Timestamp) {
        self.run_ended(at, None);
    }

    fn open_turn(&self, turn: TurnId, at: Timestamp) -> Span {
        let root = self.root();
        let mut span =
            Span::new("streamjson.prompt", context::of_turn(root, turn), Some(root.span), at);
        span.kind = SpanKind::Client;
        span.set("pilothouse.session.id", self.session.to_string());
        span.set("pilothouse.turn", turn.0);
        span.set("gen_ai.operation.name", "invoke_agent");
        span.set("gen_ai.system", "anthropic");
        span.set("gen_ai.provider.name", "anthropic");
        span.set("gen_ai.agent.name", "claude-code");
        span
    }

    fn turn_started(&mut self, event: &Event, autonomous: bool) {
        let Some(turn) = event.turn else { return };
        let mut span = self.open_turn(turn, event.at);
        span.set("pilothouse.turn.autonomous", autonomous);
        if let Some((_, before)) = self.turn.replace((turn, span)) {
            self.send(before.ended(event.at));
        }
        self.label_turn();
    }

    fn label_turn(&mut self) {
        if let Some((_, span)) = &mut self.turn {
            span.set_some("gen_ai.request.model", self.model.clone());
            span.set_some("gen_ai.conversation.id", self.conversation.clone());
        }
    }

    fn prompt_updated(&mut self, prompt: PromptId, state: &PromptState, at: Timestamp) {
        let is_over = match state {
            PromptState::Queued | PromptState::Sent => return,
            PromptState::TakenUp { .. } => false,
            PromptState::Answered { .. } | PromptState::Cancelled | PromptState::Failed { .. } => {
                true
            }
        };
        let index = self.prompts.iter().position(|(known, _)| *known == prompt);
        let asked = index.and_then(|index| self.prompts.remove(index)).map(|(_, asked)| asked);
        let (false, Some((_, turn)), Some(asked)) = (is_over, &mut self.turn, asked) else {
            return;
        };
        turn.set("pilothouse.prompt.id", prompt.to_string());
        turn.set("pilothouse.prompt.bytes", asked.bytes);
        turn.set("pilothouse.prompt.attachments", asked.attachments);
        turn.set("pilothouse.prompt.waited_ms", at.duration_since(asked.at).as_secs_f64() * 1e3);
        turn.set_some("gen_ai.input.messages", asked.message);
    }

    fn turn_ended(&mut self, event: &Event, completion: &Completion) {
        let Some(turn) = event.turn else { return };
        let open = self.turn.take_if(|(open, _)| *open == turn).map(|(_, span)| span);
        let mut span = open.unwrap_or_else(|| {
            // An earlier daemon has begun it.
            let millis = completion.duration_ms.unwrap_or(0.0).max(0.0);
            let took = SignedDuration::try_from_secs_f64(millis / 1e3).unwrap_or_default();
            let mut span = self.open_turn(turn, event.at.saturating_sub(took).unwrap_or(event.at));
            span.set_some("gen_ai.request.model", self.model.clone());
            span.set_some("gen_ai.conversation.id", self.conversation.clone());
            span
        });
        naming::complete(&mut span, completion);
        let deltas = std::mem::take(&mut self.deltas);
        deltas.first.into_iter().for_each(|first| span.add_event(first));
        span.set("pilothouse.deltas", deltas.count);
        span.set("pilothouse.delta.bytes", deltas.bytes);
        self.send(span.ended(event.at));
    }

    fn call_began(&mut self, event: &Event, id: &str, name: &str, payload: &NormalizedPayload) {
        if self.calls.len() >= OPEN || self.calls.contains_key(id) {
            return;
        }
        let parent = self.place(event.turn, event.parent_tool_call_id.as_deref());
        let mut span = self.below(parent, format!("execute_tool {name}"), event.at);
        span.set("gen_ai.operation.name", "execute_tool");
        span.set("gen_ai.system", "anthropic");
        span.set("gen_ai.provider.name", "anthropic");
        span.set("gen_ai.tool.name", name.to_owned());
        span.set("gen_ai.tool.call.id", id.to_owned());
        span.set(
            "gen_ai.tool.type",
            if name.starts_with("mcp__") { "extension" } else { "function" },
        );
        span.set("pilothouse.tool.kind", words::tool_kind(payload));
        span.set("pilothouse.tool.input.bytes", length(payload));
        span.set_some("gen_ai.conversation.id", self.conversation.clone());
        span.set_some("gen_ai.tool.call.arguments", self.tracer.json(payload));
        self.calls.insert(id.to_owned(), span);
    }

    /// A call that goes on in the background ends here too: how it ends there is not always told.
    fn call_ended(&mut self, at: Timestamp, id: &str, status: ToolStatus, of: &NormalizedPayload) {
        let Some(mut span) = self.calls.remove(id) else { return };
        if self.past_calls.len() >= PAST {
            self.past_calls.pop_front();
        }
        self.past_calls.push_back((id.to_owned(), span.context));
        span.set("pilothouse.tool.status", words::tool_status(status));
        span.set("pilothouse.tool.result.bytes", length(of));
        span.set_some("gen_ai.tool.call.result", self.tracer.json(of));
        match status {
            ToolStatus::Detached | ToolStatus::Complete => {}
            ToolStatus::Error | ToolStatus::Cancelled => {
                let error = of.error().and_then(|text| self.tracer.text(text));
                span.set("error.type", words::tool_status(status));
                span.failure = Some(error.unwrap_or_else(|| words::tool_status(status).to_owned()));
            }
        }
        self.send(span.ended(at));
    }
}
