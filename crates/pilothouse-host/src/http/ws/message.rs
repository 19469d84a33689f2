//! What is said over the socket, in both directions.

use std::collections::BTreeMap;

use pilothouse_session::approval::Decision;
use pilothouse_session::command::{From, Urgency};
use pilothouse_session::event::OpenItem;
use pilothouse_session::id::{ApprovalId, PromptId, SessionId};
use pilothouse_session::{Delta, Event};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::http::problem::Document;
use crate::store::SessionRow;

/// What a client says: one object per text message.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// Watch a session: first everything after the event `after`, then what happens. Again for the
    /// same session: begins anew.
    Subscribe {
        /// The session.
        session: SessionId,
        /// The number of the last event that the client has; 0 for none.
        #[serde(default)]
        after: u64,
    },
    /// Watch it no more.
    Unsubscribe {
        /// The session.
        session: SessionId,
    },
    /// Be told which sessions change in the list. `list_lagged` comes first: what is read of the list
    /// after it misses nothing.
    WatchList,
    /// Be told no more.
    UnwatchList,
    /// Ask something of a session. The reply bears the same id.
    Command {
        /// Names the command; the client chooses it.
        id: u64,
        /// The session.
        session: SessionId,
        /// What.
        command: Box<Order>,
    },
    /// Is somebody there? The reply bears the same id.
    Ping {
        /// The client chooses it.
        id: u64,
    },
}

/// What can be asked of a session over the socket.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Say something.
    Prompt {
        /// A text, or a list of content blocks.
        content: Value,
        /// The same prompt under the same key is said once, however often it is sent.
        #[serde(default)]
        key: Option<String>,
        /// When it is heard.
        #[serde(default)]
        urgency: Urgency,
    },
    /// Take back a prompt that no turn works on yet.
    CancelPrompt {
        /// The prompt.
        prompt: PromptId,
    },
    /// Do not wait for the turn's end with a prompt that waits.
    SendNow {
        /// The prompt.
        prompt: PromptId,
    },
    /// Stop the turn.
    Interrupt {
        /// And take back all prompts that wait.
        #[serde(default)]
        cancel_queued: bool,
    },
    /// Answer a request.
    Decide {
        /// The request.
        approval: ApprovalId,
        /// The answer.
        decision: Decision,
    },
    /// Change the permission mode.
    SetMode {
        /// The mode, or `ask` and `act`.
        mode: String,
    },
    /// Change the model; none for the default.
    SetModel {
        /// The model.
        model: Option<String>,
    },
    /// Limit thinking; none for no limit, 0 for none at all.
    SetThinking {
        /// The most tokens.
        max_tokens: Option<u32>,
    },
    /// Change how hard the model thinks.
    SetEffort {
        /// `low`, `medium`, `high` …
        effort: String,
    },
    /// Start a run, if there is none.
    Start {
        /// From where the conversation goes on.
        #[serde(default)]
        from: From,
    },
    /// End the run.
    Stop,
}

/// What the host says: every text message is a list of these.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage {
    /// Events of a session, in their order, without gaps.
    Events {
        /// The session.
        session: SessionId,
        /// The events.
        events: Vec<Event>,
    },
    /// Pieces of items that are still open.
    Deltas {
        /// The session.
        session: SessionId,
        /// The pieces.
        deltas: Vec<Delta>,
    },
    /// All that was stored has been sent; what follows is live.
    Live {
        /// The session.
        session: SessionId,
        /// The number of its last event.
        seq: u64,
        /// Half-written items.
        open_items: Vec<OpenItem>,
    },
    /// The client was too slow and has missed pieces: what is missing of the events follows, then
    /// `live` again. Half-written items are to be forgotten.
    Lagged {
        /// The session.
        session: SessionId,
    },
    /// The session cannot be watched, or no longer.
    Unsubscribed {
        /// The session.
        session: SessionId,
        /// Why, unless the client wanted it.
        problem: Option<Box<Document>>,
    },
    /// What has become of a command.
    Reply {
        /// The client's id of it.
        id: Option<u64>,
        /// The answer.
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<Value>,
        /// Why not.
        #[serde(skip_serializing_if = "Option::is_none")]
        problem: Option<Box<Document>>,
    },
    /// Sessions as they are listed now; none for one that is gone.
    Sessions {
        /// By their ids.
        sessions: BTreeMap<SessionId, Option<SessionRow>>,
    },
    /// Read the list: it is watched from now on, or more has changed in it than could be told.
    ListLagged,
}
