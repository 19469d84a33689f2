//! Events of the conversation: prompts, session, turns, subagents, compaction, model.

use crate::field::Nullable;
use crate::message::AssistantError;
use crate::raw::Num;

event! {
    /// A prompt came in.
    pub struct UserPromptSubmit {
        /// The prompt.
        prompt: String,
        /// Who sent it.
        source: Option<PromptSource>,
        /// The session's title.
        session_title: Option<String>,
    }
}

words! {
    /// Who sent a prompt.
    pub enum PromptSource {
        User = "user",
        Sdk = "sdk",
        System = "system",
        LoopWakeup = "loop_wakeup",
        ScheduleWakeup = "schedule_wakeup",
        PollEvent = "poll_event",
    }
}

event! {
    /// A slash command or MCP prompt was expanded.
    pub struct UserPromptExpansion {
        /// What was expanded.
        expansion_type: Option<ExpansionKind>,
        /// Its name.
        command_name: String,
        /// What followed the name.
        command_args: Option<String>,
        /// Where the command is from.
        command_source: Option<String>,
        /// What it became.
        prompt: Option<String>,
    }
}

words! {
    /// What was expanded.
    pub enum ExpansionKind {
        SlashCommand = "slash_command",
        McpPrompt = "mcp_prompt",
    }
}

event! {
    /// A session began or went on.
    pub struct SessionStart {
        /// How.
        source: Option<SessionStartSource>,
        /// The model.
        model: Option<String>,
        /// The session's title.
        session_title: Option<String>,
        /// How long the session lay idle.
        seconds_since_last_response: Option<Num>,
        /// Tokens in the context.
        context_tokens: Option<u64>,
        /// Whether the prompt cache has probably gone.
        prompt_cache_likely_expired: Option<bool>,
        /// What filling the cache again would cost, in dollars.
        estimated_cache_write_usd: Option<Num>,
    }
}

words! {
    /// How a session began.
    pub enum SessionStartSource {
        Startup = "startup",
        Resume = "resume",
        Clear = "clear",
        Compact = "compact",
        Fork = "fork",
    }
}

event! {
    /// A session ends.
    pub struct SessionEnd {
        /// Why.
        reason: Option<SessionEndReason>,
    }
}

words! {
    /// Why a session ends.
    pub enum SessionEndReason {
        Clear = "clear",
        Resume = "resume",
        Logout = "logout",
        PromptInputExit = "prompt_input_exit",
        /// Any other reason; the CLI's own word.
        Unspecified = "other",
    }
}

event! {
    /// The agent is about to stop.
    pub struct Stop {
        /// Whether it went on because of a stop hook already; block again and it may never end.
        stop_hook_active: Option<bool>,
        /// What it said last.
        last_assistant_message: Option<String>,
        /// What still runs.
        background_tasks: Vec<BackgroundWork>,
        /// What is scheduled.
        session_crons: Vec<SessionCron>,
    }
}

event! {
    /// The turn ended with an API error.
    pub struct StopFailure {
        /// The error.
        error: Option<AssistantError>,
        /// What the agent said last.
        last_assistant_message: Option<String>,
        /// The error at length.
        error_details: Option<String>,
    }
}

event! {
    /// A subagent starts; `agent_id` and `agent_type` name it.
    pub struct SubagentStart {}
}

event! {
    /// A subagent is about to stop; `agent_id` and `agent_type` name it.
    pub struct SubagentStop {
        /// Whether it went on because of a stop hook already; block again and it may never end.
        stop_hook_active: Option<bool>,
        /// The file that holds the subagent's transcript.
        agent_transcript_path: Option<String>,
        /// What it said last.
        last_assistant_message: Option<String>,
        /// What still runs.
        background_tasks: Vec<BackgroundWork>,
        /// What is scheduled.
        session_crons: Vec<SessionCron>,
    }
}

object! {
    /// A task that still runs when the agent stops.
    #[derive(Default)]
    pub struct BackgroundWork {
        /// The task.
        id: Option<String>,
        /// `local_bash`, `local_agent` …
        kind as "type": Option<String>,
        /// How it stands.
        status: Option<String>,
        /// What it is, in a few words.
        description: Option<String>,
        /// Of a shell, its command.
        command: Option<String>,
        /// Of an agent, its kind.
        agent_type: Option<String>,
        /// Of an MCP task, its server.
        server: Option<String>,
        /// Of an MCP task, its tool.
        tool: Option<String>,
        /// Its name.
        name: Option<String>,
    }
}

object! {
    /// A prompt scheduled in the session.
    #[derive(Default)]
    pub struct SessionCron {
        /// The job.
        id: Option<String>,
        /// When it runs, as a cron expression.
        schedule: Option<String>,
        /// Whether it runs again.
        recurring: Option<bool>,
        /// What it says.
        prompt: Option<String>,
    }
}

event! {
    /// The conversation is about to be compacted.
    pub struct PreCompact {
        /// Who wants it.
        trigger: Option<CompactTrigger>,
        /// What the user said about it.
        custom_instructions: Nullable<String>,
    }
}

event! {
    /// The conversation was compacted.
    pub struct PostCompact {
        /// Who wanted it.
        trigger: Option<CompactTrigger>,
        /// What replaces the conversation.
        compact_summary: Option<String>,
    }
}

words! {
    /// Who wants the conversation compacted.
    pub enum CompactTrigger {
        Manual = "manual",
        Auto = "auto",
    }
}

macro_rules! model_switch {
    ($($(#[$meta:meta])* $name:ident),*) => {$(
        event! {
            $(#[$meta])*
            pub struct $name {
                /// The model it was.
                from_model: Option<String>,
                /// The model it is to be.
                to_model: String,
                /// What was asked for, before aliases.
                requested_model: Nullable<String>,
                /// Who asked.
                source: Option<ModelSwitchSource>,
                /// Tokens in the context.
                context_tokens: Option<u64>,
                /// Whether the prompt cache is still warm.
                prompt_cache_warm: Option<bool>,
                /// How long the cache lasts: `5m` or `1h`.
                cache_ttl: Option<String>,
                /// What filling the new model's cache costs, in dollars.
                estimated_cache_write_usd: Option<Num>,
                /// Where the price is from: `configured`, `catalog`, `default`.
                pricing: Option<String>,
            }
        }
    )*};
}
model_switch!(
    /// The model is about to be switched.
    PreModelSwitch,
    /// The model was switched.
    PostModelSwitch
);

words! {
    /// Who asked for another model.
    pub enum ModelSwitchSource {
        Command = "command",
        Picker = "picker",
        Sdk = "sdk",
        /// The CLI itself; only after the fact.
        Auto = "auto",
        /// A resumed session; only after the fact.
        Resume = "resume",
    }
}

event! {
    /// The CLI notifies the user.
    pub struct Notification {
        /// The message.
        message: String,
        /// Its title.
        title: Option<String>,
        /// What it is about.
        notification_type: Option<String>,
    }
}

event! {
    /// Text of the assistant is about to be shown.
    pub struct MessageDisplay {
        /// The turn.
        turn_id: Option<String>,
        /// The message.
        message_id: Option<String>,
        /// Which piece of the message.
        index: Option<u64>,
        /// Whether it is the last piece.
        is_final as "final": Option<bool>,
        /// The piece.
        delta: Option<String>,
    }
}
