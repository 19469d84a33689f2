//! `user`: tool results, echoes of prompts, and what the CLI says in the user's place; and the
//! prompts that a host sends, which have the same shape.

use crate::block::Content;
use crate::field::Nullable;
use crate::raw::{Num, Raw};

object! {
    /// A user message, from the CLI or to it.
    #[derive(Default)]
    pub struct UserFrame {
        /// What it says.
        message: UserMessage,
        /// The call that started the subagent this belongs to.
        parent_tool_use_id: Nullable<String>,
        /// The subagent.
        agent_id: Option<String>,
        /// The session; empty on prompts.
        session_id: Option<String>,
        /// Names the message. Prompts carry one chosen by the host: echo, attribution, cancelling,
        /// rewinding and resuming go by it.
        uuid: Option<String>,
        /// When it was sent.
        timestamp: Option<String>,
        /// What the tool returned, structured; see [`crate::tool::ToolOutput`].
        tool_use_result: Option<Raw>,
        /// Why a tool did not run.
        tool_result_meta: Vec<ToolResultMeta>,
        /// An echo of a prompt.
        is_replay as "isReplay": Option<bool>,
        /// The subagent's kind.
        subagent_type: Option<String>,
        /// What the subagent was told to do, in a few words.
        task_description: Option<String>,
        /// Not typed by a person.
        is_synthetic as "isSynthetic": Option<bool>,
        /// Where the message is from.
        origin: Option<Box<Origin>>,
        /// The answer that the model refused to go on with, and that this stands for.
        refused_message_id: Option<String>,
        /// Its place in the queue.
        priority: Option<Priority>,
        /// False: add to the transcript, start no turn.
        should_query as "shouldQuery": Option<bool>,
        /// Deliver verbatim: no `@path`, no slash command, no attachments.
        client_composed: Option<bool>,
        /// Not typed, but attachments still run.
        text_not_typed: Option<bool>,
        /// What was pasted.
        pasted_content: Option<Raw>,
        /// What was pasted into the text.
        inline_pastes: Option<Raw>,
        /// Put back into the queue if interrupted this soon.
        requeue_if_interrupted_within_ms: Option<u64>,
        /// Files that came with an echoed prompt.
        file_attachments: Option<Raw>,
    }
}

object! {
    /// Role and content.
    pub struct UserMessage {
        /// `user`.
        role: Option<String>,
        /// Text or blocks.
        content: Content,
    }
}

impl Default for UserMessage {
    fn default() -> Self {
        Self {
            role: Some("user".to_owned()),
            content: Content::default(),
            extra: Default::default(),
        }
    }
}

impl UserFrame {
    /// A prompt typed by a person, named `uuid`.
    pub fn prompt(uuid: impl Into<String>, content: impl Into<Content>) -> Self {
        Self {
            message: UserMessage { content: content.into(), ..UserMessage::default() },
            parent_tool_use_id: Nullable::Null,
            session_id: Some(String::new()),
            uuid: Some(uuid.into()),
            origin: Some(Box::new(Origin { kind: Some("human".to_owned()), ..Origin::default() })),
            ..Self::default()
        }
    }
}

object! {
    /// Why a tool did not run.
    #[derive(Default)]
    pub struct ToolResultMeta {
        /// The call.
        id: Option<String>,
        /// `user-rejected`, `permission-rule`, `interrupted` …
        non_execution_kind: Option<String>,
        /// Who decided.
        permission_decision: Option<Raw>,
        /// What the user said.
        user_feedback: Option<String>,
        /// What would help.
        remedy: Option<Raw>,
    }
}

words! {
    /// Where a prompt goes in the queue.
    pub enum Priority {
        /// Steers: the current answer is cut short.
        Now = "now",
        Next = "next",
        /// Behind everything.
        Later = "later",
    }
}

object! {
    /// Where a message is from.
    #[derive(Default)]
    pub struct Origin {
        /// `human`, `task-notification`, `peer`, `channel` …
        kind: Option<String>,
        /// Of a task notification, what made it: `session-task` …
        producer: Option<String>,
        /// Of a task notification, the run of the task.
        run_id as "runId": Option<String>,
        /// Of a task notification, what kind.
        subkind: Option<String>,
        /// Of a channel, its server.
        server: Option<String>,
        /// Of a peer, who.
        from: Option<String>,
        /// Of a peer, its name.
        name: Option<String>,
        /// Of a scheduled task, why it runs.
        fire_reason as "fireReason": Option<String>,
        /// Of a peer, whether it asks for permissions: `bypass`, `prompting`.
        from_mode as "fromMode": Option<String>,
        /// Of a peer, its session.
        from_session as "fromSession": Option<String>,
        /// Of a peer or an observer, its task.
        sender_task_id as "senderTaskId": Option<String>,
        /// Of a peer, what it said.
        body: Option<String>,
        /// Of a peer, its process, where that is certain.
        verified_peer_pid as "verifiedPeerPid": Option<Num>,
    }
}

impl Origin {
    /// Whether the CLI ran this turn of its own accord. Kinds that are not known count as a user's.
    pub fn is_autonomous(&self) -> bool {
        matches!(
            self.kind.as_deref(),
            Some("task-notification" | "peer" | "coordinator" | "observer" | "observer-activity")
        )
    }
}
