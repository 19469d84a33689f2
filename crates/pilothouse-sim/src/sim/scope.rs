//! In whose name something happens: the main conversation or a subagent, and for which prompts.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use serde_json::{Value, json};

use super::abort::Abort;
use super::ledger::Tokens;
use super::prompt::Prompt;
use super::transcript::Transcript;

/// A subagent.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) id: String,
    pub(super) run_id: String,
    pub(super) kind: String,
    pub(super) description: String,
    /// The call that started it.
    pub(super) tool_use_id: String,
    pub(super) depth: u32,
    pub(super) is_background: bool,
}

/// What a conversation is at, and what it has come to.
pub(super) struct Scope {
    pub(super) agent: Option<Agent>,
    pub(super) abort: Rc<Abort>,
    pub(super) transcript: Rc<Transcript>,
    pub(super) prompt_id: String,
    /// The prompt that the turn began with, if it was stamped.
    pub(super) lead: Option<String>,
    /// The stamped prompts that are being answered.
    pub(super) prompts: RefCell<Vec<String>>,
    pub(super) tally: RefCell<Tally>,
    /// Prompts that joined the turn when it was running.
    pub(super) folded: RefCell<Vec<Prompt>>,
    /// Calls that were not permitted, subagents' included.
    pub(super) denials: Rc<RefCell<Vec<Value>>>,
}

/// What is counted for a result.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) started: Instant,
    pub(super) tokens: Tokens,
    pub(super) last_tokens: Tokens,
    pub(super) first_input: Option<u64>,
    pub(super) first_word_ms: Option<u64>,
    pub(super) api_ms: u64,
    /// Messages to the model that no person wrote, and the first one that did.
    pub(super) rounds: u32,
    pub(super) text: String,
    pub(super) stop_reason: Option<String>,
    pub(super) tools_used: Vec<String>,
    pub(super) tool_calls: u64,
    /// The first frames of a turn name the prompts they answer.
    pub(super) stream_attributed: bool,
    pub(super) message_attributed: bool,
    pub(super) stop_hook_active: bool,
    pub(super) refusals: u32,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            started: Instant::now(),
            tokens: Tokens::default(),
            last_tokens: Tokens::default(),
            first_input: None,
            first_word_ms: None,
            api_ms: 0,
            rounds: 1,
            text: String::new(),
            stop_reason: None,
            tools_used: Vec::new(),
            tool_calls: 0,
            stream_attributed: false,
            message_attributed: false,
            stop_hook_active: false,
            refusals: 0,
        }
    }
}

impl Scope {
    pub(super) fn parent(&self) -> Value {
        match &self.agent {
            Some(agent) => json!(agent.tool_use_id),
            None => Value::Null,
        }
    }

    pub(super) fn is_main(&self) -> bool {
        self.agent.is_none()
    }

    /// Marks a frame as that of a subagent, if it is one.
    pub(super) fn sign(&self, frame: &mut Value) {
        frame["parent_tool_use_id"] = self.parent();
        if let Some(agent) = &self.agent {
            frame["agent_id"] = json!(agent.id);
            frame["subagent_type"] = json!(agent.kind);
            frame["task_description"] = json!(agent.description);
        }
    }

    /// Names the prompts in a frame.
    pub(super) fn attribute(&self, frame: &mut Value) {
        if let Some(lead) = &self.lead {
            frame["user_message_uuid"] = json!(lead);
            frame["user_message_uuids"] = json!(*self.prompts.borrow());
        }
    }
}
