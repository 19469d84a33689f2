//! Items that grow: what the model writes, before it is whole.
//!
//! Each thread (the main one, and one for each subagent) has its own open blocks. A block that has
//! begun is an item; the `assistant` frame that brings it whole ends the item.

use std::collections::BTreeMap;

use pilothouse_wire::Block;
use pilothouse_wire::message::stream::{Delta as Piece, StreamEvent, StreamFrame};
use serde::{Deserialize, Serialize};

use super::{Scope, Session};
use crate::effect::Effect;
use crate::event::{Body, Delta, DeltaKind, OpenItem};
use crate::id::{ItemId, TurnId};

/// What is open in one thread.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Thread {
    /// The model's message.
    message: Option<String>,
    /// Its blocks that are not whole yet, by their place in it.
    blocks: BTreeMap<u64, OpenBlock>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct OpenBlock {
    item: ItemId,
    kind: DeltaKind,
    turn: Option<TurnId>,
    tool_name: Option<String>,
    text: String,
}

impl Thread {
    /// What clients have seen something of.
    pub(super) fn open_items(&self, parent: &str) -> impl Iterator<Item = OpenItem> {
        let parent = Some(parent).filter(|parent| !parent.is_empty());
        self.blocks.values().filter(|block| !block.text.is_empty()).map(move |block| OpenItem {
            item: block.item,
            kind: block.kind,
            turn: block.turn,
            parent_tool_call_id: parent.map(str::to_owned),
            tool_name: block.tool_name.clone(),
            text: block.text.clone(),
        })
    }
}

impl Session {
    pub(super) fn streamed(&mut self, frame: StreamFrame) {
        let parent = frame.parent_tool_use_id.into_option();
        let key = parent.as_deref().unwrap_or_default();
        match frame.event {
            StreamEvent::ContentBlockDelta(delta) => {
                let (kind, text) = match delta.delta {
                    Piece::Text(piece) => (DeltaKind::MessageChunk, piece.text),
                    Piece::Thinking(piece) => (DeltaKind::ReasoningChunk, piece.thinking),
                    Piece::InputJson(piece) => (DeltaKind::ToolInputChunk, piece.partial_json),
                    _ => return,
                };
                self.piece(key, delta.index, kind, text);
            }
            StreamEvent::ContentBlockStart(start) => {
                self.block_begins(parent.as_deref(), start.index, &start.content_block);
            }
            StreamEvent::MessageStart(start) => {
                if parent.is_none() {
                    self.bind_all(frame.user_message_uuids);
                    self.working();
                }
                self.give_up(parent.as_deref());
                let thread = self.threads.entry(key.to_owned()).or_default();
                thread.message = start.message.id;
            }
            StreamEvent::MessageDelta(delta) if parent.is_none() => {
                if let Some(usage) = &delta.usage {
                    self.meter.grew(usage);
                    self.show_context();
                }
            }
            StreamEvent::MessageDelta(_)
            | StreamEvent::ContentBlockStop(_)
            | StreamEvent::MessageStop(_)
            | StreamEvent::Ping(_)
            | StreamEvent::Unknown(_) => {}
        }
    }

    fn block_begins(&mut self, parent: Option<&str>, index: u64, block: &Block) {
        let (kind, tool_name) = match block {
            Block::Text(_) => (DeltaKind::MessageChunk, None),
            Block::Thinking(_) => (DeltaKind::ReasoningChunk, None),
            Block::ToolUse(call) => (DeltaKind::ToolInputChunk, Some(call.name.clone())),
            Block::ServerToolUse(call) => (DeltaKind::ToolInputChunk, Some(call.name.clone())),
            Block::McpToolUse(call) => (DeltaKind::ToolInputChunk, Some(call.name.clone())),
            _ => return,
        };
        let item = self.next_item();
        let turn = self.within_thread(parent).turn;
        let block = OpenBlock { item, kind, turn, tool_name, text: String::new() };
        let thread = self.threads.entry(parent.unwrap_or_default().to_owned()).or_default();
        thread.blocks.insert(index, block);
    }

