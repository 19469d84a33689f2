//! What happened.

use pilothouse_wire::Frame;

use crate::command::Command;
use crate::event::{Event, Exit, NoticeLevel, RunOrigin};
use crate::id::{CommandId, PromptId, RunId};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Input {
    /// The CLI wrote a line.
    Line(Box<Frame>),
    /// A client asks for something.
    Command {
        /// To which the reply belongs.
        id: CommandId,
        /// What.
        command: Command,
    },
    /// A run was started.
    Started {
        /// The run.
        run: RunId,
        /// Its process.
        pid: Option<u32>,
        /// How it came to be.
        origin: RunOrigin,
    },
    /// All lines up to this one have reached the CLI.
    Written {
        /// The number of the last one.
        number: u64,
    },
    /// The machine has stopped since the run began. The run's end is the next input, and nothing is
    /// stored in between.
    MachineStopped,
    /// The run has ended; all its lines were handed in.
    Exited {
        /// How.
        exit: Exit,
        /// The last of its stderr.
        stderr_tail: String,
    },
    /// The run has ended, and lines of it are gone that were handed in once: what was stored of
    /// them is all that is left.
    Lost {
        /// The stored events that the machine has not made.
        events: Vec<Event>,
        /// What became of the run.
        why: String,
    },
    /// The CLI works and has said nothing for a while.
    Silent {
        /// For how many seconds.
        seconds: u64,
    },
    /// What a hook wanted is done.
    Worked {
        /// The CLI's id of the request.
        request: String,
        /// What came of it.
        result: HookResult,
    },
    /// What the CLI's transcript was looked through for.
    Looked(Transcript),
    /// The host has something to say about the session's surroundings.
    Notice {
        /// How serious it is.
        level: NoticeLevel,
        /// The text.
        text: String,
    },
}

impl Input {
    /// A notice from the host.
    pub fn notice(level: NoticeLevel, text: impl Into<String>) -> Self {
        Self::Notice { level, text: text.into() }
    }
}

/// What is in the CLI's transcript of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transcript {
    /// Of the prompts that were looked for, these.
    Holds(Vec<PromptId>),
    /// There is none.
    Missing,
    /// It cannot be read.
    Unreadable,
}

/// What came of a hook's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookResult {
    /// The file; none where there is none, or it is no text.
    Baseline(Option<String>),
    /// The turn may end.
    MayStop,
    /// The model goes on.
    GoOn {
        /// What it is told.
        reason: String,
    },
}
