//! The part of an answer that differs by event.
//!
//! Events that are not here take no specific answer.

use crate::control::cli::ElicitationAction;
use crate::hook::HookEvent;
use crate::permission::PermissionUpdate;
use crate::raw::Raw;

tagged! {
    /// The part of an answer that differs by event. It must name the event that is answered.
    pub enum HookSpecificOutput by "hookEventName" {
        /// To a tool that is about to run.
        PreToolUse(PreToolUseOutput) = "PreToolUse",
        /// To a tool that ran.
        PostToolUse(PostToolUseOutput) = "PostToolUse",
        /// To a tool that failed.
        PostToolUseFailure(PostToolUseFailureOutput) = "PostToolUseFailure",
        /// To a batch of tools that ran.
        PostToolBatch(PostToolBatchOutput) = "PostToolBatch",
        /// To a permission that is about to be asked for.
        PermissionRequest(PermissionRequestOutput) = "PermissionRequest",
        /// To a permission that was denied.
        PermissionDenied(PermissionDeniedOutput) = "PermissionDenied",
        /// To a prompt.
        UserPromptSubmit(UserPromptSubmitOutput) = "UserPromptSubmit",
        /// To an expanded command.
        UserPromptExpansion(UserPromptExpansionOutput) = "UserPromptExpansion",
        /// To the start of a session.
        SessionStart(SessionStartOutput) = "SessionStart",
        /// To an agent that is about to stop.
        Stop(StopOutput) = "Stop",
        /// To a subagent that starts.
        SubagentStart(SubagentStartOutput) = "SubagentStart",
        /// To a subagent that is about to stop.
        SubagentStop(SubagentStopOutput) = "SubagentStop",
        /// To a switch of model, before it.
        PreModelSwitch(PreModelSwitchOutput) = "PreModelSwitch",
        /// To a switch of model, after it.
        PostModelSwitch(PostModelSwitchOutput) = "PostModelSwitch",
        /// To a notification.
        Notification(NotificationOutput) = "Notification",
        /// To set-up.
        Setup(SetupOutput) = "Setup",
        /// To a question of an MCP server.
        Elicitation(ElicitationOutput) = "Elicitation",
        /// To the user's answer to an MCP server.
        ElicitationResult(ElicitationResultOutput) = "ElicitationResult",
        /// To a worktree that is to be made.
        WorktreeCreate(WorktreeCreateOutput) = "WorktreeCreate",
        /// To another working directory.
        CwdChanged(CwdChangedOutput) = "CwdChanged",
        /// To a changed file.
        FileChanged(FileChangedOutput) = "FileChanged",
        /// To text that is about to be shown.
        MessageDisplay(MessageDisplayOutput) = "MessageDisplay",
    }
}

words! {
    /// A hook's word on a permission.
    pub enum PermissionDecision {
        Allow = "allow",
        Deny = "deny",
        /// Ask the user.
        Ask = "ask",
        /// Leave it to what would happen without the hook; not for a switch of model.
        Defer = "defer",
    }
}

object! {
    /// Answer to a tool that is about to run.
    #[derive(Default)]
    pub struct PreToolUseOutput {
        /// Whether it may.
        permission_decision as "permissionDecision": Option<PermissionDecision>,
        /// Why. The model reads it when the answer is no.
        permission_decision_reason as "permissionDecisionReason": Option<String>,
        /// Replaces what the model passes, whole.
        updated_input as "updatedInput": Option<Raw>,
        /// Told to the model.
        additional_context as "additionalContext": Option<String>,
    }
}

object! {
    /// Answer to a tool that ran.
    #[derive(Default)]
    pub struct PostToolUseOutput {
        /// Told to the model.
        additional_context as "additionalContext": Option<String>,
        /// Told to the classifier of permission mode `auto`.
        classifier_context as "classifierContext": Option<String>,
        /// Replaces what the tool returned.
        updated_tool_output as "updatedToolOutput": Option<Raw>,
        /// Replaces what an MCP tool returned.
        updated_mcp_tool_output as "updatedMCPToolOutput": Option<Raw>,
    }
}

object! {
    /// Answer to a permission that is about to be asked for.
    pub struct PermissionRequestOutput {
        /// The decision, in the user's place.
        decision: RequestDecision,
    }
}

tagged! {
    /// A decision in the user's place.
    pub enum RequestDecision by "behavior" {
        /// The tool may run.
        Allow(RequestAllow) = "allow",
        /// It may not.
        Deny(RequestDeny) = "deny",
    }
}

object! {
    /// The tool may run.
    #[derive(Default)]
    pub struct RequestAllow {
        /// Replaces what the model passes, whole.
        updated_input as "updatedInput": Option<Raw>,
        /// Changes to the rules.
        updated_permissions as "updatedPermissions": Vec<PermissionUpdate>,
    }
}

object! {
    /// The tool may not run.
    #[derive(Default)]
    pub struct RequestDeny {
        /// What the model reads.
        message: Option<String>,
        /// Whether the turn ends too.
        interrupt: Option<bool>,
    }
}

