//! Items that are whole: texts, thinking, and what is said in the user's place.

use pilothouse_wire::Block;
use pilothouse_wire::message::{ApiMessage, AssistantFrame, UserFrame};

use super::{SPOKEN, Scope, Session};
use crate::event::{Attachment, Body, DeltaKind, MessageOrigin, NoticeKind, NoticeLevel};
use crate::id::{ItemId, PromptId};

/// What the CLI puts around the output of a command of its own.
const LOCAL_OUTPUT: [&str; 2] = ["local-command-stdout", "local-command-stderr"];

/// What is common to the blocks of a message.
struct Whole<'a> {
    scope: Scope,
    message: Option<&'a str>,
    uuid: Option<&'a str>,
    partial: bool,
}

impl Session {
    pub(super) fn assistant(&mut self, frame: AssistantFrame) {
        let parent = frame.parent_tool_use_id.into_option();
        if parent.is_none() {
            self.bind_all(frame.user_message_uuids);
            self.working();
            self.uncommitted = frame.uuid.clone().or(self.uncommitted.take());
            self.measure(&frame.message);
        }
        if !frame.supersedes.is_empty() {
            self.retract(frame.supersedes);
        }
        if let (None, Some(error)) = (&parent, &frame.error) {
            // Not the model speaks here; the text is told as what the turn failed with.
            let texts = frame.message.content.iter().filter_map(Block::as_text);
            return self.turns.in_trouble(error, texts.collect());
        }
        if !is_synthetic(&frame.message) {
            self.came_whole(parent.as_deref(), frame.message.id.as_deref());
        }
        let whole = Whole {
            scope: self.within_thread(parent.as_deref()),
            message: frame.message.id.as_deref(),
            uuid: frame.uuid.as_deref(),
            partial: frame.aborted == Some(true),
        };
        for block in frame.message.content {
            self.block(&whole, block);
        }
    }

    /// Tokens, and the model that is really used. Texts of the CLI itself count for neither.
    fn measure(&mut self, message: &ApiMessage) {
        if let (false, Some(usage)) = (is_synthetic(message), &message.usage) {
            self.meter.grew(usage);
        }
    }

    fn block(&mut self, whole: &Whole<'_>, block: Block) {
        let Whole { scope, message, uuid, partial } = whole;
        let (parent, message, partial) = (scope.parent.as_deref(), *message, *partial);
        match block {
            Block::Text(text) => {
                let item = self.item_of(parent, message, DeltaKind::MessageChunk);
                self.says(scope.clone(), item, text.text, *uuid, partial);
            }
            Block::Thinking(thinking) => {
                let item = self.item_of(parent, message, DeltaKind::ReasoningChunk);
                let (text, redacted) = (thinking.thinking, false);
                self.tell_in(scope.clone(), Body::Reasoning { item, text, redacted, partial });
            }
            Block::RedactedThinking(_) => {
                let item = self.next_item();
                let (text, redacted) = (String::new(), true);
                self.tell_in(scope.clone(), Body::Reasoning { item, text, redacted, partial });
            }
            Block::ToolUse(call) => {
                let item = self.item_of(parent, message, DeltaKind::ToolInputChunk);
                self.calls(scope.clone(), item, call.id, call.name, &call.input);
            }
            Block::ServerToolUse(call) => {
                let item = self.item_of(parent, message, DeltaKind::ToolInputChunk);
                self.calls(scope.clone(), item, call.id, call.name, &call.input);
            }
            Block::McpToolUse(call) => {
                let item = self.item_of(parent, message, DeltaKind::ToolInputChunk);
                let server = call.server_name.unwrap_or_default();
                let name = format!("mcp__{server}__{}", call.name);
                self.calls(scope.clone(), item, call.id, name, &call.input);
            }
            other => self.server_result(other),
        }
    }

    /// A whole text.
    pub(super) fn says(
        &mut self,
        scope: Scope,
        item: ItemId,
        text: String,
        uuid: Option<&str>,
        partial: bool,
    ) {
        if scope.parent.is_none() {
            self.turns.spoke();
        }
        if let Some(uuid) = uuid {
            self.spoken.push_back((uuid.to_owned(), item));
            if self.spoken.len() > SPOKEN {
                self.spoken.pop_front();
            }
        }
        let uuid = uuid.map(str::to_owned);
        self.tell_in(scope, Body::Message { item, text, uuid, partial });
    }

    pub(super) fn retract(&mut self, uuids: Vec<String>) {
        let gone = |(uuid, _): &&(String, ItemId)| uuids.contains(uuid);
        let items = self.spoken.iter().filter(gone).map(|(_, item)| *item).collect();
        self.spoken.retain(|(uuid, _)| !uuids.contains(uuid));
        self.tell(Body::Retracted { uuids, items });
    }

    pub(super) fn user(&mut self, frame: UserFrame) {
        let parent = frame.parent_tool_use_id.get().cloned();
        if frame.is_replay == Some(true) {
            return self.echoed(&frame);
        }
        if parent.is_none() {
            // What the user's side of the conversation says is whole at once.
            self.committed = frame.uuid.clone().or(self.committed.take());
        }
        let results = frame.message.content.blocks().iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            _ => None,
        });
        let mut any = false;
        for result in results {
            any = true;
            let meta = frame.tool_result_meta.iter();
            let meta = meta.clone().find(|meta| meta.id.as_deref() == Some(&result.tool_use_id));
            self.tool_result(result, frame.tool_use_result.as_ref(), meta);
        }
        if !any {
            self.said_by_the_cli(parent.as_deref(), &frame);
        }
    }

    /// The CLI shows a prompt that it takes up.
    fn echoed(&mut self, frame: &UserFrame) {
        match frame.uuid.as_deref().and_then(PromptId::parse) {
            Some(prompt) if self.prompts.is_old(prompt) => self.take_up(prompt),
            _ => self.said_by_the_cli(None, frame),
        }
    }

    /// Something in the user's place that is no tool result.
    fn said_by_the_cli(&mut self, parent: Option<&str>, frame: &UserFrame) {
        let text = frame.message.content.text();
        let scope = self.within_thread(parent);
        if let Some(output) = local_output(&text) {
            let item = self.next_item();
            return self.says(scope, item, output, frame.uuid.as_deref(), false);
        }
        if parent.is_none() && self.turns.is_stopping(scope.turn) {
            // The model will read that it was interrupted. People have done it themselves.
            self.cut_off(str::is_empty);
            return self.notice(NoticeLevel::Info, NoticeKind::Informational, text);
        }
        let blocks = frame.message.content.blocks().iter();
        let attachments: Vec<_> = blocks.filter_map(Attachment::of).collect();
        if text.is_empty() && attachments.is_empty() {
            return;
        }
        let source = match &frame.origin {
            Some(origin) => origin.kind.clone(),
            None => parent.map(|_| "subagent".to_owned()),
        };
        let item = self.next_item();
        let origin = MessageOrigin::Cli { source };
        self.tell_in(scope, Body::UserMessage { prompt: None, item, text, attachments, origin });
    }
}

/// Whether the CLI says this, and not the model.
fn is_synthetic(message: &ApiMessage) -> bool {
    message.model.as_deref() == Some("<synthetic>")
}

/// The output of a command of the CLI itself, which older versions wrap in tags.
fn local_output(text: &str) -> Option<String> {
    LOCAL_OUTPUT.iter().find_map(|tag| {
        let inner = text.trim().strip_prefix(&*format!("<{tag}>"))?;
        Some(inner.strip_suffix(&*format!("</{tag}>")).unwrap_or(inner).to_owned())
    })
}
