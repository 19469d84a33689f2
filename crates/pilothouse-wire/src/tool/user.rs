//! Talking with the user: `EnterPlanMode`, `ExitPlanMode`, `AskUserQuestion`, `SendUserMessage`,
//! `PushNotification`.

use std::collections::BTreeMap;

use crate::field::Nullable;
use crate::raw::{Num, Raw};

object! {
    /// Input of `EnterPlanMode`: nothing.
    #[derive(Default)]
    pub struct EnterPlanModeInput {}
}

object! {
    /// Output of `EnterPlanMode`.
    #[derive(Default)]
    pub struct EnterPlanModeOutput {
        /// What the model is told.
        message: String,
    }
}

object! {
    /// Input of `ExitPlanMode`.
    #[derive(Default)]
    pub struct ExitPlanModeInput {
        /// The plan. The CLI puts it here for the host; older models pass it themselves.
        plan: Option<String>,
        /// The file the plan is in.
        plan_file_path as "planFilePath": Option<String>,
        /// What the plan wants to be allowed; no longer heeded.
        allowed_prompts as "allowedPrompts": Vec<AllowedPrompt>,
    }
}

object! {
    /// Something a plan wants to be allowed.
    #[derive(Default)]
    pub struct AllowedPrompt {
        /// The tool.
        tool: Option<String>,
        /// What for.
        prompt: Option<String>,
    }
}

object! {
    /// Output of `ExitPlanMode`.
    #[derive(Default)]
    pub struct ExitPlanModeOutput {
        /// The plan; null where there is none.
        plan: Nullable<String>,
        /// Whether a subagent made it.
        is_agent as "isAgent": Option<bool>,
        /// The file it is in.
        file_path as "filePath": Option<String>,
        /// Whether the user changed it.
        plan_was_edited as "planWasEdited": Option<bool>,
        /// Whether subagents can carry it out.
        has_task_tool as "hasTaskTool": Option<bool>,
        /// Whether a team's leader must approve it.
        awaiting_leader_approval as "awaitingLeaderApproval": Option<bool>,
        /// That request.
        request_id as "requestId": Option<String>,
    }
}

object! {
    /// Input of `AskUserQuestion`. The host answers by allowing the tool with `answers` added.
    #[derive(Default)]
    pub struct AskUserQuestionInput {
        /// One to four questions.
        questions: Vec<Question>,
        /// Answers, by the text of the question; see [`joined_labels`] for several labels.
        answers: Option<BTreeMap<String, String>>,
        /// More about the answers, by the text of the question.
        annotations: Option<BTreeMap<String, Annotation>>,
        /// Free text in place of answers.
        response: Option<String>,
        /// Where the questions are from.
        metadata: Option<Raw>,
    }
}

object! {
    /// A question.
    #[derive(Default)]
    pub struct Question {
        /// Its text.
        question: String,
        /// A word or two to put above it.
        header: Option<String>,
        /// What can be chosen.
        options: Vec<QuestionOption>,
        /// Whether more than one can be.
        multi_select as "multiSelect": Option<bool>,
    }
}

object! {
    /// Something that can be chosen.
    #[derive(Default)]
    pub struct QuestionOption {
        /// What it is called.
        label: String,
        /// What it means.
        description: Option<String>,
        /// What it would look like.
        preview: Option<String>,
        /// The same, in old versions.
        markdown: Option<String>,
    }
}

object! {
    /// More about an answer.
    #[derive(Default)]
    pub struct Annotation {
        /// What the user was shown.
        preview: Option<String>,
        /// What the user added.
        notes: Option<String>,
        /// Why there is no answer.
        unanswered: Option<Unanswered>,
    }
}

words! {
    /// Why a question has no answer.
    pub enum Unanswered {
        Skipped = "skipped",
        RepliedInChat = "replied_in_chat",
        Dismissed = "dismissed",
    }
}

/// Several chosen labels as one answer: joined by `", "`, a label that holds `", "` or a quote
/// quoted as JSON.
pub fn joined_labels<'a>(labels: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = |label: &str| serde_json::Value::from(label).to_string();
    let labels = labels.into_iter().map(|label| {
        if label.contains(", ") || label.contains('"') { quoted(label) } else { label.to_owned() }
    });
    labels.collect::<Vec<_>>().join(", ")
}

object! {
    /// Output of `AskUserQuestion`.
    #[derive(Default)]
    pub struct AskUserQuestionOutput {
        /// The questions.
        questions: Vec<Question>,
        /// Answers, by the text of the question.
        answers: Option<BTreeMap<String, String>>,
        /// Free text in place of answers.
        response: Option<String>,
        /// More about the answers, by the text of the question.
        annotations: Option<BTreeMap<String, Annotation>>,
        /// Nobody answered for this long.
        afk_timeout_ms as "afkTimeoutMs": Option<Num>,
    }
}

object! {
    /// Input of `SendUserMessage`, and of `Brief` before it.
    #[derive(Default)]
    pub struct SendUserMessageInput {
        /// The message.
        message: String,
        /// Files to show with it.
        attachments: Vec<String>,
        /// `normal`, or `proactive` where the user did not ask.
        status: Option<String>,
    }
}

object! {
    /// Output of `SendUserMessage`.
    #[derive(Default)]
    pub struct SendUserMessageOutput {
        /// The message.
        message: String,
        /// The files shown with it.
        attachments: Vec<SentAttachment>,
        /// When.
        sent_at as "sentAt": Option<String>,
    }
}

object! {
    /// A file shown with a message.
    #[derive(Default)]
    pub struct SentAttachment {
        /// The file.
        path: Option<String>,
        /// Its size, in bytes.
        size: Option<u64>,
        /// Whether it is a picture.
        is_image as "isImage": Option<bool>,
        /// Its name in the file store.
        file_uuid: Option<String>,
    }
}

object! {
    /// Input of `PushNotification`.
    #[derive(Default)]
    pub struct PushNotificationInput {
        /// The message.
        message: String,
        /// `proactive`.
        status: Option<String>,
    }
}

object! {
    /// Output of `PushNotification`.
    #[derive(Default)]
    pub struct PushNotificationOutput {
        /// The message.
        message: String,
        /// Whether it went to the user's phone.
        push_sent as "pushSent": Option<bool>,
        /// Whether it was shown here.
        local_sent as "localSent": Option<bool>,
        /// Why it was not: `config_off`, `user_present`, `no_transport`.
        disabled_reason as "disabledReason": Option<String>,
        /// When.
        sent_at as "sentAt": Option<String>,
    }
}
