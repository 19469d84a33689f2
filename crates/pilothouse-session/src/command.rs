//! What a client can ask for, and why it may be refused.

use pilothouse_wire::Content;
use pilothouse_wire::control::HostRequest;
use pilothouse_wire::permission::PermissionMode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::approval::Decision;
use crate::event::Attachment;
use crate::id::{ApprovalId, PromptId};

/// What a client asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Say something. Starts a run where there is none.
    Prompt {
        /// Names it; a prompt that is known already is not sent again.
        prompt: PromptId,
        /// What is said.
        content: Content,
        /// What goes along with it, as the host keeps it; told by the content if it is left empty.
        attachments: Vec<Attachment>,
        /// When it is heard.
        urgency: Urgency,
    },
    /// Take back a prompt that no turn works on yet.
    CancelPrompt {
        /// The prompt.
        prompt: PromptId,
    },
    /// Do not wait for the turn's end with a prompt that waits. The CLI does not hear the same prompt
    /// twice: one that it has in its queue is cancelled and said again under a new id, which the
    /// reply holds as `prompt`.
    SendNow {
        /// The prompt.
        prompt: PromptId,
    },
    /// Stop the turn.
    Interrupt {
        /// And take back all prompts that wait.
        cancel_queued: bool,
    },
    /// Answer a request.
    Decide {
        /// The request.
        approval: ApprovalId,
        /// The answer.
        decision: Decision,
        /// Who answers, as people call them.
        name: Option<String>,
        /// The same so that it can be told from every other.
        identity: Option<String>,
    },
    /// Change the permission mode.
    SetMode {
        /// The mode.
        mode: PermissionMode,
    },
    /// Change the model; none for the default.
    SetModel {
        /// The model.
        model: Option<String>,
    },
    /// Limit thinking; none for no limit, 0 for none at all.
    SetThinking {
        /// The most tokens.
        max_tokens: Option<u64>,
    },
    /// Change how hard the model thinks.
    SetEffort {
        /// `low`, `medium`, `high` …
        effort: String,
    },
    /// Start a run, if there is none.
    Start(From),
    /// End the run.
    Stop,
    /// Ask the CLI something else: tasks, servers, context, files. The reply holds its answer.
    Request(Box<HostRequest>),
}

/// From where a run goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum From {
    /// Where the conversation ended.
    #[default]
    End,
    /// After a message; what comes after it is dropped.
    Message {
        /// The CLI's id of the message.
        uuid: String,
    },
    /// A new conversation.
    Scratch,
}

/// When a prompt is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// After the current turn, or between two steps of it: as the CLI sees fit.
    #[default]
    Next,
    /// At once: the model is cut off.
    Now,
    /// After everything else.
    Later,
}

/// A mode under the name that people know it by.
pub fn mode_named(name: &str) -> PermissionMode {
    match name {
        "ask" | "manual" => PermissionMode::Default,
        "act" => PermissionMode::AcceptEdits,
        other => PermissionMode::from(other),
    }
}

/// Why a command is refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Refusal {
    /// There is no such request.
    #[error("there is no request {approval} in this session: reload to see what is open")]
    UnknownApproval {
        /// The request.
        approval: ApprovalId,
    },
    /// Somebody else was faster.
    #[error("request {approval} was answered already: the first answer counts")]
    AlreadyAnswered {
        /// The request.
        approval: ApprovalId,
    },
    /// The CLI does not wait for it any more.
    #[error(
        "request {approval} is void: the CLI has withdrawn it or has ended; send a prompt to go on"
    )]
    ApprovalVoid {
        /// The request.
        approval: ApprovalId,
    },
    /// The answer does not fit the request.
    #[error("this does not answer the request: {why}")]
    UnfitDecision {
        /// Why.
        why: String,
    },
    /// There is no such prompt, or it is past.
    #[error("prompt {prompt} does not wait any more")]
    PromptNotWaiting {
        /// The prompt.
        prompt: PromptId,
    },
    /// No more prompts can wait, or no more with so much in them.
    #[error(
        "too many prompts wait in this session, or too much is in them: let it answer some, or \
         cancel some"
    )]
    TooManyPrompts,
    /// The prompt mentions what the policy forbids to read. Claude Code reads mentions by itself.
    #[error(
        "the prompt mentions `{mention}`, and Claude Code would read it unasked, which is denied by \
         {rule}: write the name without `@`, or change the policy"
    )]
    MentionDenied {
        /// The mention.
        mention: String,
        /// The rule.
        rule: String,
    },
    /// So many mentions cannot be checked.
    #[error("the prompt mentions more than {most} files with `@`: put a part of it into a file")]
    TooManyMentions {
        /// How many can be.
        most: usize,
    },
    /// An approval is open, and would be lost.
    #[error("a request is open and would be withdrawn: answer it first, or interrupt the turn")]
    ApprovalOpen,
    /// There is no run.
    #[error("the session has no running CLI: start it, or send a prompt")]
    NotRunning,
    /// The run has not got so far.
    #[error("the CLI is being started or ended: try again in a moment")]
    NotReady,
    /// There is a run.
    #[error("the session runs already: stop it first")]
    AlreadyRunning,
    /// No turn goes on.
    #[error("nothing goes on that could be interrupted")]
    NothingToInterrupt,
    /// The CLI said no.
    #[error("the CLI refused: {message}")]
    Cli {
        /// In its words.
        message: String,
        /// Its code.
        code: Option<String>,
    },
    /// The run ended before the CLI answered.
    #[error("the CLI ended before it answered")]
    RunEnded,
}
