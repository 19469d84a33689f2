//! What `trust` takes.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Trust the Claude Code settings of repositories
#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// List decisions about repositories
    Ls {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a repository would bring to sessions
    Show {
        /// A directory in the repository [default: the current one]
        dir: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Trust a repository with its present content
    Add(AddArgs),
    /// Remove the decisions about a repository
    Rm {
        /// A directory in the repository, or its path as `ls` prints it
        dir: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// A directory in the repository [default: the current one]
    pub(crate) dir: Option<PathBuf>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Let the repository's hooks answer approvals in your place
    #[arg(long)]
    pub(crate) allow_hook_answers: bool,
    /// Never use the repository's settings, and do not ask again
    #[arg(long, conflicts_with_all = ["yes", "allow_hook_answers"])]
    pub(crate) never: bool,
}