object! {
    /// Answer to a permission that was denied.
    #[derive(Default)]
    pub struct PermissionDeniedOutput {
        /// Whether the model may try again.
        retry: Option<bool>,
    }
}

object! {
    /// Answer to a prompt.
    #[derive(Default)]
    pub struct UserPromptSubmitOutput {
        /// Told to the model.
        additional_context as "additionalContext": Option<String>,
        /// The session's new title.
        session_title as "sessionTitle": Option<String>,
        /// Whether the prompt itself is kept from the model.
        suppress_original_prompt as "suppressOriginalPrompt": Option<bool>,
    }
}

object! {
    /// Answer to an expanded command.
    #[derive(Default)]
    pub struct UserPromptExpansionOutput {
        /// Told to the model.
        additional_context as "additionalContext": Option<String>,
        /// Whether the prompt itself is kept from the model.
        suppress_original_prompt as "suppressOriginalPrompt": Option<bool>,
    }
}

object! {
    /// Answer to the start of a session.
    #[derive(Default)]
    pub struct SessionStartOutput {
        /// Told to the model.
        additional_context as "additionalContext": Option<String>,
        /// A prompt to begin with.
        initial_user_message as "initialUserMessage": Option<String>,
        /// The session's title.
        session_title as "sessionTitle": Option<String>,
        /// Files to watch; an empty list watches none.
        watch_paths as "watchPaths": Option<Vec<String>>,
        /// Whether to look for skills again.
        reload_skills as "reloadSkills": Option<bool>,
    }
}

object! {
    /// Answer to a switch of model that is about to happen.
    #[derive(Default)]
    pub struct PreModelSwitchOutput {
        /// Whether it may.
        permission_decision as "permissionDecision": Option<PermissionDecision>,
        /// Why.
        permission_decision_reason as "permissionDecisionReason": Option<String>,
    }
}

object! {
    /// Answer to a worktree that is to be made.
    #[derive(Default)]
    pub struct WorktreeCreateOutput {
        /// Where the hook made it.
        worktree_path as "worktreePath": String,
    }
}

object! {
    /// Answer to text that is about to be shown.
    #[derive(Default)]
    pub struct MessageDisplayOutput {
        /// Shown instead.
        display_content as "displayContent": Option<String>,
    }
}

macro_rules! context_only {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $name {
                /// Told to the model.
                additional_context as "additionalContext": Option<String>,
            }
        }
    )*};
}
context_only! {
    /// Answer to a tool that failed.
    PostToolUseFailureOutput,
    /// Answer to a batch of tools that ran.
    PostToolBatchOutput,
    /// Answer to an agent that is about to stop.
    StopOutput,
    /// Answer to a subagent that starts.
    SubagentStartOutput,
    /// Answer to a subagent that is about to stop.
    SubagentStopOutput,
    /// Answer to a switch of model.
    PostModelSwitchOutput,
    /// Answer to a notification.
    NotificationOutput,
    /// Answer to set-up.
    SetupOutput,
}

macro_rules! elicitation_answer {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $name {
                /// What the server is told.
                action: Option<ElicitationAction>,
                /// The answer itself.
                content: Option<Raw>,
            }
        }
    )*};
}
elicitation_answer! {
    /// Answer to a question of an MCP server, in the user's place.
    ElicitationOutput,
    /// Changes what the user answered.
    ElicitationResultOutput,
}

macro_rules! watch_only {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $name {
                /// Files to watch; an empty list watches none.
                watch_paths as "watchPaths": Option<Vec<String>>,
            }
        }
    )*};
}
watch_only! {
    /// Answer to another working directory.
    CwdChangedOutput,
    /// Answer to a changed file.
    FileChangedOutput,
}

macro_rules! takes_context {
    ($($event:ident($output:ident)),* $(,)?) => {
        impl HookSpecificOutput {
            /// `text` for the model, in answer to `event`. `None` where the event takes no text.
            pub fn context(event: &HookEvent, text: impl Into<String>) -> Option<Self> {
                let additional_context = Some(text.into());
                match event {
                    $( HookEvent::$event =>
                        Some(Self::$event($output { additional_context, ..Default::default() })), )*
                    _ => None,
                }
            }
        }
    };
}
takes_context! {
    PreToolUse(PreToolUseOutput),
    PostToolUse(PostToolUseOutput),
    PostToolUseFailure(PostToolUseFailureOutput),
    PostToolBatch(PostToolBatchOutput),
    UserPromptSubmit(UserPromptSubmitOutput),
    UserPromptExpansion(UserPromptExpansionOutput),
    SessionStart(SessionStartOutput),
    Stop(StopOutput),
    SubagentStart(SubagentStartOutput),
    SubagentStop(SubagentStopOutput),
    PostModelSwitch(PostModelSwitchOutput),
    Notification(NotificationOutput),
    Setup(SetupOutput),
}
