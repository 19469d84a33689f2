//! What is to be done, in this order.

use pilothouse_wire::Raw;
use pilothouse_wire::permission::PermissionMode;
use serde::{Deserialize, Serialize};

use crate::command::Refusal;
use crate::event::{Delta, Event, RunOrigin, Thinking};
use crate::id::{CommandId, PromptId, RunId};

/// Something to be done. Of one input, events come first, then the checkpoint, then the rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Store it, then show it.
    Append(Box<Event>),
    /// Show it.
    Stream(Delta),
    /// Write the machine's state down, in one transaction with the events of the same input. Comes
    /// after every input that cannot be found again in what the CLI wrote, before anything of it
    /// leaves the house; see [`crate::session`].
    Checkpoint,
    /// Write a line to the CLI.
    Send {
        /// 1, 2, 3 … within a run. A line whose number was written already is not written again.
        number: u64,
        /// The line, with its newline.
        line: Vec<u8>,
    },
    /// Start a run.
    Start(Launch),
    /// End the run: interrupt, end of input, signals.
    Stop,
    /// Tell who sent the command what became of it.
    Reply {
        /// The command.
        command: CommandId,
        /// The CLI's answer, or why not.
        result: Result<Raw, Refusal>,
    },
    /// Do this, and come back with [`crate::Input::Worked`]. The CLI waits for it.
    Work {
        /// The CLI's id of the request.
        request: String,
        /// What.
        work: HookWork,
    },
    /// Look into the CLI's transcript, and come back with [`crate::Input::Looked`]. The next run
    /// waits for it.
    Look {
        /// The CLI's id of the conversation.
        cli_session: String,
        /// The prompts that are looked for.
        prompts: Vec<PromptId>,
    },
}

impl Effect {
    /// What is stored comes before what cannot be taken back.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Append(_) | Self::Stream(_) => 0,
            Self::Checkpoint => 1,
            Self::Send { .. }
            | Self::Start(_)
            | Self::Stop
            | Self::Reply { .. }
            | Self::Work { .. }
            | Self::Look { .. } => 2,
        }
    }
}

/// How a run is to be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The name of the run to be: whoever takes over a session finds what was started under it.
    pub run: RunId,
    /// The conversation.
    pub origin: RunOrigin,
    /// The mode to begin in, where it is not the session's own.
    pub mode: Option<PermissionMode>,
    /// The model to begin with, where it is not the session's own.
    pub model: Option<String>,
    /// How hard the model is to think.
    pub thinking: Thinking,
}

/// What the host does for a hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HookWork {
    /// Read a file, as it is before a tool changes it.
    Baseline {
        /// The file, as the tool names it.
        path: String,
    },
    /// Say whether the turn may end.
    MayStop,
}
