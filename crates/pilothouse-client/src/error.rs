//! What can go wrong, and what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use pilothouse_wire::invocation::{InvocationError, Rejection};
use pilothouse_wire::message::ResultFrame;

use crate::locate::NPX;
use crate::mcp::McpError;
use crate::process::{Exit, Launch};

/// The CLI could not be started, or did not come up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No CLI anywhere.
    #[error(
        "the Claude Code CLI was not found (looked in {}); install it with \
         `npm install -g @anthropic-ai/claude-code`, or set PILOTHOUSE_CLAUDE to its path",
        list(.looked_in)
    )]
    CliNotFound {
        /// Where it was looked for.
        looked_in: Vec<PathBuf>,
    },
    /// The given path leads nowhere.
    #[error("there is no program at {}; correct the path of the CLI or leave it out", .path.display())]
    NoSuchProgram {
        /// The path.
        path: PathBuf,
    },
    /// There is no `npx` to run the CLI with.
    #[error("npx was not found on the PATH; install Node.js, or choose an installed CLI")]
    NpxNotFound,
    /// The given path cannot be run.
    #[error("{} cannot be run; make it executable (`chmod +x`) or give another path", .path.display())]
    NotExecutable {
        /// The path.
        path: PathBuf,
    },
    /// The working directory does not exist.
    #[error("the working directory {} does not exist; create it or choose another", .path.display())]
    NoSuchDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("could not start {}: {source}", .path.display())]
    Spawn {
        /// The program.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The child has no pipes; does not happen.
    #[error("the CLI was started without pipes; please report this")]
    NoPipes,
    /// The options cannot be put on a command line.
    #[error(transparent)]
    Options(#[from] InvocationError),
    /// An MCP server of the program cannot be offered.
    #[error(transparent)]
    Mcp(#[from] McpError),
    /// A hook that must be able to block would be ignored.
    #[error("this CLI cannot block on a failing hook; update the CLI, or let the hook continue")]
    HooksCannotBlock,
    /// The CLI does not take an option: often it is too old for it.
    #[error("{0}")]
    Rejected(Rejection),
    /// The MCP configuration is not valid.
    #[error("the MCP configuration is not valid: {message}; correct the server's entry")]
    McpConfigRefused {
        /// What it said.
        message: String,
    },
    /// The session to resume does not exist.
    #[error(
        "there is no session {id} to resume in this directory; list sessions with \
         `pilothouse_client::history`, or start a new one"
    )]
    NoSuchSession {
        /// The session.
        id: String,
    },
    /// The CLI said why it cannot start.
    #[error("the CLI could not start ({reason}): {message}")]
    Failed {
        /// One word.
        reason: String,
        /// What it said.
        message: String,
    },
    /// The CLI ended before it was ready.
    #[error(
        "the CLI ended before it was ready, with {0}; run it by hand with `--version` to see \
         whether it works at all"
    )]
    Exited(Exit),
    /// The CLI did not answer.
    #[error(
        "the CLI was not ready after {after:?}; a slow MCP server or start-up hook may be the \
         reason: raise `Options::startup_timeout`. {stderr}"
    )]
    TimedOut {
        /// How long it had.
        after: Duration,
        /// The last of its stderr.
        stderr: String,
    },
    /// The CLI refused to be initialised.
    #[error("the CLI refused to start a conversation: {message}")]
    Refused {
        /// What it said.
        message: String,
    },
}

impl StartError {
    pub(crate) fn from_spawn(launch: &Launch, source: io::Error) -> Self {
        let path = launch.exe.clone();
        match source.kind() {
            // The system says "not found" of the directory and of the program alike.
            io::ErrorKind::NotFound => match &launch.cwd {
                Some(cwd) if !cwd.is_dir() => Self::NoSuchDirectory { path: cwd.clone() },
                _ if path.as_os_str() == NPX => Self::NpxNotFound,
                _ => Self::NoSuchProgram { path },
            },
            io::ErrorKind::NotADirectory => match &launch.cwd {
                Some(cwd) => Self::NoSuchDirectory { path: cwd.clone() },
                None => Self::NoSuchProgram { path },
            },
            io::ErrorKind::PermissionDenied => Self::NotExecutable { path },
            _ => Self::Spawn { path, source },
        }
    }

