//! The table of events: [`HookInput`] and [`HookEvent`] are made from it, so they cannot differ.

use crate::hook::call::{
    PermissionDenied, PermissionRequest, PostToolBatch, PostToolUse, PostToolUseFailure, PreToolUse,
};
use crate::hook::conversation::{
    MessageDisplay, Notification, PostCompact, PostModelSwitch, PreCompact, PreModelSwitch,
    SessionEnd, SessionStart, Stop, StopFailure, SubagentStart, SubagentStop, UserPromptExpansion,
    UserPromptSubmit,
};
use crate::hook::surroundings::{
    ConfigChange, CwdChanged, DirectoryAdded, Elicitation, ElicitationResult, FileChanged,
    InstructionsLoaded, Setup, TaskCompleted, TaskCreated, TeammateIdle, WorktreeCreate,
    WorktreeRemove,
};
use crate::permission::PermissionMode;
use crate::raw::Extra;

macro_rules! events {
    ($( $(#[$meta:meta])* $event:ident = $word:literal ),* $(,)?) => {
        tagged! {
            /// What a hook is told when it fires.
            pub enum HookInput by "hook_event_name" {
                $( $(#[$meta])* $event($event) = $word ),*
            }
        }

        words! {
            /// A moment at which hooks can fire.
            pub enum HookEvent {
                $( $(#[$meta])* $event = $word ),*
            }
        }

        impl HookEvent {
            /// All events that this version knows.
            pub const ALL: &'static [Self] = &[$( Self::$event ),*];
        }

        impl HookInput {
            /// The event; `None` only where the input does not name one.
            pub fn event(&self) -> Option<HookEvent> {
                self.tag().map(HookEvent::from)
            }

            /// The fields that all events have, also of an event that is not known.
            pub fn common(&self) -> HookCommon {
                match self {
                    $( Self::$event(event) => event.common(), )*
                    Self::Unknown(unknown) => {
                        let common: HookCommon = unknown.raw.read().unwrap_or_default();
                        HookCommon { extra: Extra::default(), ..common }
                    }
                }
            }
        }
    };
}

events! {
    /// Before a tool runs.
    PreToolUse = "PreToolUse",
    /// After a tool ran.
    PostToolUse = "PostToolUse",
    /// After a tool failed.
    PostToolUseFailure = "PostToolUseFailure",
    /// After all tools of one answer ran.
    PostToolBatch = "PostToolBatch",
    /// A permission is about to be asked for.
    PermissionRequest = "PermissionRequest",
    /// A permission was denied.
    PermissionDenied = "PermissionDenied",
    /// A prompt came in.
    UserPromptSubmit = "UserPromptSubmit",
    /// A slash command or MCP prompt was expanded.
    UserPromptExpansion = "UserPromptExpansion",
    /// A session began or went on.
    SessionStart = "SessionStart",
    /// A session ends.
    SessionEnd = "SessionEnd",
    /// The agent is about to stop.
    Stop = "Stop",
    /// The turn ended with an API error.
    StopFailure = "StopFailure",
    /// A subagent starts.
    SubagentStart = "SubagentStart",
    /// A subagent is about to stop.
    SubagentStop = "SubagentStop",
    /// The conversation is about to be compacted.
    PreCompact = "PreCompact",
    /// The conversation was compacted.
    PostCompact = "PostCompact",
    /// The model is about to be switched.
    PreModelSwitch = "PreModelSwitch",
    /// The model was switched.
    PostModelSwitch = "PostModelSwitch",
    /// The CLI notifies the user.
    Notification = "Notification",
    /// The CLI was run to set something up.
    Setup = "Setup",
    /// A teammate has nothing to do.
    TeammateIdle = "TeammateIdle",
    /// An entry of the task list was made.
    TaskCreated = "TaskCreated",
    /// An entry of the task list was completed.
    TaskCompleted = "TaskCompleted",
    /// An MCP server asks the user.
    Elicitation = "Elicitation",
    /// The user answered an MCP server.
    ElicitationResult = "ElicitationResult",
    /// A settings file changed.
    ConfigChange = "ConfigChange",
    /// A file of instructions was loaded.
    InstructionsLoaded = "InstructionsLoaded",
    /// A worktree is to be made.
    WorktreeCreate = "WorktreeCreate",
    /// A worktree is to be removed.
    WorktreeRemove = "WorktreeRemove",
    /// The working directory changed.
    CwdChanged = "CwdChanged",
    /// A watched file changed.
    FileChanged = "FileChanged",
    /// A directory was added to the workspace.
    DirectoryAdded = "DirectoryAdded",
    /// Text of the assistant is about to be shown.
    MessageDisplay = "MessageDisplay",
}

impl HookEvent {
    /// Whether [`HookMatcher::on_failure`](crate::hook::HookMatcher::on_failure) may be `block` for
    /// it: what ends a piece of work cannot be held up by a hook that is broken.
    pub fn can_block_on_failure(&self) -> bool {
        !matches!(self, Self::Stop | Self::SubagentStop | Self::TaskCompleted | Self::TeammateIdle)
    }
}

object! {
    /// The fields that all events have.
    #[derive(Default)]
    pub struct HookCommon {
        /// The session.
        session_id: Option<String>,
        /// The file that holds the session's transcript.
        transcript_path: Option<String>,
        /// The working directory.
        cwd: Option<String>,
        /// The prompt this belongs to.
        prompt_id: Option<String>,
        /// The permission mode in force.
        permission_mode: Option<PermissionMode>,
        /// The subagent, where it happens inside one.
        agent_id: Option<String>,
        /// What kind of agent runs.
        agent_type: Option<String>,
        /// The effort in force.
        effort: Option<HookEffort>,
    }
}

object! {
    /// The effort in force.
    #[derive(Default)]
    pub struct HookEffort {
        /// `low`, `medium`, `high` …
        level: Option<String>,
    }
}