    /// A piece of a block. One whose beginning was not seen begins with it.
    fn piece(&mut self, thread: &str, index: u64, kind: DeltaKind, text: String) {
        if text.is_empty() {
            return;
        }
        let known = self.threads.get_mut(thread).and_then(|thread| thread.blocks.get_mut(&index));
        let block = match known {
            Some(block) => block,
            None => {
                let parent = Some(thread).filter(|thread| !thread.is_empty());
                let (item, turn) = (self.next_item(), self.within_thread(parent).turn);
                let block = OpenBlock { item, kind, turn, tool_name: None, text: String::new() };
                let thread = self.threads.entry(thread.to_owned()).or_default();
                thread.blocks.entry(index).or_insert(block)
            }
        };
        let offset = block.text.len();
        block.text.push_str(&text);
        let (item, kind) = (block.item, block.kind);
        self.effects.push(Effect::Stream(Delta { item, kind, offset, text }));
    }

    /// The item of a block that is whole now: the one that has grown, or a new one.
    pub(super) fn item_of(
        &mut self,
        parent: Option<&str>,
        message: Option<&str>,
        kind: DeltaKind,
    ) -> ItemId {
        let grown = self.threads.get_mut(parent.unwrap_or_default()).and_then(|thread| {
            let known = message.is_some() && thread.message.is_some();
            let same = !known || thread.message.as_deref() == message;
            let first = thread.blocks.iter().find(|(_, block)| block.kind == kind);
            let index = first.filter(|_| same).map(|(index, _)| *index)?;
            thread.blocks.remove(&index)
        });
        match grown {
            Some(block) => block.item,
            None => self.next_item(),
        }
    }

    /// The item of a text that the turn's result has brought: the one that has grown into it, or a new
    /// one.
    pub(super) fn item_of_result(&mut self, text: &str) -> ItemId {
        let thread = self.threads.get("");
        let mut blocks = thread.into_iter().flat_map(|thread| thread.blocks.values());
        let mut texts = blocks.by_ref().filter(|block| block.kind == DeltaKind::MessageChunk);
        match texts.next().is_some_and(|block| text.starts_with(&block.text)) {
            true => self.item_of(None, None, DeltaKind::MessageChunk),
            false => self.next_item(),
        }
    }

    /// A message is whole. If it is not the one that was growing, the answer has come another way.
    pub(super) fn came_whole(&mut self, parent: Option<&str>, message: Option<&str>) {
        let thread = self.threads.get(parent.unwrap_or_default());
        let growing = thread.and_then(|thread| thread.message.as_deref());
        if growing.is_some() && message.is_some() && growing != message {
            self.give_up(parent);
        }
    }

    /// An answer begins again: what the last attempt left open is void.
    fn give_up(&mut self, parent: Option<&str>) {
        let Some(thread) = self.threads.get_mut(parent.unwrap_or_default()) else { return };
        let blocks = std::mem::take(&mut thread.blocks);
        let seen = blocks.into_values().filter(|block| !block.text.is_empty());
        let items: Vec<ItemId> = seen.map(|block| block.item).collect();
        if !items.is_empty() {
            let scope = self.within_thread(parent);
            self.tell_in(scope, Body::Retracted { uuids: Vec::new(), items });
        }
    }

    /// Ends what is open in the threads that `over` names, with what there is of it.
    pub(super) fn cut_off(&mut self, over: impl Fn(&str) -> bool) {
        let keys: Vec<String> = self.threads.keys().filter(|key| over(key)).cloned().collect();
        for key in keys {
            let Some(thread) = self.threads.remove(&key) else { continue };
            let parent = Some(key).filter(|key| !key.is_empty());
            for OpenBlock { item, kind, turn, text, .. } in thread.blocks.into_values() {
                if text.is_empty() {
                    continue;
                }
                let body = match kind {
                    DeltaKind::MessageChunk => {
                        Body::Message { item, text, uuid: None, partial: true }
                    }
                    DeltaKind::ReasoningChunk => {
                        Body::Reasoning { item, text, redacted: false, partial: true }
                    }
                    DeltaKind::ToolInputChunk => {
                        Body::Retracted { uuids: Vec::new(), items: vec![item] }
                    }
                };
                self.tell_in(Scope { turn, parent: parent.clone() }, body);
            }
        }
    }
}
