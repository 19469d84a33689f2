//! What the CLI asks, and what may be answered.
//!
//! A request becomes an [`Approval`] in the session's table. A client sends a [`Decision`]; the first
//! one that fits wins, and `answer` makes of it what the CLI understands.

mod answer;
mod plain;
mod table;

use pilothouse_wire::{PermissionUpdate, Raw};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use answer::{Answered, answer};
pub(crate) use table::{Ask, Closed, Table};

use crate::id::ApprovalId;
use crate::policy::Explanation;
use crate::tool::{AskedQuestion, NormalizedPayload};

/// A request that waits for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Approval {
    /// The request.
    pub approval: ApprovalId,
    /// The call it is about.
    pub tool_call_id: Option<String>,
    /// The subagent that asks.
    pub agent_id: Option<String>,
    /// What is asked.
    pub subject: Subject,
    /// The question as a sentence, where the CLI has one.
    pub title: Option<String>,
    /// Why it is asked.
    pub reason: Option<String>,
    /// What "always" would change. Empty where no such rule may be offered.
    pub suggestions: Vec<Suggestion>,
    /// The path that is in the way.
    pub blocked_path: Option<String>,
    /// "No" should be preselected, and no single key should say yes.
    pub default_to_no: bool,
    /// It must not be answered from a notification.
    pub requires_user_interaction: bool,
    /// Why no policy has answered it.
    pub policy: Option<Explanation>,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Subject {
    /// May this tool be used?
    Tool {
        /// The tool.
        tool_name: String,
        /// What it would be called with, whole.
        input: Value,
        /// What that would do.
        payload: Box<NormalizedPayload>,
    },
    /// May plan mode be entered?
    EnterPlan,
    /// Is the plan good?
    Plan {
        /// The plan; none if the model wrote none.
        plan: Option<String>,
        /// The file it is kept in.
        file_path: Option<String>,
    },
    /// Questions of the model.
    Question {
        /// The questions.
        questions: Vec<AskedQuestion>,
    },
    /// An MCP server asks.
    Elicitation {
        /// The server.
        server: Option<String>,
        /// The question.
        message: Option<String>,
        /// What the form holds, as JSON Schema.
        schema: Option<Value>,
        /// Where to send the user instead.
        url: Option<String>,
        /// Names it, for when it is complete.
        elicitation_id: Option<String>,
    },
    /// A dialog of the CLI.
    Dialog {
        /// Which.
        dialog: String,
        /// What it shows.
        content: Option<Value>,
    },
}

/// A change that would make a request unnecessary next time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Suggestion(#[schemars(with = "Value")] pub PermissionUpdate);

impl<'de> Deserialize<'de> for Suggestion {
    /// By way of a `Value`: inside a tagged object the text is gone already.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let update = Raw::from(Value::deserialize(deserializer)?).read();
        update.map(Self).ok_or_else(|| serde::de::Error::custom("not a change of permissions"))
    }
}

/// What a client decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decision {
    /// Yes.
    Allow {
        /// With another input.
        #[serde(default)]
        input: Option<Value>,
        /// And change this: suggestions, as they are or with another rule or destination.
        #[serde(default)]
        updates: Vec<Suggestion>,
    },
    /// No.
    Deny {
        /// What the model is told.
        #[serde(default)]
        message: Option<String>,
        /// And stop the turn.
        #[serde(default)]
        stop: bool,
    },
    /// What becomes of a plan.
    Plan {
        /// The choice.
        choice: PlanChoice,
        /// The plan as it was edited.
        #[serde(default)]
        plan: Option<String>,
        /// What to change, when planning goes on.
        #[serde(default)]
        feedback: Option<String>,
    },
    /// Answers to questions.
    Answers {
        /// By the text of the question. A question without an entry is skipped.
        #[serde(default)]
        answers: Vec<QuestionReply>,
        /// What is said instead of answering.
        #[serde(default)]
        response: Option<String>,
    },
    /// The form of an elicitation.
    Form {
        /// What was filled in.
        #[serde(default)]
        content: Option<Value>,
    },
    /// What was chosen in a dialog.
    Choose {
        /// The choice.
        result: Value,
    },
}

/// What becomes of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanChoice {
    /// Carry it out in a new conversation that knows only the plan, and accept edits.
    ClearContext,
    /// Carry it out, and accept edits.
    AcceptEdits,
    /// Carry it out, and ask for each edit.
    ApproveByHand,
    /// Go on planning.
    KeepPlanning,
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionReply {
    /// The text of the question.
    pub question: String,
    /// The labels that were chosen, or free text.
    pub answers: Vec<String>,
    /// A remark.
    #[serde(default)]
    pub notes: Option<String>,
}

/// How a request was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// The request.
    pub approval: ApprovalId,
    /// The call it was about.
    pub tool_call_id: Option<String>,
    /// The tool it was about.
    pub tool_name: Option<String>,
    /// What was decided.
    pub decision: Decision,
    /// By whom.
    pub by: Decider,
}

/// Who decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decider {
    /// A client.
    Client {
        /// Who, as people call them. Two may have the same name.
        name: Option<String>,
        /// Who, as the host tells them apart; older events do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        identity: Option<String>,
    },
    /// A policy.
    Policy {
        /// The rule.
        because: Explanation,
    },
}
