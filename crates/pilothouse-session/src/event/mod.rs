//! Facts about a session, numbered without gaps, and pieces of what is still growing.
//!
//! Events are stored, sent and shown as they are; clients in any language read them. New kinds and
//! new fields may be added; none is removed or changes its meaning while [`VERSION`] stays.

mod body;
mod parts;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use body::Body;
pub use parts::*;

use crate::id::{ItemId, SessionId, TurnId};

/// The version of the events.
pub const VERSION: u32 = 1;

/// A durable fact about a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The session.
    pub session: SessionId,
    /// 1, 2, 3 … without gaps.
    pub seq: u64,
    /// When the machine was told of it.
    pub at: Timestamp,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// The call that started the subagent it comes from.
    pub parent_tool_call_id: Option<String>,
    /// Where the record begins that brought it about, in bytes of its run's wire log: the run that
    /// was last started before it. None where it came from elsewhere, such as a client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<u64>,
    /// What happened.
    #[serde(flatten)]
    pub body: Body,
}

/// A piece of an item that is still open. Not stored and not numbered: the event that ends the item
/// holds the whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delta {
    /// The item.
    pub item: ItemId,
    /// What grows.
    #[serde(rename = "type")]
    pub kind: DeltaKind,
    /// Where the piece begins: bytes of UTF-8 from the item's beginning.
    pub offset: usize,
    /// The piece.
    pub text: String,
}

impl Delta {
    /// Adds the piece that comes next, if it goes on where this one ends.
    #[must_use]
    pub fn extend(&mut self, next: &Self) -> bool {
        let goes_on = (self.item, self.kind, self.offset + self.text.len())
            == (next.item, next.kind, next.offset);
        if goes_on {
            self.text.push_str(&next.text);
        }
        goes_on
    }
}

/// What an open item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeltaKind {
    /// Text.
    MessageChunk,
    /// Thinking.
    ReasoningChunk,
    /// The input of a tool call, as JSON text.
    ToolInputChunk,
}

/// An item that has begun and not ended, for clients that come late.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OpenItem {
    /// The item.
    pub item: ItemId,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: DeltaKind,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// The call that started the subagent it comes from.
    pub parent_tool_call_id: Option<String>,
    /// The tool, where it is the input of a call.
    pub tool_name: Option<String>,
    /// The text so far.
    pub text: String,
}

/// The JSON Schema of events and deltas.
pub fn schema() -> serde_json::Value {
    let of = |schema: schemars::Schema| serde_json::Value::from(schema);
    serde_json::json!({
        "version": VERSION,
        "event": of(schemars::schema_for!(Event)),
        "delta": of(schemars::schema_for!(Delta)),
        "open_item": of(schemars::schema_for!(OpenItem)),
    })
}
