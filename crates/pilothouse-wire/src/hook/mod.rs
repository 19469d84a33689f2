//! Hooks: the moments at which the CLI asks its host, what it tells, and what can be answered.
//!
//! A host registers [`HookMatcher`]s when it initialises the session. Each firing comes back as a
//! [`HookInput`] and is answered with a [`HookOutput`]; [`HookOutput::none`] has no opinion. An
//! event that this version does not know arrives whole as [`HookInput::Unknown`], and
//! [`HookInput::common`] works on it too.

/// An event's object: the fields that all events have, then its own.
macro_rules! event {
    ($(#[$meta:meta])* pub struct $name:ident { $($own:tt)* }) => {
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $name {
                /// The session.
                session_id: Option<String>,
                /// The file that holds the session's transcript.
                transcript_path: Option<String>,
                /// The working directory.
                cwd: Option<String>,
                /// The prompt this belongs to.
                prompt_id: Option<String>,
                /// The permission mode in force.
                permission_mode: Option<crate::permission::PermissionMode>,
                /// The subagent, where it happens inside one.
                agent_id: Option<String>,
                /// What kind of agent runs.
                agent_type: Option<String>,
                /// The effort in force.
                effort: Option<crate::hook::HookEffort>,
                $($own)*
            }
        }

        impl $name {
            /// The fields that all events have.
            pub fn common(&self) -> crate::hook::HookCommon {
                crate::hook::HookCommon {
                    session_id: self.session_id.clone(),
                    transcript_path: self.transcript_path.clone(),
                    cwd: self.cwd.clone(),
                    prompt_id: self.prompt_id.clone(),
                    permission_mode: self.permission_mode.clone(),
                    agent_id: self.agent_id.clone(),
                    agent_type: self.agent_type.clone(),
                    effort: self.effort.clone(),
                    ..Default::default()
                }
            }
        }
    };
}

mod call;
mod conversation;
mod input;
mod output;
mod registration;
mod specific;
mod surroundings;
#[cfg(test)]
mod tests;

pub use call::{
    BatchedCall, PermissionDenied, PermissionRequest, PostToolBatch, PostToolUse,
    PostToolUseFailure, PreToolUse,
};
pub use conversation::{
    BackgroundWork, CompactTrigger, ExpansionKind, MessageDisplay, ModelSwitchSource, Notification,
    PostCompact, PostModelSwitch, PreCompact, PreModelSwitch, PromptSource, SessionCron,
    SessionEnd, SessionEndReason, SessionStart, SessionStartSource, Stop, StopFailure,
    SubagentStart, SubagentStop, UserPromptExpansion, UserPromptSubmit,
};
pub use input::{HookCommon, HookEffort, HookEvent, HookInput};
pub use output::{HookOutput, HookVerdict};
pub use registration::{HookMatcher, OnFailure};
pub use specific::{
    CwdChangedOutput, ElicitationOutput, ElicitationResultOutput, FileChangedOutput,
    HookSpecificOutput, MessageDisplayOutput, NotificationOutput, PermissionDecision,
    PermissionDeniedOutput, PermissionRequestOutput, PostModelSwitchOutput, PostToolBatchOutput,
    PostToolUseFailureOutput, PostToolUseOutput, PreModelSwitchOutput, PreToolUseOutput,
    RequestAllow, RequestDecision, RequestDeny, SessionStartOutput, SetupOutput, StopOutput,
    SubagentStartOutput, SubagentStopOutput, UserPromptExpansionOutput, UserPromptSubmitOutput,
    WorktreeCreateOutput,
};
pub use surroundings::{
    ConfigChange, ConfigSource, CwdChanged, DirectoryAdded, DirectorySource, Elicitation,
    ElicitationResult, FileChange, FileChanged, InstructionsLoaded, LoadReason, MemoryKind, Setup,
    SetupTrigger, TaskCompleted, TaskCreated, TeammateIdle, WorktreeCreate, WorktreeRemove,
};
