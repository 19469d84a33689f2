//! The open requests of a run, and the last ones that were closed.
//!
//! The CLI may deliver a request again, when it is initialised anew. Each is taken in once.

use std::collections::{BTreeMap, VecDeque};

use pilothouse_wire::control::cli::{Elicitation, UserDialog};
use pilothouse_wire::permission::CanUseTool;
use serde::{Deserialize, Serialize};

use super::plain::without_codes;
use super::{Approval, Subject, Suggestion};
use crate::command::Refusal;
use crate::id::ApprovalId;
use crate::policy::Explanation;
use crate::tool::{NormalizedPayload, QuestionCall};

/// How many closed requests are remembered, to tell a late client what became of them, and how many
/// of the CLI's ids, to know a request that comes again.
const REMEMBERED: usize = 256;

/// A request as the CLI made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Ask {
    /// About a tool; plans and questions too.
    Tool(Box<CanUseTool>),
    /// About a tool, by a hook that waits: the CLI would not ask.
    Hook(Box<CanUseTool>),
    /// Of an MCP server.
    Elicitation(Elicitation),
    /// A dialog.
    Dialog(UserDialog),
}

/// An open request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Open {
    /// The CLI's id of it.
    pub(crate) request_id: String,
    /// What it asks.
    pub(crate) ask: Ask,
    /// Why no policy has answered it.
    policy: Option<Explanation>,
}

impl Open {
    /// As clients see it.
    pub(crate) fn approval(&self, id: ApprovalId) -> Approval {
        Approval { policy: self.policy.clone(), ..self.ask.approval(id) }
    }
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Closed {
    /// It was answered.
    Answered,
    /// It can no longer be answered.
    Void,
}

/// All requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    last: u64,
    open: BTreeMap<ApprovalId, Open>,
    closed: VecDeque<(ApprovalId, Closed)>,
    /// What the CLI called the last requests of this run, of all kinds.
    seen: VecDeque<String>,
}

impl Table {
    /// Whether a request of any kind comes for the first time in this run.
    pub(crate) fn is_new(&mut self, request_id: &str) -> bool {
        if self.named(request_id).is_some() || self.seen.iter().any(|seen| seen == request_id) {
            return false;
        }
        self.note(request_id);
        true
    }

    /// A request of this name is not new any more.
    pub(crate) fn note(&mut self, request_id: &str) {
        push_bounded(&mut self.seen, request_id.to_owned());
    }

    /// Takes a request in.
    pub(crate) fn open(
        &mut self,
        request_id: &str,
        ask: Ask,
        policy: Option<Explanation>,
    ) -> ApprovalId {
        self.last += 1;
        let id = ApprovalId(self.last);
        self.open.insert(id, Open { request_id: request_id.to_owned(), ask, policy });
        id
    }

    /// Takes in a request that was shown already, and can only be closed.
    pub(crate) fn shown(&mut self, approval: &Approval) {
        self.last = self.last.max(approval.approval.0);
        let dialog = UserDialog {
            dialog_kind: String::new(),
            payload: None,
            tool_use_id: approval.tool_call_id.clone(),
            extra: Default::default(),
        };
        let open = Open { request_id: String::new(), ask: Ask::Dialog(dialog), policy: None };
        self.open.insert(approval.approval, open);
    }

    /// The next run has names of its own.
    pub(crate) fn forget_names(&mut self) {
        self.seen.clear();
    }

    /// The open request `id`, or why there is none.
    pub(crate) fn find(&self, id: ApprovalId) -> Result<&Open, Refusal> {
        if let Some(open) = self.open.get(&id) {
            return Ok(open);
        }
        Err(match self.closed.iter().find(|(closed, _)| *closed == id) {
            Some((_, Closed::Answered)) => Refusal::AlreadyAnswered { approval: id },
            Some((_, Closed::Void)) => Refusal::ApprovalVoid { approval: id },
            None if id.0 > 0 && id.0 <= self.last => Refusal::ApprovalVoid { approval: id },
            None => Refusal::UnknownApproval { approval: id },
        })
    }

    /// The open request that the CLI calls `request_id`.
    pub(crate) fn named(&self, request_id: &str) -> Option<ApprovalId> {
        self.open.iter().find(|(_, open)| open.request_id == request_id).map(|(id, _)| *id)
    }

    /// Closes a request.
    pub(crate) fn close(&mut self, id: ApprovalId, how: Closed) -> Option<Open> {
        let open = self.open.remove(&id)?;
        push_bounded(&mut self.closed, (id, how));
        Some(open)
    }

