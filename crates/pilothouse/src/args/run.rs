//! What `run` takes.

use std::path::PathBuf;

use clap::Args;

use super::positive;

#[derive(Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// What to say; what is piped into it comes after
    pub(crate) prompt: Vec<String>,

    /// Print events as JSON, one per line
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) json: bool,
    /// Print only the answer
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Work in this directory instead of the current one
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// The model, such as `opus`
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The `claude` to run
    #[arg(long, value_name = "PATH")]
    pub(crate) claude: Option<PathBuf>,
    /// Stop after so many turns of the model
    #[arg(long, value_name = "N")]
    pub(crate) max_turns: Option<u32>,
    /// Stop when so many dollars are spent
    #[arg(long, value_name = "USD", value_parser = positive)]
    pub(crate) max_budget_usd: Option<f64>,

    /// Who answers what Claude may do: `supervised` (the default), `autonomous`, `plan`, or a file
    /// of your own
    #[arg(long, value_name = "POLICY", help_heading = "Permissions")]
    pub(crate) policy: Option<String>,
    /// The permission mode: `ask`, `act` (accepts edits), `plan`, `dontAsk`, `auto`, or
    /// `bypassPermissions` (nothing is asked, no policy is heard)
    #[arg(long, help_heading = "Permissions")]
    pub(crate) mode: Option<String>,
    /// Ask about every call that no rule allows, also about those that Claude Code allows by itself
    #[arg(long, help_heading = "Permissions")]
    pub(crate) see_every_call: bool,
    /// Where nobody can be asked (no terminal, --json, --quiet), wait for an answer from elsewhere
    /// instead of refusing
    #[arg(long, help_heading = "Permissions")]
    pub(crate) wait: bool,

    /// Use the repository's own Claude Code settings in this session, as they are now (hooks, MCP
    /// servers, helpers …; `pilothouse trust show` lists them)
    #[arg(long, help_heading = "Permissions")]
    pub(crate) trust: bool,
    /// With --trust: let the repository's hooks answer approvals in your place
    #[arg(long, requires = "trust", help_heading = "Permissions")]
    pub(crate) allow_hook_answers: bool,

    /// Go on with this session, or with this conversation of Claude Code
    #[arg(
        long,
        value_name = "ID",
        conflicts_with = "continue_last",
        help_heading = "Conversation"
    )]
    pub(crate) resume: Option<String>,
    /// Go on with the latest session of the directory
    #[arg(long = "continue", short = 'c', help_heading = "Conversation")]
    pub(crate) continue_last: bool,
    /// With --resume or --continue: go on in a copy
    #[arg(long, help_heading = "Conversation")]
    pub(crate) fork: bool,
}
