//! Requests about the conversation: turns, prompts, tasks, title, plan.

use crate::field::Nullable;
use crate::raw::Raw;

object! {
    /// Aborts the current turn. Queued prompts still run unless they are cancelled with it.
    #[derive(Default)]
    pub struct Interrupt {
        /// Cancel queued prompts too.
        cancel_queued: Option<bool>,
    }
}

object! {
    /// What is left after an interrupt; older CLIs say nothing.
    #[derive(Default)]
    pub struct InterruptReply {
        /// Prompts that will still run.
        still_queued: Option<Vec<String>>,
        /// Prompts that will not.
        cancelled: Option<Vec<String>>,
    }
}

object! {
    /// Puts files back as they were before a prompt. Needs checkpointing.
    #[derive(Default)]
    pub struct RewindFiles {
        /// The prompt.
        user_message_id: String,
        /// Only tell what would change.
        dry_run: Option<bool>,
    }
}

object! {
    /// What a rewind changes.
    #[derive(Default)]
    pub struct RewindReply {
        /// Whether it can be done.
        can_rewind as "canRewind": Option<bool>,
        /// Files.
        files_changed as "filesChanged": Option<Vec<String>>,
        /// Lines added.
        insertions: Option<u64>,
        /// Lines removed.
        deletions: Option<u64>,
        /// Links that were left alone.
        skipped_links as "skippedLinks": Option<Raw>,
        /// Why not.
        error: Option<String>,
    }
}

object! {
    /// Takes a queued prompt back.
    #[derive(Default)]
    pub struct CancelAsyncMessage {
        /// The prompt.
        message_uuid: String,
    }
}

object! {
    /// Whether a prompt was taken back.
    #[derive(Default)]
    pub struct CancelReply {
        /// Whether it was.
        cancelled: Option<bool>,
    }
}

object! {
    /// Gives the session a title.
    #[derive(Default)]
    pub struct RenameSession {
        /// The title.
        title: String,
        /// `host` for a rename by the user.
        source: Option<String>,
        /// The session, where not this one.
        session_id: Option<String>,
    }
}

object! {
    /// Gives the session a colour.
    #[derive(Default)]
    pub struct SetColor {
        /// The colour.
        color: String,
    }
}

object! {
    /// Stops a task.
    #[derive(Default)]
    pub struct StopTask {
        /// The task.
        task_id: String,
    }
}

object! {
    /// Sends what runs into the background.
    #[derive(Default)]
    pub struct BackgroundTasks {
        /// One call; all where missing.
        tool_use_id: Option<String>,
    }
}

object! {
    /// Whether anything went into the background.
    #[derive(Default)]
    pub struct BackgroundReply {
        /// Whether it did.
        backgrounded: Option<bool>,
    }
}

object! {
    /// The end of a task's output.
    #[derive(Default)]
    pub struct GetTaskOutput {
        /// The task.
        task_id: String,
    }
}

object! {
    /// The end of a task's output.
    #[derive(Default)]
    pub struct TaskOutput {
        /// The text.
        output: Option<String>,
        /// How much there is in all.
        total_bytes: Option<u64>,
        /// Whether this is not all.
        truncated: Option<bool>,
    }
}

object! {
    /// Tells whether anybody watches.
    #[derive(Default)]
    pub struct SetHasSubscribers {
        /// Whether anybody does.
        has_subscribers: Nullable<bool>,
    }
}

object! {
    /// The plan.
    #[derive(Default)]
    pub struct GetPlan {}
}

object! {
    /// The plan.
    #[derive(Default)]
    pub struct PlanReply {
        /// Whether there is one.
        exists: Option<bool>,
        /// Its text.
        content: Nullable<String>,
        /// Its file, by another name.
        path: Option<String>,
        /// Its text, by another name.
        plan: Nullable<String>,
        /// Its file.
        file_path as "filePath": Option<String>,
    }
}

object! {
    /// Thinks of a title.
    #[derive(Default)]
    pub struct GenerateSessionTitle {
        /// What the session is about.
        description: String,
        /// Keep it.
        persist: Option<bool>,
    }
}

object! {
    /// A title.
    #[derive(Default)]
    pub struct TitleReply {
        /// The title.
        title: Nullable<String>,
    }
}

object! {
    /// Asks something beside the conversation.
    #[derive(Default)]
    pub struct SideQuestion {
        /// The question.
        question: String,
        /// Earlier ones with their answers.
        history: Option<Vec<Raw>>,
    }
}

object! {
    /// The answer to a side question.
    #[derive(Default)]
    pub struct SideAnswer {
        /// The answer.
        response: Nullable<String>,
        /// Made up by the CLI.
        synthetic: Option<bool>,
        /// Another model answered.
        refusal_fallback: Option<Raw>,
    }
}

object! {
    /// Ends the session.
    #[derive(Default)]
    pub struct EndSession {}
}