    /// Whether anything is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// The open requests.
    pub(crate) fn ids(&self) -> Vec<ApprovalId> {
        self.open.keys().copied().collect()
    }

    /// The open requests, as clients see them.
    pub(crate) fn approvals(&self) -> impl Iterator<Item = Approval> {
        self.open.iter().map(|(id, open)| open.approval(*id))
    }

    /// The open request about the call `tool_call_id`.
    pub(crate) fn about(&self, tool_call_id: &str) -> Option<ApprovalId> {
        let about = |open: &Open| open.ask.tool_call_id().as_deref() == Some(tool_call_id);
        self.open.iter().find(|(_, open)| about(open)).map(|(id, _)| *id)
    }

    /// The calls that wait for an answer: they have not run.
    pub(crate) fn held_calls(&self) -> impl Iterator<Item = String> {
        self.open.values().filter_map(|open| open.ask.tool_call_id())
    }
}

fn push_bounded<T>(last: &mut VecDeque<T>, item: T) {
    last.push_back(item);
    if last.len() > REMEMBERED {
        last.pop_front();
    }
}

impl Ask {
    /// The tool it is about.
    pub(crate) fn tool_name(&self) -> Option<&str> {
        match self {
            Self::Tool(request) | Self::Hook(request) => Some(&request.tool_name),
            Self::Elicitation(_) | Self::Dialog(_) => None,
        }
    }

    /// The call it is about.
    pub(crate) fn tool_call_id(&self) -> Option<String> {
        match self {
            Self::Tool(request) | Self::Hook(request) => request.tool_use_id.clone(),
            Self::Dialog(dialog) => dialog.tool_use_id.clone(),
            Self::Elicitation(_) => None,
        }
    }

    fn approval(&self, id: ApprovalId) -> Approval {
        let blank = Approval {
            approval: id,
            tool_call_id: self.tool_call_id(),
            agent_id: None,
            subject: self.subject(),
            title: None,
            reason: None,
            suggestions: Vec::new(),
            blocked_path: None,
            default_to_no: false,
            requires_user_interaction: false,
            policy: None,
        };
        match self {
            Self::Tool(request) | Self::Hook(request) => Approval {
                agent_id: request.agent_id.clone(),
                title: request.title.clone(),
                reason: request.decision_reason.as_deref().map(without_codes),
                suggestions: suggestions(request),
                blocked_path: request.blocked_path.clone(),
                default_to_no: request.default_to_no == Some(true),
                requires_user_interaction: request.requires_user_interaction == Some(true),
                ..blank
            },
            Self::Elicitation(request) => Approval { title: request.title.clone(), ..blank },
            Self::Dialog(_) => blank,
        }
    }

    /// What it is about.
    pub(crate) fn subject(&self) -> Subject {
        let value = |raw: &pilothouse_wire::Raw| raw.to_value();
        match self {
            Self::Tool(request) | Self::Hook(request) => tool_subject(request),
            Self::Elicitation(request) => Subject::Elicitation {
                server: request.mcp_server_name.clone(),
                message: request.message.clone(),
                schema: request.requested_schema.as_ref().map(value),
                url: request.url.clone(),
                elicitation_id: request.elicitation_id.clone(),
            },
            Self::Dialog(request) => Subject::Dialog {
                dialog: request.dialog_kind.clone(),
                content: request.payload.as_ref().map(value),
            },
        }
    }
}

/// No rule is offered where the user's own rule says ask, or the CLI wants none.
fn suggestions(request: &CanUseTool) -> Vec<Suggestion> {
    let withheld =
        request.matched_ask_rule.is_some() || request.suppress_always_allow_rule == Some(true);
    if withheld {
        return Vec::new();
    }
    request.permission_suggestions.iter().cloned().map(Suggestion).collect()
}

fn tool_subject(request: &CanUseTool) -> Subject {
    match NormalizedPayload::of_call(&request.tool_name, &request.input) {
        NormalizedPayload::Plan(_) if request.tool_name == "EnterPlanMode" => Subject::EnterPlan,
        NormalizedPayload::Plan(call) => {
            let plan = call.plan.filter(|plan| !plan.trim().is_empty());
            Subject::Plan { plan, file_path: call.file_path }
        }
        NormalizedPayload::Question(QuestionCall { questions, .. }) => {
            Subject::Question { questions }
        }
        payload => Subject::Tool {
            tool_name: request.tool_name.clone(),
            input: request.input.to_value(),
            payload: Box::new(payload),
        },
    }
}