    /// Why the CLI ended, from its last words.
    pub(crate) fn from_exit(
        exit: Exit,
        result: Option<&ResultFrame>,
        resuming: Option<&str>,
    ) -> Self {
        let said = result.map(ResultFrame::text).filter(|text| !text.is_empty());
        let said = said.unwrap_or_else(|| exit.stderr.trim().to_owned());
        if let Some(rejection) = Rejection::find(&exit.stderr) {
            return Self::Rejected(rejection);
        }
        if said.contains("MCP config") {
            return Self::McpConfigRefused { message: said };
        }
        if let Some(id) = resuming.filter(|_| said.contains("No conversation found")) {
            return Self::NoSuchSession { id: id.to_owned() };
        }
        match result.and_then(|result| result.startup_failure_reason.clone()) {
            Some(reason) => Self::Failed { reason, message: said },
            None => Self::Exited(exit),
        }
    }
}

fn list(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(", ")
}

/// A request to a running CLI did not work.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The CLI has ended, or its stdin was closed.
    #[error("the CLI has ended; start it again with the session's id to go on")]
    Ended,
    /// The CLI said no.
    #[error("the CLI refused `{request}`: {message}")]
    Refused {
        /// What was asked.
        request: String,
        /// Why not.
        message: String,
        /// Why not, as a word.
        code: Option<String>,
    },
    /// No answer came.
    #[error(
        "the CLI did not answer `{request}` within {after:?}; it may be busy: try again, or raise \
         `Options::request_timeout`"
    )]
    Unanswered {
        /// What was asked.
        request: String,
        /// How long it had.
        after: Duration,
    },
    /// The answer is of another kind than this version knows.
    #[error("the CLI answered `{request}` with something unexpected: {payload}")]
    Unreadable {
        /// What was asked.
        request: String,
        /// The answer.
        payload: String,
    },
    /// An MCP server of the program cannot be offered.
    #[error(transparent)]
    Mcp(#[from] McpError),
    /// What was to be sent is not JSON.
    #[error("the message cannot be written as JSON: {0}")]
    Unwritable(String),
}

impl RequestError {
    /// Names the request that failed, where that was not known yet.
    pub(crate) fn of_request(self, request: String) -> Self {
        match self {
            Self::Refused { message, code, .. } => Self::Refused { request, message, code },
            Self::Unreadable { payload, .. } => Self::Unreadable { request, payload },
            other => other,
        }
    }
}

/// A turn did not do what it was asked to.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// There is no login.
    #[error(
        "Claude Code is not logged in: {message}; run `claude` once and log in, or set \
         ANTHROPIC_API_KEY"
    )]
    NotLoggedIn {
        /// What the CLI said.
        message: String,
    },
    /// The API said no.
    #[error("the model could not be reached: {message}")]
    Api {
        /// HTTP status.
        status: Option<u64>,
        /// What the CLI said.
        message: String,
    },
    /// The session to resume does not exist.
    #[error("the session cannot be resumed: {message}; list sessions with `history`")]
    NoSuchSession {
        /// What the CLI said.
        message: String,
    },
    /// The turn was interrupted.
    #[error("the turn was interrupted")]
    Interrupted(Box<ResultFrame>),
    /// A limit that was set has been reached.
    #[error("the turn stopped at a limit: {limit}; raise it, or send another prompt to go on")]
    Limit {
        /// Which.
        limit: Limit,
    },
    /// The answer is not the value that was asked for.
    #[error(
        "the answer is not of the type that was asked for ({reason}); ask again, or ask for a \
         simpler type. It said: {text}"
    )]
    NotAsAsked {
        /// What is wrong with it.
        reason: String,
        /// The final text.
        text: String,
    },
    /// It failed in another way.
    #[error("the turn failed: {}", .0.text())]
    Failed(Box<ResultFrame>),
    /// The CLI ended before the turn did.
    #[error("the CLI ended in mid-turn, with {0}; start it again with the session's id to go on")]
    Ended(Exit),
}

/// A limit of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// `Invocation::max_turns`.
    Turns,
    /// `Invocation::max_budget_usd`.
    Budget,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Turns => "max turns",
            Self::Budget => "budget",
        })
    }
}
