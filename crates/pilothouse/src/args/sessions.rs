//! What the commands about sessions take. A session is named by its id, the end or the beginning of
//! it, Claude Code's own id, or `last`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How a session may be named.
const SESSION: &str = "The session: its id or a part of it, or `last`";

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "a whole number above 0".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
}

#[derive(Debug, Args)]
pub(crate) struct LsArgs {
    /// Archived ones too
    #[arg(long, short)]
    pub(crate) all: bool,
    /// Only those that wait for somebody
    #[arg(long)]
    pub(crate) waiting: bool,
    /// Only those of this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Only those with this tag
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 50, value_parser = at_least_one)]
    pub(crate) limit: usize,
    /// As JSON, one session per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AttachArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
    /// Begin with so many events of the past
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) tail: u64,
}

#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
    /// What was said on the wire, as it was
    #[arg(long, conflicts_with = "json")]
    pub(crate) raw: bool,
    /// Go on with what happens, until Ctrl-C
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Events as JSON, one per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Only events after this number
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub(crate) after: u64,
}

#[derive(Debug, Args)]
pub(crate) struct SendArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
    /// What to say; without it, what is piped in
    pub(crate) prompt: Vec<String>,
    /// Interrupt the turn instead of waiting for its end
    #[arg(long)]
    pub(crate) now: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The session; may be left out where only one request waits
    pub(crate) session: Option<String>,
    /// The number of the request, where several wait
    pub(crate) request: Option<u64>,
    /// Do not ask again: keep the rules that Claude Code suggests
    #[arg(long)]
    pub(crate) always: bool,
    /// With --always, also keep these of its suggestions
    #[arg(long, value_enum, value_delimiter = ',', requires = "always", value_name = "KIND")]
    pub(crate) also: Vec<Also>,
}

/// What Claude Code may suggest besides rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Also {
    Directories,
    Mode,
}

#[derive(Debug, Args)]
pub(crate) struct DenyArgs {
    /// The session; may be left out where only one request waits
    pub(crate) session: Option<String>,
    /// The number of the request, where several wait
    pub(crate) request: Option<u64>,
    /// What to tell Claude
    #[arg(long, short)]
    pub(crate) message: Option<String>,
    /// And stop the turn
    #[arg(long)]
    pub(crate) stop: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
    /// The title of the copy
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// End the copy after the message with this id
    #[arg(long, value_name = "UUID")]
    pub(crate) at: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RewindArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
    /// The id of the prompt; without it, the prompts are listed
    pub(crate) prompt: Option<uuid::Uuid>,
    /// Only tell what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// The sessions: their ids or parts of them
    #[arg(required = true)]
    pub(crate) sessions: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Words that have to be there
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Also in conversations of Claude Code that were not imported
    #[arg(long)]
    pub(crate) past: bool,
    /// At most so many places
    #[arg(long, short = 'n', value_name = "N", default_value_t = 30)]
    pub(crate) limit: usize,
    /// As JSON, one place per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Conversations, by Claude Code's ids; without any, they are listed
    pub(crate) conversations: Vec<String>,
    /// All conversations of the directory
    #[arg(long)]
    pub(crate) all: bool,
    /// Those of this directory instead of the current one
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Those of all directories
    #[arg(long, conflicts_with = "cwd")]
    pub(crate) everywhere: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[arg(help = SESSION)]
    pub(crate) session: String,
    /// In which form: to be read, or all events for programs
    #[arg(long, default_value = "markdown")]
    pub(crate) format: ExportFormat,
    /// Write to this file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    // To be read.
    Markdown,
    // All events, for programs.
    Json,
}

impl ExportFormat {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Json => "json",
        }
    }
}
