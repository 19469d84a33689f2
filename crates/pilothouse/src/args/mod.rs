//! The command line.
//!
//! Each command has its options beside its name; what all have in common is in [`Common`]. Help is
//! grouped by what people want to do: see `help`.

mod help;
mod run;
mod sessions;
mod trust;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use help::command;
pub(crate) use run::RunArgs;
pub(crate) use sessions::*;
pub(crate) use trust::{AddArgs, TrustCommand};

/// Runs, watches and steers Claude Code sessions.
#[derive(Debug, Parser)]
#[command(name = "pilothouse", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Keep everything in this directory [default: ~/.local/share/pilothouse]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Read this configuration [default: ~/.config/pilothouse/config.toml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set a key of the configuration; may come several times
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Whether to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// Whether to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    // In a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the daemon, or find it, and open the web client
    Up(UpArgs),
    /// Try everything with a simulated Claude: no account, no network
    Demo(DemoArgs),
    /// Say something to Claude and watch it work
    Run(Box<RunArgs>),
    /// Check Claude Code and this machine, and say how to fix what is wrong
    Doctor(JsonArgs),

    /// Run the daemon in the foreground
    Serve(ServeArgs),
    /// Tell whether the daemon runs, and what goes on
    Status(JsonArgs),
    /// Stop the daemon; sessions go on without it
    Down,
    /// Make a link that logs a browser in, once; list and end logins
    Login(LoginArgs),

    /// List sessions: those that need you first
    Ls(LsArgs),
    /// Show a session and what waits in it
    Show(ShowArgs),
    /// Watch a session, talk to it and answer it
    Attach(AttachArgs),
    /// Print what happened in a session
    Logs(LogsArgs),
    /// Say something to a session, without waiting
    Send(SendArgs),
    /// Allow what a session asks for
    Approve(ApproveArgs),
    /// Refuse what a session asks for
    Deny(DenyArgs),
    /// Stop the `claude` process of a session; it can be resumed
    Stop(SessionArgs),
    /// Start a `claude` process for a session again
    Resume(SessionArgs),
    /// Make a copy of a session's conversation
    Fork(ForkArgs),
    /// Put files back as they were before a prompt
    Rewind(RewindArgs),
    /// Delete sessions
    Rm(RmArgs),
    /// Look for words in all sessions
    Search(SearchArgs),
    /// Take over conversations that Claude Code has kept
    Import(ImportArgs),
    /// Write a session to a file, as Markdown or JSON
    Export(ExportArgs),

    /// Show recorded lines as if they happened now
    Replay(ReplayArgs),
    /// Check, try and explain policies
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Trust the Claude Code settings of repositories
    #[command(subcommand)]
    Trust(TrustCommand),
    /// Show the configuration, and where each value comes from
    Config(ConfigArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),

    /// Write manual pages into a directory
    #[command(hide = true)]
    Man {
        /// The directory
        dir: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(crate) struct UpArgs {
    /// Do not open a browser, only print the link
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Do not open a browser, only print the link
    #[arg(long)]
    pub(crate) no_open: bool,
    /// The port to listen on; 0 for any that is free
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// Where it happens, once that is made
    #[arg(long, hide = true, value_name = "DIR")]
    pub(crate) place: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Listen on this address; may come several times
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Vec<String>,
    /// Let sessions' processes end with the daemon instead of outliving it
    #[arg(long)]
    pub(crate) no_hold: bool,
    /// Leave the terminal, for `up`
    #[arg(long, hide = true)]
    pub(crate) detach: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct LoginArgs {
    #[command(subcommand)]
    pub(crate) command: Option<LoginCommand>,
    /// What to call the browser, such as `phone`
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// For a browser on another machine, which reaches the daemon by this name or address
    #[arg(long, value_name = "HOST[:PORT]")]
    pub(crate) host: Option<String>,
}

/// List, rename and end logins
#[derive(Debug, Subcommand)]
pub(crate) enum LoginCommand {
    /// List the browsers that are logged in
    Ls {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Rename a login
    Rename {
        /// Its id, the beginning of it, or its name
        login: String,
        /// The new name
        name: String,
    },
    /// End logins, and what they have open
    Rm {
        /// Their ids, the beginnings of them, or their names
        #[arg(required = true, value_name = "LOGIN")]
        logins: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct JsonArgs {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Only this key, as `server.listen`
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// A wire log, a directory of a run, or a transcript; `-` for stdin
    pub(crate) file: PathBuf,
    /// Print events as JSON, one per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Take as long as it took, so many times faster; without it no time passes
    #[arg(long, value_name = "X", value_parser = positive)]
    pub(crate) speed: Option<f64>,
}

pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "a number above 0, as 1 or 10".to_owned())
}

/// Check, try and explain policies
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check that policy files can be used
    Check {
        /// The files
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Tell what a policy would have answered in recorded sessions
    Test {
        /// A file, or the name of a policy
        policy: PathBuf,
        /// In these sessions; without any, in the latest ones
        #[arg(long, value_name = "SESSION", num_args = 1..)]
        sessions: Vec<String>,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Tell what a policy answers to one call, and why
    Explain {
        /// A file, or the name of a policy
        policy: PathBuf,
        /// The tool, as `Bash`
        tool: String,
        /// What it is called with: JSON, or a command, or a path
        input: String,
        /// In this permission mode
        #[arg(long, value_name = "MODE")]
        mode: Option<String>,
        /// In this directory instead of the current one
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
    },
}
