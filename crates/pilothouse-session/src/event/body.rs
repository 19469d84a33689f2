//! What can happen in a session.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::*;
use crate::approval::{Approval, Resolution};
use crate::id::{ApprovalId, ItemId, PromptId, RunId};
use crate::tool::{FileUpdate, NormalizedPayload, Todo};

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Body {
    /// The state of the session has changed.
    SessionStatus {
        /// The state it is in now.
        status: Status,
    },
    /// A process for the session has started.
    RunStarted {
        /// The run.
        run: RunId,
        /// Its process, where there is one here.
        pid: Option<u32>,
        /// How it came to be.
        origin: RunOrigin,
    },
    /// The CLI is ready to be spoken to.
    RunReady {
        /// The CLI's version.
        version: Option<String>,
        /// The models it offers.
        models: Vec<ModelOffer>,
        /// Who pays, as far as the CLI tells.
        account: Option<AccountSummary>,
    },
    /// The process has ended.
    RunEnded {
        /// The run.
        run: RunId,
        /// How.
        exit: Exit,
        /// The last of what it wrote to stderr.
        stderr_tail: String,
        /// What that means for the session.
        meaning: DeadRun,
    },
    /// The conversation has another id in the CLI now. What came before stays in the CLI's history
    /// under the old one.
    ConversationChanged {
        /// The CLI's id.
        cli_session: String,
        /// Its id before.
        previous: Option<String>,
        /// Why.
        reason: ConversationReason,
    },
    /// The slash commands that can be used.
    AvailableCommands {
        /// All of them.
        commands: Vec<CommandOffer>,
    },
    /// Somebody said something, or the CLI said it for them.
    UserMessage {
        /// The prompt, where it is one.
        prompt: Option<PromptId>,
        /// The item.
        item: ItemId,
        /// The text.
        text: String,
        /// Images and documents.
        attachments: Vec<Attachment>,
        /// Who said it.
        origin: MessageOrigin,
    },
    /// What has become of a prompt.
    PromptUpdated {
        /// The prompt.
        prompt: PromptId,
        /// Its state.
        state: PromptState,
    },
    /// A turn begins.
    TurnStarted {
        /// Nobody asked for it: a background task has ended, or another agent has spoken.
        autonomous: bool,
    },
    /// A whole text.
    Message {
        /// The item.
        item: ItemId,
        /// The text.
        text: String,
        /// The CLI's id of the message it is part of.
        uuid: Option<String>,
        /// It was cut off.
        #[serde(default, skip_serializing_if = "is_false")]
        partial: bool,
    },
    /// A whole piece of thinking.
    Reasoning {
        /// The item.
        item: ItemId,
        /// The text; empty where it is withheld.
        text: String,
        /// The API hides it.
        #[serde(default, skip_serializing_if = "is_false")]
        redacted: bool,
        /// It was cut off.
        #[serde(default, skip_serializing_if = "is_false")]
        partial: bool,
    },
    /// A tool is called.
    ToolCall {
        /// The item.
        item: ItemId,
        /// The call.
        tool_call_id: String,
        /// The tool, as the CLI calls it.
        tool_name: String,
        /// The call in a few words.
        title: String,
        /// The call.
        payload: Arc<NormalizedPayload>,
    },
    /// A tool call has ended, or goes on in the background.
    ToolUpdate {
        /// The item.
        item: ItemId,
        /// The call.
        tool_call_id: String,
        /// How it ended.
        status: ToolStatus,
        /// The call with what came of it.
        payload: Arc<NormalizedPayload>,
        /// Why it did not run, where it did not.
        reason: Option<String>,
    },
    /// Messages were taken back: by the CLI, or by the model API.
    Retracted {
        /// The CLI's ids of the messages.
        uuids: Vec<String>,
        /// The items they had become, as far as they are remembered.
        items: Vec<ItemId>,
    },
    /// The CLI waits for an answer.
    ApprovalRequested {
        /// What it asks.
        #[serde(flatten)]
        approval: Box<Approval>,
    },
    /// A request was answered.
    ApprovalResolved {
        /// The request.
        #[serde(flatten)]
        resolution: Box<Resolution>,
    },
    /// A request is void: nobody can answer it any more.
    PermissionCancelled {
        /// The request.
        approval: ApprovalId,
        /// Why.
        reason: CancelReason,
    },
    /// A plan was made.
    PlanReady {
        /// The request to leave plan mode with it.
        approval: ApprovalId,
        /// The plan.
        plan: String,
        /// The file it is kept in.
        file_path: Option<String>,
    },
    /// The user is asked something.
    QuestionAsked {
        /// The request that carries the answer.
        approval: ApprovalId,
        /// How many questions.
        questions: usize,
    },
    /// The permission mode is another one now.
    ModeChanged {
        /// The mode, as the CLI calls it.
        mode: String,
    },
    /// The model is another one now.
    ModelChanged {
        /// The model.
        model: String,
    },
    /// How hard the model thinks is set otherwise now.
    ThinkingChanged {
        /// The setting.
        thinking: Thinking,
    },
    /// How full the context is.
    ContextWindow {
        /// Tokens used.
        used: u64,
        /// Tokens there are.
        window: u64,
    },
    /// The to-do list is another one now.
    Todos {
        /// All entries.
        items: Vec<Todo>,
    },
    /// A file was changed by a tool.
    FileUpdated {
        /// The call.
        tool_call_id: String,
        /// The change.
        #[serde(flatten)]
        update: Box<FileUpdate>,
    },
    /// A subagent, a background command or the like has begun.
    TaskStarted {
        /// The task.
        #[serde(flatten)]
        task: Box<Task>,
    },
    /// A task goes on.
    TaskUpdated {
        /// The task.
        #[serde(flatten)]
        task: Box<Task>,
    },
    /// A task has ended.
    TaskEnded {
        /// The task.
        #[serde(flatten)]
        task: Box<Task>,
    },
    /// The conversation so far was summarised.
    Compacted {
        /// `manual` or `auto`.
        trigger: Option<String>,
        /// Tokens before.
        before: Option<u64>,
        /// Tokens after.
        after: Option<u64>,
    },
    /// The limits of the user's plan.
    RateLimit {
        /// `allowed`, `allowed_warning`, `rejected`.
        status: Option<String>,
        /// Which limit.
        limit: Option<String>,
        /// How much of it is used: 0 to 1.
        utilization: Option<f64>,
        /// When it is lifted: seconds since 1970.
        resets_at: Option<f64>,
    },
    /// Something to be told.
    Notice {
        /// How loud.
        level: NoticeLevel,
        /// What kind.
        about: NoticeKind,
        /// The text.
        text: String,
    },
    /// What the user may want to say next.
    PromptSuggestion {
        /// The text.
        text: String,
    },
    /// The title of the conversation.
    Renamed {
        /// The title.
        title: String,
    },
    /// A turn has settled.
    Complete {
        /// What came of it.
        #[serde(flatten)]
        completion: Box<Completion>,
    },
    /// A turn has failed.
    Error {
        /// What went wrong.
        message: String,
        /// The API's kind of error, or the CLI's reason.
        code: Option<String>,
    },
    /// A line that this version does not understand, whole.
    Unknown {
        /// Its `type`, with its `subtype` after a slash.
        what: Option<String>,
        /// The line; as text, cut, where it is very long. The wire log has it whole.
        raw: serde_json::Value,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
